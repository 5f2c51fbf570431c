// Businesses and end users. An end user belongs to exactly one business, for good, and is shown to
// no other.

import type { FilterQuery, Model } from "mongoose";
import type { Params, Result } from "../../shared/contracts.ts";
import { isDuplicate } from "../../shared/database.ts";
import { fail } from "../../shared/errors.ts";
import { newId } from "../../shared/ids.ts";
import { oldestFirst } from "../../shared/paging.ts";
import type { ApiClient } from "./api-client.model.ts";
import { createClient } from "./api-clients.ts";
import type { Entity } from "./entity.model.ts";

type Business = Result<"accounts.business">;

/**
 * A business with its first API client. The client is stored first: a business that is there has one,
 * whatever happened in between, and a client of no business is nobody's, its secret never shown.
 */
export async function createBusiness(
  entities: Model<Entity>,
  clients: Model<ApiClient>,
  { name, email }: Params<"accounts.createBusiness">,
): Promise<Result<"accounts.createBusiness">> {
  const id = newId();
  const client = await createClient(clients, { businessId: id });
  const business: Entity = {
    _id: id,
    businessId: id,
    entityType: "BUSINESS",
    name,
    email,
    createdAt: new Date(),
  };
  await entities.create(business);
  const { id: clientId, clientSecret } = client;
  return { ...businessView(business), clientId, clientSecret };
}

/** All businesses, oldest first. */
export async function listBusinesses(
  entities: Model<Entity>,
  paging: Params<"accounts.businesses">,
): Promise<Result<"accounts.businesses">> {
  const { documents, meta } = await oldestFirst(entities, { entityType: "BUSINESS" }, paging);
  return { items: documents.map(businessView), meta };
}

/** @throws BUSINESS_NOT_FOUND */
export async function findBusiness(
  entities: Model<Entity>,
  { businessId }: Params<"accounts.business">,
): Promise<Business> {
  const business = await entities
    .findOne({ _id: businessId, entityType: "BUSINESS" })
    .lean<Entity>();
  return business ? businessView(business) : fail("BUSINESS_NOT_FOUND");
}

/** @throws BUSINESS_NOT_FOUND, DUPLICATE_EXTERNAL_ID */
export async function createEntity(
  entities: Model<Entity>,
  { businessId, email, externalIdentifier }: Params<"accounts.createEntity">,
): Promise<Entity> {
  await requireBusiness(entities, businessId);
  const entity: Entity = {
    _id: newId(),
    businessId,
    entityType: "USER",
    email,
    ...(externalIdentifier !== undefined && { externalIdentifier }),
    createdAt: new Date(),
  };
  try {
    await entities.create(entity);
  } catch (error) {
    if (isDuplicate(error, "externalIdentifier")) fail("DUPLICATE_EXTERNAL_ID");
    throw error;
  }
  return entity;
}

/**
 * An end user of a business, or the business itself.
 * @throws ENTITY_NOT_FOUND where it does not exist, or is another business's
 */
export async function findEntity(
  entities: Model<Entity>,
  { businessId, entityId }: Params<"accounts.entity">,
): Promise<Entity> {
  const entity = await entities.findOne({ _id: entityId, businessId }).lean<Entity>();
  return entity ?? fail("ENTITY_NOT_FOUND");
}

/**
 * The business that an entity belongs to.
 * @throws ENTITY_NOT_FOUND
 */
export async function findBusinessOf(entities: Model<Entity>, entityId: string): Promise<string> {
  const entity = await entities.findById(entityId, { businessId: 1 }).lean<Entity>();
  return entity?.businessId ?? fail("ENTITY_NOT_FOUND");
}

/**
 * The end users of a business, oldest first, so that pages stand still while new ones come.
 * @throws BUSINESS_NOT_FOUND
 */
export async function listEntities(
  entities: Model<Entity>,
  { businessId, externalId, ...paging }: Params<"accounts.entities">,
): Promise<Result<"accounts.entities">> {
  await requireBusiness(entities, businessId);
  const filter: FilterQuery<Entity> = {
    businessId,
    entityType: "USER",
    ...(externalId !== undefined && { externalIdentifier: externalId }),
  };
  const { documents, meta } = await oldestFirst(entities, filter, paging);
  return { items: documents.map(entityView), meta };
}

/** @throws BUSINESS_NOT_FOUND */
export async function requireBusiness(entities: Model<Entity>, businessId: string): Promise<void> {
  const found = await entities.exists({ _id: businessId, entityType: "BUSINESS" });
  if (!found) fail("BUSINESS_NOT_FOUND");
}

function businessView({ _id, name = "", email, createdAt }: Entity): Business {
  return { id: _id, name, email, createdAt: createdAt.toISOString() };
}

export function entityView(entity: Entity): Result<"accounts.entity"> {
  return {
    id: entity._id,
    email: entity.email,
    externalIdentifier: entity.externalIdentifier ?? null,
    entityType: entity.entityType,
    createdAt: entity.createdAt.toISOString(),
  };
}
