// The table of fees by kind and currency: the default fees and the entries of `FEES` over them.

import { isObject } from "../contracts/field.ts";
import type { Fee } from "../fees.ts";
import { CURRENCIES, type Currency, MAX_AMOUNT_MINOR } from "../money.ts";
import { PAYOUT_METHOD_TABLE, PAYOUT_METHODS, type PayoutMethod } from "./payout-methods.ts";

/**
 * The default fees of collections, by their kind. Payout methods have theirs in their own table.
 */
const COLLECTION_FEES = {
  CARD_COLLECTION: { fixed: 30, basisPoints: 290, min: 0, max: null },
} as const satisfies Record<string, Fee>;

type CollectionKind = keyof typeof COLLECTION_FEES;
const COLLECTION_KINDS = Object.keys(COLLECTION_FEES) as CollectionKind[];

export type FeeKind = PayoutMethod | CollectionKind;

/** The payments that have a fee: payouts by their method, and collections by their kind. */
export const FEE_KINDS: readonly FeeKind[] = [...PAYOUT_METHODS, ...COLLECTION_KINDS];

/**
 * The fee of a collection, as configured at the creation of its link, because a change of `FEES`
 * must not change a payment under way. Each document that follows from the link copies it whole.
 */
export interface FeeSnapshot extends Fee {
  kind: FeeKind;
}

/** The kind of a document's fee. A document of an earlier release has none, and is of a card. */
export function feeKindOf({ fee }: { fee?: Partial<FeeSnapshot> }): FeeKind {
  return fee?.kind ?? "CARD_COLLECTION";
}

export type FeeTable = Record<FeeKind, Record<Currency, Fee>>;

/**
 * Reads `FEES` over the default fees.
 * @param json {kind: {currency: fee}}; null for the default fees alone
 * @param wrong receives a sentence for each entry that is refused
 */
export function readFees(json: string | null, wrong: string[]): FeeTable {
  const table = defaultTable();
  if (json === null) return table;
  const overrides = parse(json);
  if (overrides === null) {
    wrong.push(`FEES must be JSON such as ${FORM}`);
    return table;
  }
  for (const [kind, byCurrency] of Object.entries(overrides)) {
    if (!isKnown("FEES", kind, FEE_KINDS, wrong)) continue;
    for (const [currency, fee] of Object.entries(byCurrency)) {
      if (!CURRENCIES.includes(currency as Currency)) {
        wrong.push(`FEES names ${kind}.${currency}; it may name ${CURRENCIES.join(", ")}`);
        continue;
      }
      const row = table[kind];
      const merged = isObject(fee) ? { ...row[currency as Currency], ...fee } : null;
      if (merged && isFee(merged)) row[currency as Currency] = merged;
      else wrong.push(`FEES has a wrong entry ${kind}.${currency}; ${BOUNDS}; it is ${FORM}`);
    }
  }
  return table;
}

/** Whether a variable may have this key; otherwise a sentence is added to `wrong`. */
export function isKnown<K extends string>(
  variable: string,
  key: string,
  known: readonly K[],
  wrong: string[],
): key is K {
  if (known.includes(key as K)) return true;
  wrong.push(`${variable} names ${key}; it may name ${known.join(", ")}`);
  return false;
}

/** The whole, in basis points: a fee of the whole leaves nothing, so no total would be enough. */
const WHOLE = 10_000;

const FORM = '{"ACH":{"USD":{"fixed":25,"basisPoints":0,"min":0,"max":null}}} in minor units';
const BOUNDS = `basisPoints is less than ${WHOLE}, no amount above ${MAX_AMOUNT_MINOR}, min not above max`;

function defaultTable(): FeeTable {
  const defaults: [FeeKind, Fee][] = [
    ...PAYOUT_METHODS.map((m): [FeeKind, Fee] => [m, PAYOUT_METHOD_TABLE[m].defaultFee]),
    ...COLLECTION_KINDS.map((kind): [FeeKind, Fee] => [kind, COLLECTION_FEES[kind]]),
  ];
  const row = (fee: Fee) => Object.fromEntries(CURRENCIES.map((currency) => [currency, fee]));
  return Object.fromEntries(defaults.map(([kind, fee]) => [kind, row(fee)])) as unknown as FeeTable;
}

function parse(json: string): Record<string, Record<string, Partial<Fee>>> | null {
  try {
    const value: unknown = JSON.parse(json);
    if (!isObject(value) || !Object.values(value).every(isObject)) return null;
    return value as Record<string, Record<string, Partial<Fee>>>;
  } catch {
    return null;
  }
}

function isFee(fee: Fee): boolean {
  const isUpTo = (most: number, value: unknown) =>
    Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
  const isAmount = (value: unknown) => isUpTo(MAX_AMOUNT_MINOR, value);
  const keys = Object.keys(fee).every((k) => ["fixed", "basisPoints", "min", "max"].includes(k));
  const max = fee.max === null || (isAmount(fee.max) && fee.max >= fee.min);
  const isShare = isUpTo(WHOLE - 1, fee.basisPoints);
  return keys && isAmount(fee.fixed) && isShare && isAmount(fee.min) && max;
}
