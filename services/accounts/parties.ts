// The parties of transactions: the recipients of payouts by their linked accounts, unlinked ones
// too, and the entities that the transactions belong to. An erased one is left out.

import type { Params, Result } from "../../shared/contracts/contracts.ts";
import type { Deps } from "./deps.ts";
import { entityView } from "./entities.ts";
import type { LinkedAccount } from "./linked-account.model.ts";

/** The fields of an account that a transaction shows. */
const SHOWN = { counterPartyName: 1, counterPartyEmail: 1, lastFour: 1, bankName: 1 } as const;

export async function readParties(
  { models }: Pick<Deps, "models">,
  { linkedAccountIds, entityIds }: Params<"accounts.parties">,
): Promise<Result<"accounts.parties">> {
  const [accounts, entities] = await Promise.all([
    models.linked_accounts
      .find({ _id: { $in: linkedAccountIds }, erasedAt: null }, SHOWN)
      .readConcern("majority")
      .lean<Pick<LinkedAccount, "_id" | keyof typeof SHOWN>[]>(),
    models.entities.findByIds(entityIds),
  ]);
  return {
    recipients: accounts.map((account) => ({
      id: account._id,
      name: account.counterPartyName,
      email: account.counterPartyEmail,
      lastFour: account.lastFour,
      bankName: account.bankName ?? null,
    })),
    entities: entities
      .map(entityView)
      .filter(({ erasedAt }) => erasedAt === undefined)
      .map(({ id, email, externalIdentifier }) => ({ id, email, externalIdentifier })),
  };
}
