// Events: what happened, as it is told to merchants, and to which endpoints. Never changed once
// stored. A collection of webhooks alone.

import { Schema } from "mongoose";
import type { EventType } from "../../shared/contracts/events.ts";

export interface Event {
  /** The webhook-id on every endpoint and attempt. */
  _id: string;
  businessId: string;
  /** Its own id where it tells of no transaction. */
  transactionId: string;
  /** Order within the transaction. */
  seq: number;
  at: Date;
  eventType: EventType;
  /** Serialised once: every attempt sends and signs these very bytes. */
  body: string;
  /** Decided when it was first stored, so that storing it again adds no delivery. */
  endpointIds: string[];
}

export const eventSchema = new Schema<Event>(
  {
    _id: { type: String, required: true },
    businessId: { type: String, required: true },
    transactionId: { type: String, required: true },
    seq: { type: Number, required: true },
    at: { type: Date, required: true },
    eventType: { type: String, required: true },
    body: { type: String, required: true },
    endpointIds: { type: [String], required: true },
  },
  { versionKey: false },
);
