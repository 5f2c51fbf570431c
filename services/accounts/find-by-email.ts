// Finds businesses, end users and linked accounts by an email, over all businesses, for operators.

import type { Params } from "../../shared/contracts/contracts.ts";
import { FOUND_AT_MOST } from "../../shared/contracts/find.ts";
import { IN_ANY_CASE, isSameEmail, readStoredEmail } from "../../shared/email.ts";
import { BROAD_READ_MS, orTooBroad } from "../../shared/storage/database.ts";
import { type Found, newestOf } from "../../shared/storage/find.ts";
import type { Deps } from "./deps.ts";

const OPTIONS = { ...IN_ANY_CASE, maxTimeMS: BROAD_READ_MS };

/**
 * The newest that have the email, in any case; unlinked accounts too. Another text finds nothing.
 * @throws TOO_BROAD
 */
export async function findByEmail(
  { models }: Deps,
  { text }: Params<"accounts.whereAre">,
): Promise<Found[]> {
  const email = readStoredEmail(text);
  if (typeof email !== "string") return [];
  const [entities, accounts] = await orTooBroad(() =>
    Promise.all([
      models.entities.model
        .find({ email }, { businessId: 1, entityType: 1, email: 1 }, OPTIONS)
        .sort({ _id: -1 })
        .limit(FOUND_AT_MOST)
        .readConcern("majority")
        .lean(),
      models.linked_accounts
        .find({ counterPartyEmail: email }, { businessId: 1, counterPartyEmail: 1 }, OPTIONS)
        .sort({ _id: -1 })
        .limit(FOUND_AT_MOST)
        .readConcern("majority")
        .lean(),
    ]),
  );
  return newestOf([
    ...entities
      .filter((each) => isSameEmail(each.email, email))
      .map(({ _id: id, businessId, entityType }) => {
        const kind = entityType === "BUSINESS" ? ("business" as const) : ("entity" as const);
        return { kind, id, businessId };
      }),
    ...accounts
      .filter(({ counterPartyEmail }) => isSameEmail(counterPartyEmail, email))
      .map(({ _id: id, businessId }) => ({ kind: "linked-account" as const, id, businessId })),
  ]);
}
