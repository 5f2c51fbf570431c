// Finds the parties by which a list of transactions is filtered: linked accounts by their holder and
// their number, unlinked ones too, and entities by their email and their external identifier.

import type { FilterQuery, Model, QueryOptions } from "mongoose";
import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { FOUND_AT_MOST } from "../../../shared/contracts/parties.ts";
import { CURRENCIES } from "../../../shared/money.ts";
import {
  BROAD_READ_MS,
  inOneReply,
  isExpired,
  orTooBroad,
} from "../../../shared/storage/database.ts";
import { exactPattern } from "../../../shared/texts.ts";
import type { Deps } from "../deps.ts";
import type { Entity } from "../entity.model.ts";
import { INDEXES, type LinkedAccount, OF_ENTITY } from "../linked-account.model.ts";
import { findRarest } from "./find-linked.ts";
import { buildFilters, drivenBy } from "./plan.ts";
import { emailAsStored, fold, keyOf, listName, UNLINKED } from "./search-keys.ts";

/** Filters are counted up to these numbers, because accounts that many match need not be found. */
const WORTH_COUNTING = [1_000, 10_000];
/** A longer search is given up; then the transactions are read, and their parties checked. */
const FOUND_WITHIN_MS = 500;

const LISTS = [...CURRENCIES, UNLINKED] as const;

type Asked = Params<"accounts.findParties">;
type Parties = Result<"accounts.findParties">;

/**
 * The ids that match. Null: more match than an answer has, or the search was given up. Undefined:
 * every id matches.
 */
type Ids = string[] | null | undefined;

/** @throws TOO_BROAD if the search takes too long */
export function findParties(deps: Pick<Deps, "models">, asked: Asked): Promise<Parties> {
  const find = asked.externalId === undefined ? findAmongAll : findOfOne;
  return orTooBroad(() => find(deps, asked));
}

/** The transactions of the entity with an external identifier, which is an end user. */
async function findOfOne({ models }: Pick<Deps, "models">, asked: Asked): Promise<Parties> {
  const { businessId, externalId, email, ...holder } = asked;
  const owner = { businessId, externalIdentifier: externalId };
  const user = await models.entities.findOne(owner);
  if (user === null) return { alternatives: [], isOfBusiness: false };
  // Without its own email the entity's transactions match by the holder's.
  const isFound = email === undefined || hasEmail(user, email);
  const wanted = { businessId, ...holder, ...(!isFound && { email }) };
  const linkedAccountIds = await findAccounts(models, wanted, [user._id]);
  const alternatives = tell([{ entityIds: [user._id], linkedAccountIds }]);
  return { alternatives, isOfBusiness: false };
}

async function findAmongAll({ models }: Pick<Deps, "models">, asked: Asked): Promise<Parties> {
  const { email, ...holder } = asked;
  if (email === undefined) {
    const linkedAccountIds = await findAccounts(models, asked);
    return { alternatives: tell([{ linkedAccountIds }]), isOfBusiness: false };
  }
  const [ofHolders, ofAnyEntity, business] = await Promise.all([
    findAccounts(models, asked),
    findAccounts(models, holder),
    models.entities.findById(asked.businessId),
  ]);
  // An end user pays only its own accounts, and the business those of all.
  const owners = ofAnyEntity ? await ownersOf(models, ofAnyEntity) : undefined;
  const users = await findUsers(models, asked, email, owners);
  const ofUsers =
    users && ofAnyEntity === null ? await findAccounts(models, holder, users) : ofAnyEntity;
  const isOfBusiness = business !== null && hasEmail(business, email);
  return {
    alternatives: tell([
      { linkedAccountIds: ofHolders },
      { linkedAccountIds: ofUsers, entityIds: users },
      ...(isOfBusiness ? [{ linkedAccountIds: ofAnyEntity, entityIds: [asked.businessId] }] : []),
    ]),
    isOfBusiness: isOfBusiness && ofAnyEntity === undefined,
  };
}

/** Leaves out what matches nothing. */
function tell(found: { linkedAccountIds?: Ids; entityIds?: Ids }[]): Parties["alternatives"] {
  const isEmpty = (ids: Ids) => ids?.length === 0;
  const matching = found.filter(
    ({ linkedAccountIds, entityIds }) => !isEmpty(linkedAccountIds) && !isEmpty(entityIds),
  );
  return matching.some((each) => Object.values(each).includes(null))
    ? null
    : (matching as NonNullable<Parties["alternatives"]>);
}

function hasEmail(entity: Entity, part: string): boolean {
  return fold(entity.email).includes(fold(emailAsStored(part)));
}

/**
 * The accounts with the wanted holders and numbers.
 * @param owners only the accounts of these entities, which pay no others
 */
async function findAccounts(
  { linked_accounts: accounts }: Deps["models"],
  { businessId, search, email, last4, amongAccounts }: Asked,
  owners?: string[],
): Promise<Ids> {
  const filters = buildFilters({ search, email, last4 });
  if (filters.length === 0) return undefined;
  const read = (query: FilterQuery<LinkedAccount>, hint: Record<string, 1 | -1>) =>
    readIds(accounts, query, { hint, maxTimeMS: BROAD_READ_MS });
  const checks = Object.assign({ businessId }, ...filters.map(({ check }) => check));
  if (amongAccounts !== undefined) {
    const isOwned = owners === undefined ? {} : { entityId: { $in: owners } };
    return read({ ...checks, ...isOwned, _id: { $in: amongAccounts } }, { _id: 1 });
  }
  if (owners !== undefined) return read({ ...checks, entityId: { $in: owners } }, OF_ENTITY);
  const lists = { $in: LISTS.map((each) => listName(businessId, each)) };
  return orNull(async () => {
    const driver = await findRarest(
      accounts,
      lists,
      filters,
      () => FOUND_WITHIN_MS,
      WORTH_COUNTING,
    );
    const query = drivenBy(lists, filters, driver);
    return readIds(accounts, query, { hint: INDEXES.keys, maxTimeMS: FOUND_WITHIN_MS });
  });
}

async function readIds<T extends { _id: string }>(
  model: Model<T>,
  query: FilterQuery<T>,
  options: QueryOptions<T>,
): Promise<string[] | null> {
  const limit = FOUND_AT_MOST + 1;
  const found = await model
    .find(query, { _id: 1 }, { ...options, ...inOneReply(limit), limit })
    .lean<Pick<T, "_id">[]>();
  return found.length > FOUND_AT_MOST ? null : found.map(({ _id }) => _id);
}

/** Null if the database ends a read after its time. */
async function orNull<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (isExpired(error)) return null;
    throw error;
  }
}

async function ownersOf({ linked_accounts: accounts }: Deps["models"], ids: string[]) {
  return accounts.distinct("entityId", { _id: { $in: ids } });
}

/**
 * The end users with this text in their email.
 * @param owners only these entities
 */
async function findUsers(
  { entities }: Deps["models"],
  { businessId, amongEntities }: Asked,
  email: string,
  owners = amongEntities,
): Promise<string[] | null> {
  const part = fold(emailAsStored(email));
  // The first of the two texts is the email.
  const hasPart = { businessId, "folded.0": { $regex: exactPattern(part) } };
  const find = (among: FilterQuery<Entity>, maxTimeMS: number) =>
    readIds(entities.model, { ...hasPart, ...among }, { maxTimeMS });
  if (owners !== undefined) return find({ _id: { $in: owners } }, BROAD_READ_MS);
  const keys = { $regex: `^${exactPattern(keyOf(part).key)}` };
  return orNull(() => find({ keys }, FOUND_WITHIN_MS));
}
