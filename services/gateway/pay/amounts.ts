// Formats amounts, numbers and dates for a customer.

import { CURRENCIES, type Currency } from "../../../shared/money.ts";

/** Formatters are cached, because making one takes longer than all its uses on a page. */
function formats(options: Intl.NumberFormatOptions): Record<Currency, Intl.NumberFormat> {
  return Object.fromEntries(
    CURRENCIES.map((currency) => [
      currency,
      new Intl.NumberFormat("en", { style: "currency", currency, ...options }),
    ]),
  ) as Record<Currency, Intl.NumberFormat>;
}

const MONEY = formats({});
const UNIT_MONEY = formats({ maximumFractionDigits: 6 });
const DATES = new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" });
export const NUMBERS = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });

interface In {
  currency: Currency;
}

/** Formats a decimal string as a price, without a float. */
export function money({ currency }: In, decimal: string): string {
  return MONEY[currency].format(decimal as `${number}`);
}

/** Formats a unit price in major units, which may have more decimals than the currency. */
export function unitMoney({ currency }: In, amount: number): string {
  return UNIT_MONEY[currency].format(amount);
}

/** The date of a timestamp, in UTC. */
export function formatDate(iso: string): string {
  return DATES.format(new Date(iso));
}
