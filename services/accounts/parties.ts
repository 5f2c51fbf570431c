// The parties of transactions: the recipients of payouts by their linked accounts, unlinked ones
// too, and the entities that the transactions belong to. An erased one is left out.

import type { Params, Result } from "../../shared/contracts/contracts.ts";
import type { InternationalData } from "../../shared/contracts/international-data.ts";
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

const PAID = { counterPartyName: 1, counterPartyEmail: 1, bankName: 1, optionType: 1, sealed: 1 };

/**
 * The holders and banks of linked accounts, in the order of the ids; null for an erased one, and for
 * one that cannot be opened.
 */
export async function readPayees(
  { models, opener }: Pick<Deps, "models" | "opener">,
  { linkedAccountIds }: Params<"accounts.payees">,
): Promise<Result<"accounts.payees">> {
  type Paid = Pick<LinkedAccount, "_id" | keyof typeof PAID>;
  const found = await models.linked_accounts
    .find({ _id: { $in: linkedAccountIds }, erasedAt: null }, PAID)
    .readConcern("majority")
    .lean<Paid[]>();
  const byId = new Map(found.map((account) => [account._id, account]));
  return linkedAccountIds.map((id) => {
    const account = byId.get(id);
    if (!account) return null;
    const { counterPartyName: name, counterPartyEmail: email, bankName = null } = account;
    const payee = { name, email, bankName };
    if (account.optionType === "bank") return { ...payee, country: "US" };
    if (account.optionType !== "international_bank") return { ...payee, country: null };
    const data = opener.open(account) as InternationalData | null;
    return data && { ...payee, country: data.recipientCountry };
  });
}
