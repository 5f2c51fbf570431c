// The legs that each kind of posting must have. Every transfer moves exactly what its kind says,
// between exactly the accounts that its kind names, whatever code has written it. The table is that
// of docs/change/ledger.md, Legs. It shares no code with the ledger, which would repeat the errors
// of the ledger's own legs. Pure.

import type { Leg } from "../../../services/wallet-ledger/journal.model.ts";
import type { Posting } from "../../../services/wallet-ledger/postings.ts";
import type { Currency } from "../../../shared/money.ts";

/** How often an amount is in a leg; negative for a debit. */
type Times = -1 | 0 | 1;

/** A leg: its account, and how often the amount and the fees of the posting are in it. */
type ExpectedLeg = [
  account: "wallet" | "clearing" | "fees" | "outside" | "adjustments" | "transit",
  amount: Times,
  fees: Times,
];

/** The legs in their order. A posting without fees has no leg of `fees`. */
const LEGS: Record<Posting["kind"], ExpectedLeg[]> = {
  payout: [
    ["wallet", -1, -1],
    ["clearing", 1, 0],
    ["fees", 0, 1],
  ],
  "payout-reversal": [
    ["wallet", 1, 1],
    ["clearing", -1, 0],
    ["fees", 0, -1],
  ],
  collection: [
    ["wallet", 1, -1],
    ["clearing", -1, 0],
    ["fees", 0, 1],
  ],
  refund: [
    ["wallet", -1, 1],
    ["clearing", 1, 0],
    ["fees", 0, -1],
  ],
  "refund-reversal": [
    ["wallet", 1, -1],
    ["clearing", -1, 0],
    ["fees", 0, 1],
  ],
  funding: [
    ["wallet", 1, 0],
    ["outside", -1, 0],
  ],
  "transfer-out": [
    ["wallet", -1, 0],
    ["transit", 1, 0],
  ],
  "transfer-in": [
    ["wallet", 1, 0],
    ["transit", -1, 0],
  ],
  "wallet-transfer-out": [
    ["wallet", -1, 0],
    ["transit", 1, 0],
  ],
  "wallet-transfer-in": [
    ["wallet", 1, 0],
    ["transit", -1, 0],
  ],
  "adjustment-credit": [
    ["wallet", 1, 0],
    ["adjustments", -1, 0],
  ],
  "adjustment-debit": [
    ["wallet", -1, 0],
    ["adjustments", 1, 0],
  ],
  disable: [],
  enable: [],
};

/** The legs of a posting in partition `p`. */
export function expectedLegs(posting: Posting, p: number): Leg[] {
  if (!("amountMinor" in posting)) return [];
  const { kind, walletId, currency, amountMinor } = posting;
  const { method, feesMinor } = "method" in posting ? posting : { method: "", feesMinor: 0 };
  return LEGS[kind]
    .filter(([account]) => account !== "fees" || feesMinor !== 0)
    .map(([account, amount, fees]) => [
      account === "wallet"
        ? walletId
        : shareOf(p, account === "clearing" ? `clearing-${method}` : account, currency),
      times(amount, amountMinor) + times(fees, feesMinor),
    ]);
}

/** The id of a partition's share of a system account. */
export function shareOf(p: number, account: string, currency: Currency): string {
  return `${p}:${account}:${currency}`;
}

/** NaN for an amount of a document that was tampered with, which may hold anything. */
function times(factor: Times, minor: number): number {
  if (factor === 0) return 0;
  return Number.isSafeInteger(minor) ? factor * minor : Number.NaN;
}
