// Finds the payments and batches whose ids stand in a file that cannot be read, by the ids that the
// books have: the file may be about them, so an operator looks before payrail believes another end.

import { setImmediate as pause } from "node:timers/promises";
import type { Deps } from "./deps.ts";

const DAY_MS = 86_400_000;
/** Beside the return window, for the days until the settlement. */
const SETTLED_WITHIN_DAYS = 31;
const PAYMENTS_AT_ONCE = 20_000;
/** The characters that are searched without a pause for the service's other work. */
const SEARCHED_AT_ONCE = 200_000;
/** What an id is made of. */
const RUNS = /[0-9A-Z-]+/g;

/**
 * @returns the ids of payments and batches, each once. A batch stands for all of its payments: a file
 *   that is cut off may have named others of them
 */
export async function findNames({ books, settings, now }: Deps, bytes: Buffer): Promise<string[]> {
  const text = bytes.toString("latin1").toUpperCase();
  const found = new Set<string>();
  const since = now() - (settings.returnWindowDays + SETTLED_WITHIN_DAYS) * DAY_MS;
  for await (const { _id } of books.batches.find({ closedAt: { $gte: since } })) {
    if (text.includes(_id)) found.add(_id);
  }
  const open = { at: { $gte: since }, state: { $in: ["batched" as const, "settled" as const] } };
  const payments = books.payments.find(open, { projection: { shortId: 1 } });
  let ids = new Map<string, string>();
  for await (const { _id, shortId } of payments) {
    ids.set(_id.toUpperCase(), _id).set(shortId.toUpperCase(), _id);
    if (ids.size < PAYMENTS_AT_ONCE) continue;
    await search(text, ids, found);
    ids = new Map();
  }
  await search(text, ids, found);
  return [...found];
}

/** Adds each id that stands anywhere in the text: fields of fixed width stand without a gap. */
async function search(text: string, ids: Map<string, string>, found: Set<string>): Promise<void> {
  const lengths = [...new Set([...ids.keys()].map(({ length }) => length))];
  let searched = 0;
  for (const { 0: run } of text.matchAll(RUNS)) {
    for (let from = 0; from < run.length; from++) {
      if (++searched % SEARCHED_AT_ONCE === 0) await pause();
      for (const length of lengths) {
        const id = ids.get(run.slice(from, from + length));
        if (id !== undefined) found.add(id);
      }
    }
  }
}
