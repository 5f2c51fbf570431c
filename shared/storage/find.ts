// Finds things by their ids or by texts, over all businesses, for operators.

import type { mongo } from "mongoose";
import type { ResultOf } from "../contracts/contract.ts";
import { FOUND_AT_MOST, type FOUND_KINDS, type whereIsAction } from "../contracts/find.ts";
import { fail } from "../errors.ts";
import { BROAD_READ_MS, MAJORITY, orTooBroad } from "./database.ts";

export type Found = ResultOf<ReturnType<typeof whereIsAction>>;

/** The fields that lead to a thing. */
type Way = Omit<Found, "kind" | "id">;
const WAY: Record<keyof Way, 1> = { businessId: 1, endpointId: 1, paymentId: 1 };

/** A kind of things, and the collection that has them. */
interface Place {
  kind: (typeof FOUND_KINDS)[number];
  documents: { findOne(filter: object, options: object): Promise<unknown> };
  /** Which of the documents are such things; all of them by default. */
  filter?: object;
}

/**
 * Finds the thing with this id in the collections of a service.
 * @throws NOT_FOUND
 */
export async function findThing(id: string, places: Place[]): Promise<Found> {
  const found = await Promise.all(
    places.map(async ({ kind, documents, filter = {} }): Promise<Found | null> => {
      // Documents without a business are the ledger's own.
      const isTheThing = { ...filter, _id: id, businessId: { $exists: true } };
      const options = { ...MAJORITY, projection: { ...WAY, _id: 0 } };
      const way = (await documents.findOne(isTheThing, options)) as Way | null;
      return way && { kind, id, ...way };
    }),
  );
  return found.find((each) => each !== null) ?? fail("NOT_FOUND");
}

/** Things of a kind that have a text; an index begins with the text's field and ends in `_id`. */
interface PlaceOfText {
  kind: Found["kind"];
  documents: {
    // biome-ignore lint/suspicious/noExplicitAny: collections of every document have it
    find(filter: any, options: object): Pick<mongo.FindCursor<Way & { _id: string }>, "toArray">;
  };
  filter: object;
}

/**
 * Finds the newest things that match, in all places of a service.
 * @throws TOO_BROAD
 */
export async function findThings(places: PlaceOfText[]): Promise<Found[]> {
  const options = {
    ...MAJORITY,
    projection: WAY,
    sort: { _id: -1 },
    limit: FOUND_AT_MOST,
    maxTimeMS: BROAD_READ_MS,
  };
  const found = await orTooBroad(() =>
    Promise.all(
      places.map(async ({ kind, documents, filter }) =>
        (await documents.find(filter, options).toArray()).map(({ _id: id, ...way }) => ({
          kind,
          id,
          ...way,
        })),
      ),
    ),
  );
  return newestOf(found.flat());
}

/** The newest of these things, at most as many as an answer has. Ids rise with time. */
export function newestOf(found: Found[]): Found[] {
  return found.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, FOUND_AT_MOST);
}
