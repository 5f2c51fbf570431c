// Finds things by their ids, over all businesses, for operators.

import type { ResultOf } from "../contracts/contract.ts";
import type { FOUND_KINDS, whereIsAction } from "../contracts/find.ts";
import { fail } from "../errors.ts";
import { MAJORITY } from "./database.ts";

type Found = ResultOf<ReturnType<typeof whereIsAction>>;

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
