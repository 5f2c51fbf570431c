// Postings: what may be asked of the ledger, and the balanced legs that each becomes. Pure.
// The legs of a posting always sum to zero, in one currency and within one partition.

import { hash } from "node:crypto";
import type { POSTING_KINDS } from "../../shared/contracts/wallet-ledger.ts";
import { FEE_KINDS, type FeeKind } from "../../shared/fee-table.ts";
import { CURRENCIES, type Currency } from "../../shared/money.ts";
import type { Checkpoint, DeclineReason, Leg } from "./journal.model.ts";

/**
 * Amounts in minor units. A reversal is the legs of what it reverses with opposite signs. Of a transfer
 * between partitions each half is a posting of its own, by way of transit.
 */
export type Posting = { id: string; walletId: string } & (
  | {
      kind: (typeof POSTING_KINDS)[number];
      currency: Currency;
      method: FeeKind;
      amountMinor: number;
      feesMinor: number;
    }
  | { kind: "funding" | "transfer-out" | "transfer-in"; currency: Currency; amountMinor: number }
  | { kind: "disable" | "enable" }
);

/** What the fold knows of an account. */
export interface AccountState extends Checkpoint {
  currency: Currency;
}

/** One partition's share of a system account. */
export function systemAccount(p: number, name: string, currency: Currency): string {
  return `${p}:${name}:${currency}`;
}

/**
 * Every system account there is: `outside` (the world that funds come from), `fees`, `transit`
 * (money between partitions) and a clearing account for each payout method and for cards charged.
 */
export function systemAccounts(p: number): { id: string; currency: Currency }[] {
  const names = ["outside", "fees", "transit", ...FEE_KINDS.map((kind) => `clearing-${kind}`)];
  return CURRENCIES.flatMap((currency) =>
    names.map((name) => ({ id: systemAccount(p, name, currency), currency })),
  );
}

/** How many safe integers there are: balances are kept modulo this number. */
export const BALANCES = 2n ** 54n - 1n;

/**
 * Adds an amount to a balance, in minor units, modulo `BALANCES`: past the greatest safe integer it goes
 * on at the least one. `declineOf` keeps wallets within the safe integers. System accounts do go past
 * them, because all businesses share them and nothing ever empties them; a bound on them would let one
 * business block the others. Sums of legs stay exact modulo `BALANCES`.
 */
export function plus(balance: number, amountMinor: number): number {
  const sum = balance + amountMinor;
  // NaN and fractions, which only a damaged journal has, stay as they are.
  if (Number.isSafeInteger(sum) || !Number.isInteger(sum)) return sum;
  const exact = BigInt(balance) + BigInt(amountMinor);
  return Number(exact < 0n ? exact + BALANCES : exact - BALANCES);
}

/** The legs of a posting, the wallet's own first; none for what only marks the wallet. */
export function legsOf(posting: Posting, p: number): Leg[] {
  switch (posting.kind) {
    case "payout":
      return legsBeside(posting, p, -1, 1);
    case "payout-reversal":
      return legsBeside(posting, p, 1, 1);
    // The fee comes out of what is charged, and goes back with what is refunded.
    case "collection":
    case "refund-reversal":
      return legsBeside(posting, p, 1, -1);
    case "refund":
      return legsBeside(posting, p, -1, -1);
    case "funding":
      return legsBetween(posting, p, "outside", 1);
    case "transfer-out":
      return legsBetween(posting, p, "transit", -1);
    case "transfer-in":
      return legsBetween(posting, p, "transit", 1);
    case "disable":
    case "enable":
      return [];
  }
}

/**
 * Legs of what a rail or an acquirer moves.
 * @param sign of the wallet's leg
 * @param feeSign 1 where the wallet's leg is the amount and the fees, -1 where it is less by them
 */
function legsBeside(
  { walletId, currency, method, amountMinor, feesMinor }: Extract<Posting, { method: FeeKind }>,
  p: number,
  sign: 1 | -1,
  feeSign: 1 | -1,
): Leg[] {
  const legs: Leg[] = [
    // Nothing, where the fee is all of it, is no negative zero.
    [walletId, sign * (amountMinor + feeSign * feesMinor) + 0],
    [systemAccount(p, `clearing-${method}`, currency), -sign * amountMinor],
  ];
  if (feesMinor > 0) {
    legs.push([systemAccount(p, "fees", currency), -sign * feeSign * feesMinor]);
  }
  return legs;
}

/** Legs of what moves between a wallet and a system account. */
function legsBetween(
  {
    walletId,
    currency,
    amountMinor,
  }: { walletId: string; currency: Currency; amountMinor: number },
  p: number,
  name: string,
  sign: 1 | -1,
): Leg[] {
  return [
    [walletId, sign * amountMinor],
    [systemAccount(p, name, currency), -sign * amountMinor],
  ];
}

/** The id of a reversal is the id of the reversed posting and this suffix. */
export const REVERSAL = ":reversal";

/** The postings of a transfer; `back` is posted only if the wallet cannot hold the money. */
export function transferPostings({
  _id,
  accountId,
  walletId,
  currency,
  amountMinor,
}: {
  _id: string;
  /** The collection account. */
  accountId: string;
  walletId: string;
  currency: Currency;
  amountMinor: number;
}) {
  const money = { currency, amountMinor };
  return {
    out: { id: `${_id}:out`, kind: "transfer-out", walletId: accountId, ...money },
    in: { id: `${_id}:in`, kind: "transfer-in", walletId, ...money },
    back: { id: `${_id}:back`, kind: "transfer-in", walletId: accountId, ...money },
  } satisfies Record<string, Posting>;
}

/** The transfer and the part of it that a posting's id names; null for any other posting. */
export function parseTransferPart(
  id: string,
): { transferId: string; part: "out" | "in" | "back" } | null {
  const match = /^(.+):(out|in|back)$/.exec(id);
  return match && { transferId: match[1] as string, part: match[2] as "out" | "in" | "back" };
}

/** Identifies what was asked under an id: the same id with another payload is a conflict. */
export function payloadHashOf(posting: Posting): string {
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
 * Whether a posting has to be declined, and why; null if it may be committed. No wallet goes below
 * zero or leaves the safe integers, a disabled wallet is not debited for a payout. The wallet alone
 * decides: no account that businesses share can decline a posting.
 */
export function declineOf(legs: Leg[], wallet: AccountState): DeclineReason | null {
  const change = legs[0]?.[1] ?? 0;
  if (change < 0 && wallet.disabled) return "disabled";
  if (wallet.balance + change < 0 && change < 0) return "funds";
  return Number.isSafeInteger(wallet.balance + change) ? null : "bound";
}
