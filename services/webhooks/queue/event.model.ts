// Events as merchants receive them, with their endpoints. A stored event never changes, except
// that personal data in its body can be erased. Only webhooks reads and writes this collection.

import { Schema } from "mongoose";
import type { EventType } from "../../../shared/contracts/events.ts";
import type { Origin } from "../../../shared/rpc/origin.ts";
import { EXPIRES_BY_SETTING } from "../../../shared/storage/indexes.ts";

export interface Event {
  /** The webhook-id on every endpoint and attempt. */
  _id: string;
  businessId: string;
  /** The event's own id if it belongs to no transaction. */
  transactionId: string;
  /** Order within the transaction. */
  seq: number;
  at: Date;
  eventType: EventType;
  /** Serialised once: every attempt sends and signs these bytes. */
  body: string;
  /** Decided when the event was first stored, so that storing it again adds no delivery. */
  endpointIds: string[];
  /** The request that caused it. */
  origin?: Origin;
}

/** The model only creates the collection and its indexes; the code uses the driver for events. */
export const eventSchema = new Schema<Event>({ _id: String }, { strict: false });
/**
 * The events of a business by time, filtered by types. A sorted query names the types one by one,
 * and the server merges these ranges. An id tells no time, because it is made from that of the
 * transaction.
 */
export const OF_BUSINESS = { businessId: 1, eventType: 1, at: 1, _id: 1 } as const;
eventSchema.index(OF_BUSINESS);
// The retention (retention.ts).
eventSchema.index({ at: 1 }, EXPIRES_BY_SETTING);
