// Judges an entry of a partner's list together with the books' entry of the same id. Pure
// functions.

import type { Currency } from "../../../shared/money.ts";
import type { BookEntry, Kind } from "./books.ts";

/** An entry of a rail's or acquirer's list, in the terms of the books. */
export interface PartnerEntry {
  kind: Kind;
  id: string;
  /** The state in the partner's own terms. */
  state: string;
  outcome: "open" | "done" | "undone" | "returned";
  amountMinor: number;
  currency: Currency;
  /** The time at which the partner took it; epoch ms. */
  at: number;
}

export const DIFFERENCES = {
  onlyAtPartner: "only at the partner",
  onlyInBooks: "only in the books",
  states: "states contradict",
  amounts: "amounts differ",
  elsewhere: "another partner's in the books",
  twice: "twice in the partner's list",
  unreadable: "not readable in the partner's list",
} as const;
export type DifferenceClass = keyof typeof DIFFERENCES;

export type Verdict = "agrees" | "onTheWay" | DifferenceClass;

export interface Against {
  partner: string;
  /** A change after this time (epoch ms) may not have reached the other side yet. */
  settledBefore: number;
}

/** @param book undefined if the books do not have the id */
export function judge(
  entry: PartnerEntry,
  book: BookEntry | undefined,
  { partner, settledBefore }: Against,
): Verdict {
  const isYoung = entry.at >= settledBefore || (book && book.changedAt >= settledBefore);
  if (!book) return isYoung ? "onTheWay" : "onlyAtPartner";
  if (book.partner !== undefined && book.partner !== partner) return "elsewhere";
  const isSame = book.amountMinor === entry.amountMinor && book.currency === entry.currency;
  const states = judgeStates(entry, book, settledBefore);
  if (states === "states" && !isYoung) return "states";
  if (!isSame) return "amounts";
  return states === "states" ? "onTheWay" : states;
}

function judgeStates(
  { outcome }: PartnerEntry,
  book: BookEntry,
  settledBefore: number,
): "agrees" | "onTheWay" | "states" {
  switch (book.outcome) {
    case "open": {
      // The services ask again by themselves. A person must look only if the services have asked in
      // vain for a long time and the list shows the end.
      const inVain = (book.unknownSince ?? settledBefore) < settledBefore;
      return inVain && outcome !== "open" ? "states" : "onTheWay";
    }
    case "done":
      if (outcome === "returned" && book.isWatched) return "onTheWay";
      return outcome === "done" ? "agrees" : "states";
    case "undone":
      return outcome === "undone" || outcome === "returned" ? "agrees" : "states";
  }
}

/** Judges an entry of the books that the partner's list does not have. */
export function judgeUnlisted(book: BookEntry, { settledBefore }: Against): Verdict {
  // No money moved on either side, and a partner need not list a payment that it refused.
  if (book.outcome === "undone") return "agrees";
  const isSettled = book.outcome === "done" && book.changedAt < settledBefore;
  return isSettled ? "onlyInBooks" : "onTheWay";
}
