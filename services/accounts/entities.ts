// Businesses and end users. An end user belongs to exactly one business for good, and no other
// business sees it.

import type { FilterQuery } from "mongoose";
import type { Params, Result } from "../../shared/contracts.ts";
import { fail } from "../../shared/errors.ts";
import { newId } from "../../shared/ids.ts";
import type { Records } from "../../shared/records.ts";
import type { ApiClient } from "./api-client.model.ts";
import { createClient } from "./api-clients.ts";
import type { Entity } from "./entity.model.ts";

type Business = Result<"accounts.business">;

/**
 * Creates a business with its first API client. The client is stored first, so that every stored
 * business has a client even after a crash. A client without a business is harmless: its secret was
 * never shown.
 * @throws VALIDATION
 */
export async function createBusiness(
  entities: Records<Entity>,
  clients: Records<ApiClient>,
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
  entities: Records<Entity>,
  paging: Params<"accounts.businesses">,
): Promise<Result<"accounts.businesses">> {
  const { documents, meta } = await entities.list({ entityType: "BUSINESS" }, paging);
  return { items: documents.map(businessView), meta };
}

/** @throws BUSINESS_NOT_FOUND */
export async function findBusiness(
  entities: Records<Entity>,
  { businessId }: Params<"accounts.business">,
): Promise<Business> {
  const business = await entities.findOne({ _id: businessId, entityType: "BUSINESS" });
  return business ? businessView(business) : fail("BUSINESS_NOT_FOUND");
}

/** @throws BUSINESS_NOT_FOUND, DUPLICATE_EXTERNAL_ID */
export async function createEntity(
  entities: Records<Entity>,
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
  await entities.create(entity);
  return entity;
}

/**
 * An end user of a business, or the business itself.
 * @throws ENTITY_NOT_FOUND if it does not exist or belongs to another business
 */
export async function findEntity(
  entities: Records<Entity>,
  { businessId, entityId }: Params<"accounts.entity">,
): Promise<Entity> {
  const entity = await entities.findOne({ _id: entityId, businessId });
  return entity ?? fail("ENTITY_NOT_FOUND");
}

/**
 * The business that an entity belongs to.
 * @throws ENTITY_NOT_FOUND
 */
export async function findBusinessOf(entities: Records<Entity>, entityId: string): Promise<string> {
  const entity = await entities.findById(entityId);
  return entity?.businessId ?? fail("ENTITY_NOT_FOUND");
}

/**
 * The end users of a business, oldest first, so that new ones do not move pages.
 * @throws BUSINESS_NOT_FOUND
 */
export async function listEntities(
  entities: Records<Entity>,
  { businessId, externalId, ...paging }: Params<"accounts.entities">,
): Promise<Result<"accounts.entities">> {
  await requireBusiness(entities, businessId);
  const filter: FilterQuery<Entity> = {
    businessId,
    entityType: "USER",
    ...(externalId !== undefined && { externalIdentifier: externalId }),
  };
  const { documents, meta } = await entities.list(filter, paging);
  return { items: documents.map(entityView), meta };
}

/** @throws BUSINESS_NOT_FOUND */
export async function requireBusiness(
  entities: Records<Entity>,
  businessId: string,
): Promise<void> {
  const found = await entities.findOne({ _id: businessId, entityType: "BUSINESS" });
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
