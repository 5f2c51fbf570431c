// Amounts, numbers and dates as a customer reads them.

import { CURRENCIES, type Currency } from "../../../shared/money.ts";

/** Making one takes longer than all that they say on a page. */
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

/** A decimal string as a price; never through a float. */
export function money({ currency }: In, decimal: string): string {
  return MONEY[currency].format(decimal as `${number}`);
}

/** A price of one, in major units, which may have more decimals than money has. */
export function unitMoney({ currency }: In, amount: number): string {
  return UNIT_MONEY[currency].format(amount);
}

/** The day of a moment, UTC. */
export function dateOf(iso: string): string {
  return DATES.format(new Date(iso));
}
