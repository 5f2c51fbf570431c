// Fees: a table by method and currency from configuration, over the defaults.

import { assertMinor, CURRENCIES, type Currency, MAX_AMOUNT_MINOR } from "./money.ts";

export const METHODS = ["ACH", "RTP", "WIRE", "PUSH_TO_CARD"] as const;
export type Method = (typeof METHODS)[number];

/** What has a fee: payouts by their method, and collections by card. */
export const FEE_KINDS = [...METHODS, "CARD_COLLECTION"] as const;
export type FeeKind = (typeof FEE_KINDS)[number];

/** One fee: a fixed part and a share, both of the amount paid out or charged. In minor units. */
export interface Fee {
  fixed: number;
  basisPoints: number;
  min: number;
  max: number | null;
}

export type FeeTable = Record<FeeKind, Record<Currency, Fee>>;

const DEFAULTS: Record<FeeKind, Fee> = {
  ACH: { fixed: 25, basisPoints: 0, min: 0, max: null },
  RTP: { fixed: 50, basisPoints: 0, min: 0, max: null },
  WIRE: { fixed: 1_500, basisPoints: 0, min: 0, max: null },
  PUSH_TO_CARD: { fixed: 0, basisPoints: 150, min: 50, max: null },
  CARD_COLLECTION: { fixed: 30, basisPoints: 290, min: 0, max: null },
};

/**
 * The fee of an amount, both in minor units: fixed + amount * basisPoints / 10000, rounded half up
 * to the cent, then held between min and max.
 */
export function feeOf(fee: Fee, amountMinor: number): number {
  assertMinor(amountMinor);
  // In BigInt: the product of two safe integers may not be one.
  const share = (BigInt(amountMinor) * BigInt(fee.basisPoints) + 5_000n) / 10_000n;
  const raw = fee.fixed + Number(share);
  return Math.min(Math.max(raw, fee.min), fee.max ?? Number.MAX_SAFE_INTEGER);
}

/**
 * The smallest total of which, less its fee, the amount is left; all in minor units.
 * @param fee with a share below the whole
 */
export function grossUp(fee: Fee, amountMinor: number): number {
  // What is left never falls as the total grows, and grows by at most one with each one of it.
  let below = amountMinor - 1;
  let enough = amountMinor + 1;
  while (enough - feeOf(fee, enough) < amountMinor) enough += enough - amountMinor;
  while (enough - below > 1) {
    const middle = Math.floor((below + enough) / 2);
    if (middle - feeOf(fee, middle) < amountMinor) below = middle;
    else enough = middle;
  }
  return enough;
}

/** The table of `FEES` (JSON, {method: {currency: fee}}) over the defaults; says in `wrong` what is not. */
export function readFees(json: string | null, wrong: string[]): FeeTable {
  const table = defaultTable();
  if (json === null) return table;
  const overrides = parse(json);
  if (overrides === null) {
    wrong.push(`FEES must be JSON such as ${FORM}`);
    return table;
  }
  for (const [kind, byCurrency] of Object.entries(overrides)) {
    if (!FEE_KINDS.includes(kind as FeeKind)) {
      wrong.push(`FEES names ${kind}; it may name ${FEE_KINDS.join(", ")}`);
      continue;
    }
    for (const [currency, fee] of Object.entries(byCurrency)) {
      if (!CURRENCIES.includes(currency as Currency)) {
        wrong.push(`FEES names ${kind}.${currency}; it may name ${CURRENCIES.join(", ")}`);
        continue;
      }
      const row = table[kind as FeeKind];
      const merged = isTable(fee) ? { ...row[currency as Currency], ...fee } : null;
      if (merged && isFee(merged)) row[currency as Currency] = merged;
      else wrong.push(`FEES has a wrong entry ${kind}.${currency}; ${BOUNDS}; it is ${FORM}`);
    }
  }
  return table;
}

/** The whole, in basis points: a fee of it leaves nothing, and no total would be enough. */
const WHOLE = 10_000;

const FORM = '{"ACH":{"USD":{"fixed":25,"basisPoints":0,"min":0,"max":null}}} in minor units';
const BOUNDS = `basisPoints is less than ${WHOLE}, no amount above ${MAX_AMOUNT_MINOR}, min not above max`;

function defaultTable(): FeeTable {
  const row = (fee: Fee) => Object.fromEntries(CURRENCIES.map((currency) => [currency, fee]));
  return Object.fromEntries(
    FEE_KINDS.map((kind) => [kind, row(DEFAULTS[kind])]),
  ) as unknown as FeeTable;
}

function parse(json: string): Record<string, Record<string, Partial<Fee>>> | null {
  try {
    const value: unknown = JSON.parse(json);
    if (!isTable(value) || !Object.values(value).every(isTable)) return null;
    return value as Record<string, Record<string, Partial<Fee>>>;
  } catch {
    return null;
  }
}

function isTable(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
