// The requests that lists show as transactions of a wallet's owner: fundings, adjustments and
// transfers between wallets, each kind in a collection of its own with the same indexes.

import type { SchemaDefinition } from "mongoose";
import { resumableSchema } from "../../shared/resumable/schema.ts";
import { type Referenced, referencedFields } from "./referenced.model.ts";

export interface WalletTransaction extends Referenced {
  /** The owner of the wallet. */
  entityId: string;
}

/**
 * The requests that lists show. A declined one that has freed its reference has moved nothing.
 */
export const VISIBLE = { reference: { $exists: true } } as const;

/** The transactions of a business, newest first, all and by each filter. */
export const OF_BUSINESS = { businessId: 1, _id: -1 } as const;
export const BY_STATUS = { businessId: 1, status: 1, _id: -1 } as const;
export const BY_ENTITY = { businessId: 1, entityId: 1, _id: -1 } as const;
/** The transactions with a reference, of one business and of all. */
export const BY_REFERENCE = { reference: 1, businessId: 1, _id: -1 } as const;
export const BY_AMOUNT = { businessId: 1, amountMinor: 1, _id: -1 } as const;
export const FLAGGED_OF_BUSINESS = { businessId: 1, needsAttention: 1, _id: -1 } as const;

/**
 * @param fields the collection's own fields of filters and indexes
 * @param options of the indexes of lists
 */
export function transactionSchema<T extends WalletTransaction>(
  fields: SchemaDefinition = {},
  options: { partialFilterExpression?: object } = { partialFilterExpression: VISIBLE },
) {
  const schema = resumableSchema<T>({ ...referencedFields, entityId: String, ...fields } as never);
  for (const index of [OF_BUSINESS, BY_STATUS, BY_ENTITY, BY_REFERENCE, BY_AMOUNT]) {
    schema.index(index, options);
  }
  schema.index(FLAGGED_OF_BUSINESS, { partialFilterExpression: { needsAttention: true } });
  return schema;
}
