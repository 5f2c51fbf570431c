// Deliveries: one event on its way to one endpoint, and every attempt at it. A collection of
// webhooks alone.
//
// PENDING -> DELIVERED | DEAD_LETTER. A pending one is due at nextAttemptAt: for its next attempt;
// where it is claimed, because whoever claimed it has died; where it is held, because it has waited
// long enough for an earlier event of its transaction.

import { Schema } from "mongoose";
import type { EventType } from "../../shared/contracts/events.ts";
import type {
  DeadLetterReason,
  DeliveryStatus,
  ErrorClass,
} from "../../shared/contracts/webhooks.ts";

export interface Attempt {
  at: Date;
  /** Null where no answer came. */
  statusCode: number | null;
  durationMs: number;
  /** What went wrong in the exchange itself; a status speaks for itself. */
  error: string | null;
  /** Null after an answer with 2xx. */
  errorClass: ErrorClass | null;
  /** How the answer's body begins, as text; null where there was none. */
  response: string | null;
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
  /** Null once it is not pending any more. */
  nextAttemptAt: Date | null;
  /** Names the claim under which an attempt is being made; whoever has another may not write. */
  claim: string | null;
  /** Waits for an earlier event of its transaction, whose end sets it free. */
  held: boolean;
  /** Attempts that failed. */
  failures: number;
  failingSince: Date | null;
  /** The last ones. */
  attempts: Attempt[];
  /** The last replay of many that sent it again, so that none does it twice. */
  replayId?: string;
}

export const deliverySchema = new Schema<Delivery>(
  {
    _id: { type: String, required: true },
    eventId: { type: String, required: true },
    endpointId: { type: String, required: true },
    businessId: { type: String, required: true },
    transactionId: { type: String, required: true },
    seq: { type: Number, required: true },
    eventType: { type: String, required: true },
    status: { type: String, required: true },
    deadLetterReason: { type: String, default: null },
    createdAt: { type: Date, required: true },
    nextAttemptAt: { type: Date, default: null },
    claim: { type: String, default: null },
    held: { type: Boolean, required: true },
    failures: { type: Number, required: true },
    failingSince: { type: Date, default: null },
    attempts: { type: [Schema.Types.Mixed], required: true } as never,
    replayId: { type: String },
  },
  { versionKey: false },
);
// One delivery of an event to an endpoint, however often the event is handed over.
deliverySchema.index({ eventId: 1, endpointId: 1 }, { unique: true });
/**
 * What is due, endpoint by endpoint. Only what is pending is in it, so the done and the dead cost
 * nothing. The status is in it so that whoever asks for endpoints alone reads nothing else.
 */
export const DUE_INDEX = { status: 1, endpointId: 1, nextAttemptAt: 1 } as const;
deliverySchema.index(DUE_INDEX, { partialFilterExpression: { status: "PENDING" } });
/**
 * The deliveries of an endpoint by id, of some states and types; what is pending for it. Whoever wants
 * an order names the states and types one by one, and the server merges these ranges.
 */
export const OF_ENDPOINT = { endpointId: 1, status: 1, eventType: 1, _id: -1 } as const;
deliverySchema.index(OF_ENDPOINT);
/** The deliveries of a transaction, to all endpoints or one; those that come before another. */
export const OF_TRANSACTION = { transactionId: 1, endpointId: 1, seq: 1 } as const;
deliverySchema.index(OF_TRANSACTION);

/**
 * Of writes that only say who is at a delivery, and when to look at it again: claims and holds. One
 * that an election takes back is made again, at worst with an attempt more; they need no majority.
 */
export const PASSING = { writeConcern: { w: 1, journal: false } };
