// Entities: businesses and their end users. A business is an entity too, and its id is the
// businessId.

import { Schema } from "mongoose";
import { ENTITY_TYPES, type EntityType } from "../../shared/contracts/accounts.ts";
import type { Result } from "../../shared/contracts/contracts.ts";
import { IN_ANY_CASE } from "../../shared/email.ts";
import { whereSet } from "../../shared/storage/indexes.ts";

/**
 * The erasure of an end user (erasure.ts):
 * - checking: nothing is erased; no withdrawal of the end user begins
 * - erasing: the erasure is decided; a repeated request completes it
 * - erased: complete
 */
export interface Erasure {
  /** The request that checks; another request takes over by replacing it. */
  id: string;
  step: "checking" | "erasing" | "erased";
  /** The start of the request, by the database's clock; in the step `erased` the completion. */
  at: Date;
  erased?: Result<"accounts.eraseEntity">["erased"];
}

export interface Entity {
  _id: string;
  /** For a business, its own id. */
  businessId: string;
  entityType: EntityType;
  /** Only businesses have one. */
  name?: string;
  email: string;
  externalIdentifier?: string;
  createdAt: Date;
  /**
   * Only of an end user that is not erased: the keys by which the search finds it
   * (lists/search-keys.ts), and its email and external identifier in the form that searches compare.
   */
  keys?: string[];
  folded?: string[];
  /** Only of an end user. The document stays, because wallets and payouts name it. */
  erasure?: Erasure;
}

export const entitySchema = new Schema<Entity>(
  {
    _id: { type: String, required: true },
    businessId: { type: String, required: true },
    entityType: { type: String, enum: ENTITY_TYPES, required: true },
    name: String,
    email: { type: String, required: true },
    externalIdentifier: String,
    createdAt: { type: Date, required: true },
    keys: { type: [String], default: undefined },
    folded: { type: [String], default: undefined },
    erasure: { type: Schema.Types.Mixed } as never,
  },
  { versionKey: false },
);
// The end users of a business, and their number.
entitySchema.index({ businessId: 1, entityType: 1, _id: 1 });
// All businesses, and their number.
entitySchema.index(
  { entityType: 1, _id: 1 },
  { partialFilterExpression: { entityType: "BUSINESS" } },
);
// One end user of a business by its external identifier, which is unique there.
entitySchema.index(
  { businessId: 1, externalIdentifier: 1 },
  { unique: true, ...whereSet("externalIdentifier") },
);
// The end users of a business with an email.
entitySchema.index(
  { businessId: 1, email: 1, _id: 1 },
  { ...IN_ANY_CASE, partialFilterExpression: { entityType: "USER" } },
);
// The end users of a business by a part of their email or external identifier.
entitySchema.index({ businessId: 1, keys: 1 }, whereSet("keys"));
// The businesses and the end users of all businesses with an email, for operators.
entitySchema.index({ email: 1, _id: -1 }, IN_ANY_CASE);
