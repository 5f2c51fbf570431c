// The end users of a business that have an email. An email names no one end user: several may share
// it, such as a family or an office.

import type { Params } from "../../shared/contracts/contracts.ts";
import { SHARERS_AT_MOST } from "../../shared/contracts/personal-data.ts";
import { IN_ANY_CASE, isSameEmail } from "../../shared/email.ts";
import type { Deps } from "./deps.ts";
import type { Entity } from "./entity.model.ts";

/** @returns the ids of the oldest of them; an erased end user has no email any more */
export async function endUsersWith(
  { models }: Deps,
  { businessId, email }: Params<"accounts.endUsersWith">,
): Promise<string[]> {
  const found = await models.entities.model
    .find({ businessId, entityType: "USER", email }, { email: 1 }, IN_ANY_CASE)
    .sort({ _id: 1 })
    .limit(SHARERS_AT_MOST)
    .readConcern("majority")
    .lean<Pick<Entity, "_id" | "email">[]>();
  return found.filter((each) => isSameEmail(each.email, email)).map(({ _id }) => _id);
}
