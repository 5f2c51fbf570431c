// Businesses and end users. An end user belongs to exactly one business for good, and no other
// business sees it.

import type { FilterQuery } from "mongoose";
import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { fail } from "../../shared/errors.ts";
import { idAfter } from "../../shared/ids.ts";
import type { Creation } from "../../shared/rpc/actions.ts";
import { BROAD_READ_MS, orTooBroad } from "../../shared/storage/database.ts";
import { readPage } from "../../shared/storage/paging.ts";
import { exactPattern } from "../../shared/texts.ts";
import { createClient } from "./api-clients.ts";
import { frozenAmong } from "./controls.ts";
import type { Deps } from "./deps.ts";
import type { Entity } from "./entity.model.ts";
import { emailAsStored, findableEntity, fold, keyOf } from "./lists/search-keys.ts";

type Business = Result<"accounts.business">;
type EntityView = Result<"accounts.entity">;

/**
 * Creates a business with its first API client. The client is stored first, so that every stored
 * business has a client even after a crash. A client without a business is harmless: its secret was
 * never shown.
 * @throws VALIDATION
 */
export async function createBusiness(
  deps: Deps,
  { name, email }: Params<"accounts.createBusiness">,
  { id, ...creation }: Creation,
): Promise<Result<"accounts.createBusiness">> {
  const { models, clock } = deps;
  const client = await createClient(deps, { businessId: id }, { ...creation, id: idAfter(id, 1) });
  const business = await models.entities.create({
    _id: id,
    businessId: id,
    entityType: "BUSINESS",
    name,
    email,
    createdAt: new Date(clock.now()),
  });
  const { id: clientId, clientSecret } = client;
  return { ...businessView(business), clientId, clientSecret };
}

export async function listBusinesses(
  { models }: Deps,
  paging: Params<"accounts.businesses">,
): Promise<Result<"accounts.businesses">> {
  const { documents, meta } = await models.entities.list({ entityType: "BUSINESS" }, paging);
  return { items: documents.map(businessView), meta };
}

/** @throws BUSINESS_NOT_FOUND */
export async function findBusiness(
  { models }: Deps,
  { businessId }: Params<"accounts.business">,
): Promise<Business> {
  const business = await models.entities.findOne({ _id: businessId, entityType: "BUSINESS" });
  return business ? businessView(business) : fail("BUSINESS_NOT_FOUND");
}

/** @throws BUSINESS_NOT_FOUND, DUPLICATE_EXTERNAL_ID */
export async function createEntity(
  deps: Deps,
  { businessId, email, externalIdentifier }: Params<"accounts.createEntity">,
  { id }: Pick<Creation, "id">,
): Promise<EntityView> {
  await findBusiness(deps, { businessId });
  const { models, clock } = deps;
  const entity = await models.entities.create({
    _id: id,
    businessId,
    entityType: "USER",
    email,
    ...(externalIdentifier !== undefined && { externalIdentifier }),
    createdAt: new Date(clock.now()),
    ...findableEntity({ email, externalIdentifier }),
  });
  return { ...entityView(entity), frozen: false };
}

/**
 * An end user of a business, or the business itself.
 * @throws ENTITY_NOT_FOUND if it does not exist or belongs to another business
 */
export async function findEntity(
  deps: Deps,
  { businessId, entityId }: Params<"accounts.entity">,
): Promise<EntityView> {
  const entity = await deps.models.entities.findOne({ _id: entityId, businessId });
  const [view] = await withFreezes(deps, entity ? [entity] : []);
  return view ?? fail("ENTITY_NOT_FOUND");
}

async function withFreezes(deps: Deps, entities: Entity[]): Promise<EntityView[]> {
  const frozen = await frozenAmong(
    deps,
    entities.map(({ _id }) => _id),
  );
  return entities.map((each) => ({ ...entityView(each), frozen: frozen.has(each._id) }));
}

/** Matches an entity that is neither erased nor being erased; new requests need such an entity. */
export const PRESENT = { erasure: { $exists: false } };

/** @throws ENTITY_NOT_FOUND */
export async function findOwningBusiness(
  { models }: Deps,
  { entityId }: Params<"accounts.businessOf">,
): Promise<Result<"accounts.businessOf">> {
  const entity = await models.entities.findOne({ _id: entityId, ...PRESENT });
  const { businessId } = entity ?? fail("ENTITY_NOT_FOUND");
  return { businessId };
}

/** @throws BUSINESS_NOT_FOUND; TOO_BROAD if the search takes too long */
export async function listEntities(
  deps: Deps,
  { businessId, externalId, search = "", ...paging }: Params<"accounts.entities">,
): Promise<Result<"accounts.entities">> {
  await findBusiness(deps, { businessId });
  const filter: FilterQuery<Entity> = {
    businessId,
    entityType: "USER",
    ...(externalId !== undefined && { externalIdentifier: externalId }),
    ...searchFilter(search),
  };
  const options = { projection: { keys: 0, folded: 0 }, maxTimeMS: BROAD_READ_MS };
  const { documents, meta } = await orTooBroad(() =>
    readPage(deps.models.entities.model, filter, paging, options),
  );
  return { items: await withFreezes(deps, documents), meta };
}

/** Matches end users with this text in their email or external identifier. */
function searchFilter(search: string): FilterQuery<Entity> {
  const part = fold(emailAsStored(search));
  if (part === "") return {};
  const { key, isWhole } = keyOf(part);
  return {
    keys: { $regex: `^${exactPattern(key)}` },
    ...(!isWhole && { folded: { $regex: exactPattern(part) } }),
  };
}

function businessView({ _id, name = "", email, createdAt }: Entity): Business {
  return { id: _id, name, email, createdAt: createdAt.toISOString() };
}

export function entityView(entity: Entity): EntityView {
  return {
    id: entity._id,
    email: entity.email,
    externalIdentifier: entity.externalIdentifier ?? null,
    entityType: entity.entityType,
    createdAt: entity.createdAt.toISOString(),
    ...(entity.erasure?.step === "erased" && { erasedAt: entity.erasure.at.toISOString() }),
  };
}
