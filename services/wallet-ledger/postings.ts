// Postings: the requests to the ledger, and their balanced legs. Pure functions. The legs of a
// posting always sum to zero, in one currency and within one partition.

import { hash } from "node:crypto";
import { FEE_KINDS, type FeeKind } from "../../shared/config/fee-table.ts";
import type { POSTING_KINDS } from "../../shared/contracts/wallet-ledger.ts";
import { CURRENCIES, type Currency } from "../../shared/money.ts";
import type { Checkpoint, DeclineReason, Leg } from "./journal.model.ts";

/**
 * The postings that move an amount between a wallet and one system account, with the sign of the
 * wallet's leg. A transfer between partitions is two postings, by way of the `transit` accounts of
 * both; those of collected money have names of their own.
 */
export const BETWEEN = {
  funding: ["outside", 1],
  "adjustment-credit": ["adjustments", 1],
  "adjustment-debit": ["adjustments", -1],
  "transfer-out": ["transit", -1],
  "transfer-in": ["transit", 1],
  "wallet-transfer-out": ["transit", -1],
  "wallet-transfer-in": ["transit", 1],
} as const;

/**
 * A request to the ledger, amounts in minor units. A reversal has the legs of the reversed posting
 * with opposite signs.
 */
export type Posting = { id: string; walletId: string } & (
  | {
      kind: (typeof POSTING_KINDS)[number];
      currency: Currency;
      method: FeeKind;
      amountMinor: number;
      feesMinor: number;
    }
  | { kind: keyof typeof BETWEEN; currency: Currency; amountMinor: number }
  | { kind: "disable" | "enable" }
);

/** The folded state of an account. */
export interface AccountState extends Checkpoint {
  currency: Currency;
}

/** The id of a partition's share of a system account. */
export function systemAccount(p: number, name: string, currency: Currency): string {
  return `${p}:${name}:${currency}`;
}

export function systemAccountName(id: string): string {
  return id.split(":")[1] as string;
}

/**
 * All system accounts of a partition: `outside` (the source of fundings), `adjustments` (the other
 * side of operators' corrections), `fees`, `transit` (money between partitions), and a clearing
 * account for each payout method and each kind of collection.
 */
export function systemAccounts(p: number): { id: string; currency: Currency }[] {
  const names = [
    "outside",
    "adjustments",
    "fees",
    "transit",
    ...FEE_KINDS.map((kind) => `clearing-${kind}`),
  ];
  return CURRENCIES.flatMap((currency) =>
    names.map((name) => ({ id: systemAccount(p, name, currency), currency })),
  );
}

/** The number of safe integers. Balances are kept modulo this number. */
export const BALANCES = 2n ** 54n - 1n;

/**
 * Adds an amount to a balance, in minor units, modulo `BALANCES`: balances wrap around at the
 * largest safe integer. `findDecline` keeps wallets within the safe integers.
 * System accounts do go past them, because all businesses share them and nothing ever empties them;
 * a bound on them would let one business block the others. Sums of legs stay exact modulo
 * `BALANCES`.
 */
export function addToBalance(balance: number, amountMinor: number): number {
  const sum = balance + amountMinor;
  // NaN and fractions, which only a damaged journal has, do not change.
  if (Number.isSafeInteger(sum) || !Number.isInteger(sum)) return sum;
  const exact = BigInt(balance) + BigInt(amountMinor);
  return Number(exact < 0n ? exact + BALANCES : exact - BALANCES);
}

/**
 * Builds the legs of a posting, the wallet's leg first. A posting that only marks the wallet has no
 * legs.
 */
export function buildLegs(posting: Posting, p: number): Leg[] {
  switch (posting.kind) {
    case "payout":
      return legsBeside(posting, p, -1, 1);
    case "payout-reversal":
      return legsBeside(posting, p, 1, 1);
    // The fee is deducted from the charged amount, and returned with a refund.
    case "collection":
    case "refund-reversal":
      return legsBeside(posting, p, 1, -1);
    case "refund":
      return legsBeside(posting, p, -1, -1);
    case "disable":
    case "enable":
      return [];
    case "funding":
    case "adjustment-credit":
    case "adjustment-debit":
    case "transfer-out":
    case "transfer-in":
    case "wallet-transfer-out":
    case "wallet-transfer-in":
      return legsBetween(posting, p);
  }
}

/**
 * Builds the legs of money that a rail or an acquirer moves.
 * @param sign of the wallet's leg
 * @param feeSign 1 if the wallet's leg is the amount plus the fees, -1 if it is the amount minus
 *   the fees
 */
function legsBeside(
  { walletId, currency, method, amountMinor, feesMinor }: Extract<Posting, { method: FeeKind }>,
  p: number,
  sign: 1 | -1,
  feeSign: 1 | -1,
): Leg[] {
  const legs: Leg[] = [
    // `+ 0` turns the negative zero of a fee that is equal to the amount into zero.
    [walletId, sign * (amountMinor + feeSign * feesMinor) + 0],
    [systemAccount(p, `clearing-${method}`, currency), -sign * amountMinor],
  ];
  if (feesMinor > 0) {
    legs.push([systemAccount(p, "fees", currency), -sign * feeSign * feesMinor]);
  }
  return legs;
}

function legsBetween(
  { kind, walletId, currency, amountMinor }: Extract<Posting, { kind: keyof typeof BETWEEN }>,
  p: number,
): Leg[] {
  const [name, sign] = BETWEEN[kind];
  return [
    [walletId, sign * amountMinor],
    [systemAccount(p, name, currency), -sign * amountMinor],
  ];
}

/** The id of a reversal is the id of the reversed posting and this suffix. */
export const REVERSAL = ":reversal";

/** Hashes the payload of a posting. The same id with another payload is a conflict. */
export function hashPayload(posting: Posting): string {
  const { kind, walletId } = posting;
  const money =
    "amountMinor" in posting
      ? [
          posting.currency,
          posting.amountMinor,
          ...("method" in posting ? [posting.method, posting.feesMinor] : []),
        ]
      : [];
  return hash("sha256", [kind, walletId, ...money].join("|"), "base64url").slice(0, 22);
}

/**
 * Finds the reason to decline a posting; null if it may be committed. No wallet goes below zero or
 * leaves the safe integers, and no posting debits a disabled wallet. The wallet alone decides: no
 * account that businesses share can decline a posting.
 */
export function findDecline(legs: Leg[], wallet: AccountState): DeclineReason | null {
  const change = legs[0]?.[1] ?? 0;
  if (change < 0 && wallet.disabled) return "disabled";
  if (wallet.balance + change < 0 && change < 0) return "funds";
  return Number.isSafeInteger(wallet.balance + change) ? null : "bound";
}
