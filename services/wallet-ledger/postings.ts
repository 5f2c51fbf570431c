// Postings: what may be asked of the ledger, and the balanced legs that each becomes. Pure.
// The legs of a posting always sum to zero, in one currency and within one partition.

import { hash } from "node:crypto";
import { METHODS, type Method } from "../../shared/fees.ts";
import { CURRENCIES, type Currency } from "../../shared/money.ts";
import type { Checkpoint, DeclineReason, Leg } from "./journal.model.ts";

/** Amounts in minor units. A payout and its reversal are the same legs with opposite signs. */
export type Posting = { id: string; walletId: string } & (
  | {
      kind: "payout" | "payout-reversal";
      currency: Currency;
      method: Method;
      amountMinor: number;
      feesMinor: number;
    }
  | { kind: "funding"; currency: Currency; amountMinor: number }
  | { kind: "disable" | "enable" }
);

/** What the fold knows of an account. */
export interface AccountState extends Checkpoint {
  currency: Currency;
}

export { partitionOf } from "../../shared/partitions.ts";

/** One partition's share of a system account. */
export function systemAccount(p: number, name: string, currency: Currency): string {
  return `${p}:${name}:${currency}`;
}

/**
 * Every system account there is: `outside` (the world that funds come from), `fees`, `transit`
 * (money between partitions) and a clearing account for each payout method.
 */
export function systemAccounts(p: number): { id: string; currency: Currency }[] {
  const names = ["outside", "fees", "transit", ...METHODS.map((method) => `clearing-${method}`)];
  return CURRENCIES.flatMap((currency) =>
    names.map((name) => ({ id: systemAccount(p, name, currency), currency })),
  );
}

/** The legs of a posting, the wallet's own first; none for what only marks the wallet. */
export function legsOf(posting: Posting, p: number): Leg[] {
  switch (posting.kind) {
    case "payout":
      return payoutLegs(posting, p, 1);
    case "payout-reversal":
      return payoutLegs(posting, p, -1);
    case "funding":
      return [
        [posting.walletId, posting.amountMinor],
        [systemAccount(p, "outside", posting.currency), -posting.amountMinor],
      ];
    case "disable":
    case "enable":
      return [];
  }
}

function payoutLegs(
  { walletId, currency, method, amountMinor, feesMinor }: Extract<Posting, { method: Method }>,
  p: number,
  sign: 1 | -1,
): Leg[] {
  const legs: Leg[] = [
    [walletId, -sign * (amountMinor + feesMinor)],
    [systemAccount(p, `clearing-${method}`, currency), sign * amountMinor],
  ];
  if (feesMinor > 0) legs.push([systemAccount(p, "fees", currency), sign * feesMinor]);
  return legs;
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
 * zero, no balance leaves the safe integers, a disabled wallet is not debited for a payout.
 */
export function declineOf(
  posting: Posting,
  legs: Leg[],
  stateOf: (account: string) => AccountState,
): DeclineReason | null {
  const wallet = stateOf(posting.walletId);
  const change = legs[0]?.[1] ?? 0;
  if (change < 0 && wallet.disabled) return "disabled";
  if (wallet.balance + change < 0 && change < 0) return "funds";
  for (const [account, amountMinor] of legs) {
    if (!Number.isSafeInteger(stateOf(account).balance + amountMinor)) return "bound";
  }
  return null;
}
