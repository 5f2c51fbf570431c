// The mongoose schemas of collections of resumable documents, with the indexes that all of them
// have.

import { Schema, type SchemaDefinition } from "mongoose";
import { whereSet } from "../storage/indexes.ts";
import type { Resumable } from "./document.ts";

/** The index of the documents that are due some time, which the sweeps of the driver read. */
export const DUE_INDEX = { nextAttemptAt: 1 } as const;
/** The index of the admins' list of flagged documents of all businesses. */
export const ATTENTION_INDEX = { needsAttention: 1, _id: 1 } as const;
/**
 * The indexes of the documents with an unknown outcome, by the field that names their partner. Few
 * documents are in them, so they cost the others nothing.
 */
export const WAITING_INDEX = {
  rail: { rail: 1, unknownSince: 1 },
  acquirer: { acquirer: 1, unknownSince: 1 },
} as const;

/**
 * Makes a schema. Only the fields of filters and indexes are typed: documents are read and written
 * as they are.
 * @param fields the collection's own fields of filters and indexes
 */
export function resumableSchema<T extends Resumable>(fields: SchemaDefinition<T>): Schema<T> {
  const schema = new Schema<T>(
    {
      _id: { type: String, required: true },
      status: String,
      businessId: String,
      needsAttention: Boolean,
      nextAttemptAt: Number,
      unknownSince: Number,
      relayAt: Number,
      ...fields,
    },
    { versionKey: false, strict: false },
  );
  // The sweeps read the documents that are due, the earliest first.
  schema.index(DUE_INDEX, whereSet("nextAttemptAt"));
  // Of the previous release alone; it is empty once all of its outboxes are relayed.
  schema.index({ relayAt: 1 }, whereSet("relayAt"));
  schema.index(ATTENTION_INDEX, { partialFilterExpression: { needsAttention: true } });
  return schema;
}
