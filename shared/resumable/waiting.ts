// Counts the documents whose outcome a partner has not told payrail yet.

import type { mongo } from "mongoose";
import { WAITING_AT_MOST, type waiting } from "../contracts/partners.ts";
import { isoOrNull } from "../iso-time.ts";
import { MAJORITY } from "../storage/database.ts";
import type { Resumable } from "./document.ts";
import { WAITING_INDEX } from "./schema.ts";

type Waiting = NonNullable<typeof waiting.type>[number];

/**
 * Counts the documents of a kind that wait for a partner, up to a bound.
 * @param by the field that names the partner
 * @param asking the steps that ask it; at the others something else has no known outcome
 */
export async function readWaiting<T extends Resumable>(
  kind: Waiting["kind"],
  documents: mongo.Collection<T>,
  by: keyof typeof WAITING_INDEX,
  name: string,
  asking: T["step"][],
): Promise<Waiting> {
  const [found] = await documents
    .aggregate<{ count: number; since: number }>(
      [
        { $match: { [by]: name, unknownSince: { $gte: 0 }, step: { $in: asking } } },
        { $sort: { unknownSince: 1 } },
        { $limit: WAITING_AT_MOST },
        { $group: { _id: null, count: { $sum: 1 }, since: { $first: "$unknownSince" } } },
      ],
      { ...MAJORITY, hint: WAITING_INDEX[by] },
    )
    .toArray();
  const { count = 0, since } = found ?? {};
  return { kind, count, since: isoOrNull(since) };
}
