// Deliveries: one event on its way to one endpoint, with all attempts. Only webhooks reads and
// writes this collection.
//
// PENDING -> DELIVERED | DEAD_LETTER. A pending delivery is due at nextAttemptAt. Without a claim
// that is its next attempt; with a claim, the moment from which its claimer counts as dead; for a
// held delivery, the end of its wait for an earlier event of the transaction.

import { Schema } from "mongoose";
import type { DeadLetterReason, DeliveryStatus } from "../../../shared/contracts/deliveries.ts";
import type { EventType } from "../../../shared/contracts/events.ts";
import type { Origin } from "../../../shared/rpc/origin.ts";
import { EXPIRES_BY_SETTING } from "../../../shared/storage/indexes.ts";
import type { ReceiverAnswer } from "../exchange/answer.ts";

export interface DeliveryAttempt extends Omit<ReceiverAnswer, "retryAfterMs"> {
  at: Date;
}

export interface Delivery {
  _id: string;
  eventId: string;
  endpointId: string;
  businessId: string;
  transactionId: string;
  seq: number;
  eventType: EventType;
  status: DeliveryStatus;
  deadLetterReason: DeadLetterReason | null;
  createdAt: Date;
  /** Null after the end. */
  nextAttemptAt: Date | null;
  /** The claim of the running attempt; an attempt under another claim may not write. */
  claim: string | null;
  /** Whether it waits for the end of an earlier event of its transaction. */
  held: boolean;
  failures: number;
  failingSince: Date | null;
  attempts: DeliveryAttempt[];
  /** The last replay of many that sent it again; a replay sends a delivery once. */
  replayId?: string;
  /** The request that caused the event. */
  origin?: Origin;
}

/** The fields of a delivery that is due from that moment, with the whole retry schedule ahead. */
export const pendingFrom = (at: Date) => ({
  status: "PENDING" as const,
  deadLetterReason: null,
  nextAttemptAt: at,
  claim: null,
  held: false,
  failures: 0,
  failingSince: null,
});

/** The fields of a delivery that is not tried any more. */
export const deadLettered = (reason: DeadLetterReason) => ({
  status: "DEAD_LETTER" as const,
  deadLetterReason: reason,
  nextAttemptAt: null,
  claim: null,
  held: false,
});

/** Only the fields of filters are typed here: deliveries are stored as they are. */
export const deliverySchema = new Schema<Delivery>(
  {
    _id: { type: String, required: true },
    eventId: String,
    endpointId: String,
    businessId: String,
    transactionId: String,
    eventType: String,
    status: String,
    deadLetterReason: String,
    claim: String,
    attempts: { type: [Schema.Types.Mixed] } as never,
  },
  { versionKey: false, strict: false },
);
// An event has one delivery to an endpoint, however often the event is published.
deliverySchema.index({ eventId: 1, endpointId: 1 }, { unique: true });
/**
 * Due deliveries by endpoint. The index holds only pending ones, so ended ones cost nothing. It
 * includes the status so that a search of endpoints reads the index alone.
 */
export const DUE_INDEX = { status: 1, endpointId: 1, nextAttemptAt: 1 } as const;
deliverySchema.index(DUE_INDEX, { partialFilterExpression: { status: "PENDING" } });
/**
 * The deliveries of an endpoint by id, filtered by states and types; its pending deliveries. A
 * sorted query names the states and types one by one, and the server merges these ranges.
 */
export const OF_ENDPOINT = { endpointId: 1, status: 1, eventType: 1, _id: -1 } as const;
deliverySchema.index(OF_ENDPOINT);
/** The deliveries of a transaction, to all endpoints or one; the earlier ones of a delivery. */
export const OF_TRANSACTION = { transactionId: 1, endpointId: 1, seq: 1 } as const;
deliverySchema.index(OF_TRANSACTION);
/**
 * The dead letters of all endpoints by reason, for the operators' list. The server merges the
 * ranges of several reasons.
 */
export const DEAD_LETTERS = { deadLetterReason: 1, _id: -1 } as const;
deliverySchema.index(DEAD_LETTERS, { partialFilterExpression: { status: "DEAD_LETTER" } });
// The retention (retention.ts).
deliverySchema.index({ createdAt: 1 }, EXPIRES_BY_SETTING);

/**
 * The write concern of claims and holds, which store only the claimer and the next look. They need
 * no majority: a write that an election rolls back is made again, at worst with one more attempt.
 */
export const PASSING = { writeConcern: { w: 1, j: false } };
