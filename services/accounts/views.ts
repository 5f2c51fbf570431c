// The two views of linked accounts (docs/rest-api.md, Linked account views): the business view with
// wallets, owners and application tokens, each read once for a whole page, and the external view.

import { type Caller, call } from "../../shared/actions.ts";
import type { Result } from "../../shared/contracts.ts";
import type { Config } from "../../shared/env.ts";
import type { Records } from "../../shared/records.ts";
import { type Details, detailsOf, masked } from "./account-details.ts";
import type { ApplicationToken } from "./application-token.model.ts";
import { tokenView } from "./application-tokens.ts";
import { entityView } from "./entities.ts";
import type { Entity } from "./entity.model.ts";
import type { LinkedAccount } from "./linked-account.model.ts";
import type { Opener } from "./opening.ts";

type BusinessItem = Result<"accounts.linkedAccounts">["items"][number];
type ExternalItem = Result<"accounts.externalLinkedAccounts">["items"][number];

interface Models {
  entities: Records<Entity>;
  application_tokens: Records<ApplicationToken>;
}

/** The business view of accounts; balances are read from the ledger now. */
export async function businessViews(
  config: Config,
  opener: Opener,
  models: Models,
  caller: Caller,
  accounts: LinkedAccount[],
): Promise<BusinessItem[]> {
  const [wallets, entities, applications] = await Promise.all([
    walletsOf(caller, accounts),
    entitiesOf(models.entities, accounts),
    applicationsOf(models.application_tokens, accounts),
  ]);
  return accounts.map((account) => {
    const details = openDetails(config, opener, account);
    return {
      ...ofBothViews(account),
      nickName: account.nickName ?? null,
      updatedAt: account.updatedAt.toISOString(),
      ...details,
      wallet: found(wallets, account.walletId),
      entity: found(entities, account.entityId),
      application: applications.get(account.applicationTokenId ?? "") ?? null,
    };
  });
}

/** The external view of accounts, with masked numbers. */
export function externalViews(
  config: Config,
  opener: Opener,
  accounts: LinkedAccount[],
): ExternalItem[] {
  return accounts.map((account) => ({
    ...ofBothViews(account),
    nickName: account.nickName ?? "",
    ...masked(openDetails(config, opener, account)),
  }));
}

/** Opens the sealed data; null fields if that fails. */
function openDetails(config: Config, opener: Opener, account: LinkedAccount): Details {
  const data = opener.open(account);
  return data ? detailsOf(config, account, data) : { account: null, recipientData: null };
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

/** Reads all their wallets in one call. */
async function walletsOf(caller: Caller, accounts: LinkedAccount[]): Promise<ById<"wallet">> {
  const ids = [...new Set(accounts.map(({ walletId }) => walletId))];
  const wallets = ids.length > 0 ? await call(caller, "wallet-ledger.wallets", { ids }) : [];
  return new Map(wallets.map(({ id, balance, disabled }) => [id, { id, balance, disabled }]));
}

async function entitiesOf(
  entities: Records<Entity>,
  accounts: LinkedAccount[],
): Promise<ById<"entity">> {
  const ids = new Set(accounts.map(({ entityId }) => entityId));
  if (ids.size === 0) return new Map();
  const owners = await entities.findByIds([...ids]);
  return new Map(
    owners
      .map(entityView)
      .map(({ id, email, externalIdentifier, entityType }) => [
        id,
        { id, email, externalIdentifier, entityType },
      ]),
  );
}

async function applicationsOf(
  tokens: Records<ApplicationToken>,
  accounts: LinkedAccount[],
): Promise<ById<"application">> {
  const ids = new Set(accounts.flatMap(({ applicationTokenId }) => applicationTokenId ?? []));
  if (ids.size === 0) return new Map();
  const linking = await tokens.findByIds([...ids]);
  return new Map(
    linking
      .map(tokenView)
      .map(({ id, token, tokenType, expiredAt, valid }) => [
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
