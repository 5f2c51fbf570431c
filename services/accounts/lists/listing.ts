// The lists of linked accounts: the owner, the filters and the order. find-linked.ts finds them.
// Unlinked accounts are in no list. By number the oldest come first by default and `_id` breaks
// every tie, so that newly linked accounts do not move pages.

import { DEFAULT_LIMIT } from "../../../shared/contracts/contract.ts";
import type { Params } from "../../../shared/contracts/contracts.ts";
import { EXTERNAL_LIMIT } from "../../../shared/contracts/linked-account-lists.ts";
import { fail, failField } from "../../../shared/errors.ts";
import type { Actor } from "../../../shared/rpc/actions.ts";
import {
  before,
  type CursorMeta,
  cutAt,
  isByCursor,
  type PageMeta,
  pageAt,
} from "../../../shared/storage/paging.ts";
import type { Models } from "../deps.ts";
import type { LinkedAccount } from "../linked-account.model.ts";
import { findLinked } from "./find-linked.ts";
import type { AccountOwner, AccountQuery } from "./plan.ts";

interface Lists {
  models: Pick<Models, "entities" | "linked_accounts">;
}

export interface AccountsPage<M = PageMeta> {
  accounts: LinkedAccount[];
  meta: M;
}

/**
 * A page of the accounts of a business and its end users.
 * @throws BUSINESS_LOOKUP_FAILED, VALIDATION; TOO_BROAD if the search takes too long
 */
export async function listOfBusiness(
  deps: Lists,
  { businessId, entityId, ...asked }: Params<"accounts.linkedAccounts">,
): Promise<AccountsPage<PageMeta | CursorMeta>> {
  const exists = await deps.models.entities.findOne({ _id: businessId, entityType: "BUSINESS" });
  if (!exists) fail("BUSINESS_LOOKUP_FAILED");
  const owner = await narrowOwner(deps, { businessId, entityId }, asked.externalId);
  return isByCursor(asked) ? readNewest(deps, owner, asked) : readNumbered(deps, owner, asked);
}

/**
 * A page of the caller's accounts: a user's own, or those of a merchant's end users.
 * @throws VALIDATION; TOO_BROAD if the search takes too long
 */
export async function listOfCaller(
  deps: Lists,
  { sub, role }: Actor,
  asked: Params<"accounts.externalLinkedAccounts">,
): Promise<AccountsPage> {
  const { externalId, limit = EXTERNAL_LIMIT } = asked;
  const owner =
    role === "merchant"
      ? await narrowOwner(deps, { businessId: sub, entityType: "USER" }, externalId)
      : await findOwner(deps, sub, externalId);
  return readNumbered(deps, owner, { ...asked, limit });
}

/** The owner, restricted to this external identifier; null if there is none. */
async function narrowOwner(
  { models }: Lists,
  owner: AccountOwner,
  externalId: string | undefined,
): Promise<AccountOwner | null> {
  if (externalId === undefined) return owner;
  const { businessId, entityId } = owner;
  const found = await models.entities.findOne({ businessId, externalIdentifier: externalId });
  const isMeant = entityId === undefined || entityId === found?._id;
  return found && isMeant ? { ...owner, entityId: found._id } : null;
}

/** The entity; null if it has another external identifier. */
async function findOwner(
  { models }: Lists,
  entityId: string,
  externalId: string | undefined,
): Promise<AccountOwner | null> {
  const entity = await models.entities.findById(entityId);
  const isMeant = externalId === undefined || externalId === entity?.externalIdentifier;
  return entity && isMeant ? { businessId: entity.businessId, entityId } : null;
}

type Asked = Omit<Params<"accounts.linkedAccounts">, "businessId" | "entityId">;

async function readNumbered(
  deps: Lists,
  owner: AccountOwner | null,
  asked: Asked,
): Promise<AccountsPage> {
  const { skip, limit, meta } = pageAt(asked);
  const { found, total } = await find(deps, owner, { ...asked, skip, limit });
  return { accounts: found, meta: meta(total) };
}

/** A page by cursor, newest first. */
async function readNewest(
  deps: Lists,
  owner: AccountOwner | null,
  { cursor, limit = DEFAULT_LIMIT, ...asked }: Asked,
): Promise<AccountsPage<CursorMeta>> {
  for (const name of ["sortBy", "sortDirection"] as const) {
    if (asked[name] !== undefined) failField(name, "must be left out with order=newest");
  }
  const place = { ids: before(cursor), skip: 0, limit: limit + 1 };
  const { found } = await find(deps, owner, { ...asked, ...place, sortDirection: "DESC" });
  const { documents: accounts, nextCursor } = cutAt(limit, found);
  return { accounts, meta: { nextCursor } };
}

/** @throws VALIDATION if accountType and optionType contradict each other */
function find(
  { models }: Lists,
  owner: AccountOwner | null,
  { accountType, ...asked }: Asked & Pick<AccountQuery, "ids" | "skip" | "limit">,
): ReturnType<typeof findLinked> {
  const { optionType = accountType, sortBy = "createdAt" } = asked;
  if (accountType && accountType !== optionType) {
    failField("accountType", "must be optionType where both are given");
  }
  if (owner === null) return Promise.resolve({ found: [], total: 0 });
  return findLinked(models.linked_accounts, {
    ...asked,
    ...owner,
    ...(optionType && { optionType }),
    sortBy,
  });
}
