// The logical operations of the history: the repeats of a request together, and the outcome that
// their answers and the documentation leave possible.

import { tellsNothing } from "../workload/client.ts";
import type { Entry, Kind } from "../workload/history.ts";
import { groupBy } from "./evidence.ts";

export interface Operation {
  kind: Kind;
  op: string;
  about: Entry["about"];
  hasKey: boolean;
  /** In the order of their invocation. */
  entries: Entry[];
  /** The first answer that says that it was done. */
  done?: Entry;
  /** The first answer that says that it was not done, and never will be. */
  refused?: Entry;
}

/** The operations of a kind. */
export function listOperations(history: readonly Entry[], kind: Kind): Operation[] {
  const ofKind = history.filter((entry) => entry.kind === kind);
  return [...groupBy(ofKind, ({ op }) => op).values()].map((unsorted) => {
    const entries = unsorted.toSorted((a, b) => a.from - b.from);
    const { op, about, key } = entries[0] as Entry;
    const done = first(entries, ({ status }) => status === 200 || status === 201);
    const refused = first(entries, isRefusal);
    const hasKey = key !== undefined;
    return { kind, op, about, hasKey, entries, ...(done && { done }), ...(refused && { refused }) };
  });
}

function first(entries: Entry[], fits: (entry: Entry) => boolean): Entry | undefined {
  return entries.filter(fits).toSorted((a, b) => a.until - b.until)[0];
}

/** Whether the answer says that nothing was done (docs/integrate/withdrawals.md, Errors). */
function isRefusal(entry: Entry): boolean {
  const { status } = entry;
  if (tellsNothing(entry)) return false;
  return status >= 400 && status < 500 && status !== 401 && status !== 429;
}

/**
 * Fees in minor units, as docs/integrate/rest-api.md (Withdrawals) and
 * docs/integrate/payment-links.md say.
 */
export function payoutFee(method: string, amountMinor: number): number {
  if (method === "ACH") return 25;
  if (method === "RTP") return 50;
  if (method === "WIRE") return 1_500;
  return Math.max(50, roundHalfUp(amountMinor * 150, 10_000));
}

/** The fee of a charge of that amount. */
export function collectionFee(chargedMinor: number): number {
  return Math.min(chargedMinor, roundHalfUp(chargedMinor * 290, 10_000) + 30);
}

function roundHalfUp(dividend: number, divisor: number): number {
  return Math.floor((2 * dividend + divisor) / (2 * divisor));
}

/** The debit of a withdrawal: its amount and its fee. */
export function debitOf({ about }: Operation): number {
  const amountMinor = Number(about.amountMinor);
  return amountMinor + payoutFee(String(about.method), amountMinor);
}
