// The amounts of an entry: a payment's own, and the proof that the details are the entry. Banks put
// their charges into either, or beside them, and convert currencies.

import type { Decimal } from "./amounts.ts";
import type { Detail, Faulty, Money, StatementEntry } from "./entries.ts";
import { isFaulty } from "./entries.ts";

/**
 * What was paid: the amount that the payer instructed, if the bank says that the account's amount
 * differs from it by the stated charges alone. Undefined if the bank gives the payment no amount.
 * @param isOnly whether the entry has no other detail, so that its amount is the detail's
 */
export function paidMoney(
  entry: StatementEntry,
  detail: Detail,
  isOnly: boolean,
  currency: string,
): Money | undefined {
  const instructed = detail.instructed.find((money) => money.currency === currency);
  const onAccount = bookedMoney(entry, detail, isOnly, currency);
  if (onAccount?.currency !== currency) return instructed ?? onAccount;
  if (instructed === undefined) return withoutCharges(entry, detail, onAccount);
  const { amount: asked } = instructed;
  const { amount: taken } = onAccount;
  if (asked === null || taken === null) return onAccount;
  const charges = detail.charges || (isOnly ? entry.charges : 0n);
  return [0n, charges].includes(distance(asked, taken)) ? instructed : onAccount;
}

/** Less the charges that the bank says it has. An entry's are in the detail of the same amount. */
function withoutCharges(entry: StatementEntry, detail: Detail, money: Money): Money {
  const isWhole = money.amount === entry.money.amount;
  const included = detail.chargesIncluded || (isWhole ? entry.chargesIncluded : 0n);
  const { amount, currency } = money;
  return amount === null || amount <= included ? money : { amount: amount - included, currency };
}

/** What the account has more or less. */
export function bookedMoney(
  { money }: StatementEntry,
  { booked, instructed }: Detail,
  isOnly: boolean,
  currency: string,
): Money | undefined {
  const all = [booked, isOnly ? money : undefined, ...instructed];
  const given = all.filter((each) => each !== undefined);
  return given.find((each) => each.currency === currency) ?? given[0];
}

/**
 * Whether the details can be the entry's: there are not too many, and their sum is its amount, with
 * the charges or without. Nothing is said where details are missing or have other currencies.
 */
export function isSumOf(entry: StatementEntry, details: (Detail | Faulty)[]): boolean {
  const { payments = details.length, money } = entry;
  if (details.length > payments) return false;
  const amounts = details.map((detail) => (isFaulty(detail) ? undefined : detail.booked));
  const isComparable =
    details.length > 0 &&
    details.length === payments &&
    amounts.every((each) => each?.currency === money.currency && each.amount !== null);
  if (!isComparable || money.amount === null) return true;
  const sum = details.reduce((total, detail) => {
    if (isFaulty(detail)) return total;
    const amount = detail.booked?.amount ?? 0n;
    return (detail.direction ?? entry.direction) === entry.direction
      ? total + amount
      : total - amount;
  }, 0n);
  const charges = details.reduce(
    (total, detail) => total + (isFaulty(detail) ? 0n : detail.charges),
    0n,
  );
  return [0n, entry.charges, charges].includes(distance(sum, money.amount));
}

function distance(one: Decimal, other: Decimal): Decimal {
  return one > other ? one - other : other - one;
}
