// Finds the payments and batches whose ids stand in a file that cannot be read, by the ids that the
// books have: the file may be about them, so an operator looks before payrail believes another end.

import { setImmediate as pause } from "node:timers/promises";
import type { Deps } from "./deps.ts";

const DAY_MS = 86_400_000;
/** Beside the return window, for the days until the settlement. */
const SETTLED_WITHIN_DAYS = 31;
const PAYMENTS_AT_ONCE = 20_000;
/** The bytes that are searched without a pause for the service's other work. */
const SEARCHED_AT_ONCE = 200_000;
/** What an id is made of. */
const RUNS = /[0-9A-Z-]+/g;

/**
 * @returns the ids of payments and batches, each once. A batch stands for all of its payments: a
 *   file that is cut off may have named others of them
 */
export async function findNames({ books, settings, now }: Deps, bytes: Buffer): Promise<string[]> {
  const found = new Set<string>();
  let ids = new Map<string, string>();
  const since = now() - (settings.returnWindowDays + SETTLED_WITHIN_DAYS) * DAY_MS;
  for await (const { _id } of books.batches.find({ closedAt: { $gte: since } })) {
    ids.set(_id, _id);
  }
  // Failed payments too: the bank may have debited a payment that it refused or returned.
  const sent = { at: { $gte: since }, batch: { $exists: true } };
  const payments = books.payments.find(sent, { projection: { shortId: 1 } });
  for await (const { _id, shortId } of payments) {
    ids.set(_id.toUpperCase(), _id).set(shortId.toUpperCase(), _id);
    if (ids.size < PAYMENTS_AT_ONCE) continue;
    await search(bytes, ids, found);
    ids = new Map();
  }
  await search(bytes, ids, found);
  return [...found];
}

/**
 * Adds each id that stands anywhere in the bytes: fields of fixed width stand without a gap, and in
 * UTF-16 zero bytes stand between the characters.
 */
async function search(bytes: Buffer, ids: Map<string, string>, found: Set<string>): Promise<void> {
  const lengths = [...new Set([...ids.keys()].map(({ length }) => length))];
  const longest = Math.max(0, ...lengths);
  for (let start = 0; start < bytes.length; start += SEARCHED_AT_ONCE) {
    // An id that begins in this piece can end in the next one.
    const piece = bytes.toString("latin1", start, start + SEARCHED_AT_ONCE + 2 * longest);
    for (const { 0: run } of piece.replaceAll("\0", "").toUpperCase().matchAll(RUNS)) {
      for (let from = 0; from < run.length; from++) {
        for (const length of lengths) {
          const id = ids.get(run.slice(from, from + length));
          if (id !== undefined) found.add(id);
        }
      }
    }
    await pause();
  }
}
