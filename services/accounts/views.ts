// The two views of linked accounts (docs/integrate/rest-api.md, Linked account views): the business
// view with wallets, owners and application tokens, each read once for a whole page, and the
// external view.

import { type Caller, call } from "../../shared/rpc/actions.ts";
import {
  type BusinessItem,
  type Details,
  type ExternalItem,
  formatDetails,
  masked,
} from "./account-details.ts";
import { tokenView } from "./application-tokens.ts";
import type { Deps } from "./deps.ts";
import { entityView } from "./entities.ts";
import type { LinkedAccount } from "./linked-account.model.ts";

/** The business view of accounts; balances are read from the ledger now. */
export async function businessViews(
  deps: Deps,
  caller: Caller,
  accounts: LinkedAccount[],
): Promise<BusinessItem[]> {
  if (accounts.length === 0) return [];
  const [wallets, entities, applications] = await Promise.all([
    readWallets(caller, accounts),
    readEntities(deps, accounts),
    readApplications(deps, accounts),
  ]);
  return accounts.map((account) => ({
    ...ofBothViews(account),
    nickName: account.nickName ?? null,
    updatedAt: account.updatedAt.toISOString(),
    ...openDetails(deps, account),
    wallet: found(wallets, account.walletId),
    entity: found(entities, account.entityId),
    application: applications.get(account.applicationTokenId ?? "") ?? null,
  }));
}

export function externalViews(deps: Deps, accounts: LinkedAccount[]): ExternalItem[] {
  return accounts.map((account) => ({
    ...ofBothViews(account),
    nickName: account.nickName ?? "",
    ...masked(openDetails(deps, account)),
  }));
}

/** Opens the sealed data; null fields if that fails. */
function openDetails({ config, opener }: Deps, account: LinkedAccount): Details {
  const data = opener.open(account);
  return data ? formatDetails(config, account, data) : { account: null, recipientData: null };
}

function ofBothViews(account: LinkedAccount) {
  const { currency, optionType, counterPartyName, counterPartyEmail } = account;
  return {
    id: account._id,
    currency,
    optionType,
    counterPartyName,
    counterPartyEmail,
    counterPublicPartyEmail: account.counterPublicPartyEmail ?? null,
    createdAt: account.createdAt.toISOString(),
  };
}

type ById<K extends "wallet" | "entity" | "application"> = Map<
  string,
  NonNullable<BusinessItem[K]>
>;

async function readWallets(caller: Caller, accounts: LinkedAccount[]): Promise<ById<"wallet">> {
  const ids = [...new Set(accounts.map(({ walletId }) => walletId))];
  const wallets = await call(caller, "wallet-ledger.wallets", { ids });
  return new Map(wallets.map(({ id, balance, disabled }) => [id, { id, balance, disabled }]));
}

async function readEntities({ models }: Deps, accounts: LinkedAccount[]): Promise<ById<"entity">> {
  const ids = new Set(accounts.map(({ entityId }) => entityId));
  const owners = (await models.entities.findByIds([...ids])).map(entityView);
  return new Map(
    owners.map(({ id, entityType, email, externalIdentifier }) => [
      id,
      { id, entityType, email, externalIdentifier },
    ]),
  );
}

async function readApplications(
  { models, clock }: Deps,
  accounts: LinkedAccount[],
): Promise<ById<"application">> {
  const ids = new Set(accounts.flatMap(({ applicationTokenId }) => applicationTokenId ?? []));
  if (ids.size === 0) return new Map();
  const linking = (await models.application_tokens.findByIds([...ids])).map((token) =>
    tokenView(token, clock.now()),
  );
  return new Map(
    linking.map(({ id, token, tokenType, expiredAt, valid }) => [
      id,
      { id, token, tokenType, expiredAt, valid },
    ]),
  );
}

/** Wallets and entities are never deleted: a missing one is an internal error. */
function found<T>(byId: Map<string, T>, id: string): T {
  const value = byId.get(id);
  if (value === undefined) throw new Error(`${id} is named by a linked account and does not exist`);
  return value;
}
