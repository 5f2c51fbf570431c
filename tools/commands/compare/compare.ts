// Compares the books with a partner's list; resolves nothing. Both sides are streamed. First, each
// batch of the list is looked up in the books. Then the books' entries since the start are looked
// up among the ids of the list (tools/verify/seen.ts). So a document is read after its entry of the
// list, and is never older than that entry.

import { inBatches } from "../../verify/books.ts";
import { openSeen } from "../../verify/seen.ts";
import type { BookEntry, Books, Kind } from "./books.ts";
import {
  type DifferenceClass,
  judge,
  judgeUnlisted,
  type PartnerEntry,
  type Verdict,
} from "./judge.ts";
import { LIST_BOUNDS, type ListBounds, type Partner, readList } from "./list.ts";

export interface Difference {
  difference: DifferenceClass;
  /** Missing for an unreadable entry; its `place` then names it. */
  kind?: Kind;
  id?: string;
  book?: BookEntry;
  entry?: PartnerEntry;
  /** The fault of an unreadable entry; `place` is its position in the list, from 1. */
  problem?: string;
  place?: number;
}

export interface Summary {
  /** The number of compared entries of the partner's list and of the books. */
  compared: number;
  agree: number;
  /** Entries that have not ended, or ended so recently that the other side may not know it yet. */
  onTheWay: number;
  differences: Partial<Record<DifferenceClass, number>>;
}

export interface Comparison {
  partner: Partner;
  books: Books;
  /** Epoch ms. */
  since: number;
  /**
   * An entry younger than this (ms) is no difference, because clocks differ and lists lag behind.
   */
  marginMs: number;
  bounds?: ListBounds;
}

const READ_AT_ONCE = 500;

/**
 * Compares the entries since a time.
 * @param tell is called with each difference immediately
 * @throws SetupError if the partner's list cannot be read to its end
 */
export async function compare(
  { partner, books, since, marginMs, bounds = LIST_BOUNDS }: Comparison,
  tell: (difference: Difference) => Promise<void>,
): Promise<Summary> {
  const against = { partner: partner.name, settledBefore: Date.now() - marginMs };
  const summary: Summary = { compared: 0, agree: 0, onTheWay: 0, differences: {} };
  const note = async (verdict: Verdict, details: Omit<Difference, "difference">) => {
    summary.compared += 1;
    if (verdict === "agrees") summary.agree += 1;
    else if (verdict === "onTheWay") summary.onTheWay += 1;
    else {
      summary.differences[verdict] = (summary.differences[verdict] ?? 0) + 1;
      await tell({ difference: verdict, ...details });
    }
  };
  const seen = openSeen();
  try {
    // The partner's clock may be behind, so the list may show an earlier time for an entry of
    // `since`.
    const entries = readList(partner, since - marginMs, bounds);
    for await (const batch of inBatches(entries, READ_AT_ONCE)) {
      const first = summary.compared;
      const readable = batch.flatMap((reading) => ("entry" in reading ? [reading.entry] : []));
      const found = await lookUp(books, partner.kinds, readable);
      for (const [i, reading] of batch.entries()) {
        if ("problem" in reading) {
          await note("unreadable", { ...reading, place: first + i + 1 });
          continue;
        }
        const { entry } = reading;
        const { kind, id } = entry;
        const book = found.get(kind)?.get(id);
        const verdict = seen.add(kind, id) ? judge(entry, book, against) : "twice";
        await note(verdict, { kind, id, entry, ...(book && { book }) });
      }
    }
    for (const kind of partner.kinds) {
      for await (const book of books[kind].made(partner.name, since)) {
        if (seen.has(kind, book.key)) continue;
        await note(judgeUnlisted(book, against), { kind, id: book.key, book });
      }
    }
    return summary;
  } finally {
    seen.close();
  }
}

async function lookUp(books: Books, kinds: Kind[], entries: PartnerEntry[]) {
  const found = new Map<Kind, Map<string, BookEntry>>();
  for (const kind of kinds) {
    const ids = entries.filter((entry) => entry.kind === kind).map(({ id }) => id);
    if (ids.length > 0) found.set(kind, await books[kind].find(ids));
  }
  return found;
}
