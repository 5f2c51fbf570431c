// Endpoints: the URLs to which a business's events are delivered. Only webhooks reads and writes
// this collection.

import { Schema } from "mongoose";
import type { ENDED_STATUSES } from "../../../shared/contracts/deliveries.ts";
import type { EventType } from "../../../shared/contracts/events.ts";
import type { Sealed } from "../../../shared/security/seal.ts";
import { whereSet } from "../../../shared/storage/indexes.ts";

/** Encrypted at rest; a rotation keeps the previous secret for a while. */
export interface EndpointSecret {
  sealed: Sealed;
  createdAt: Date;
  /** The request of the rotation that made it, by the id that the request made. */
  request?: string;
}

/** An event about a disabled endpoint that is not published yet. */
export interface Notice {
  /** The event's id. */
  id: string;
  at: Date;
  url: string;
  reason: string;
}

export interface Endpoint {
  _id: string;
  businessId: string;
  /** The payment link of its events; null for all events of the business. */
  paymentLinkId: string | null;
  url: string;
  description: string | null;
  /** Null for all types but LEDGER, future ones included. */
  eventTypes: EventType[] | null;
  disabled: boolean;
  disabledReason: string | null;
  /**
   * The last disabling, and the enabling after it: they decide whether an event is for the
   * endpoint.
   */
  disabledAt: Date | null;
  enabledAt: Date | null;
  /** When the current run of failed attempts began; null if the last attempt succeeded. */
  failingSince: Date | null;
  /** The outbox of ENDPOINT events. */
  notices: Notice[];
  /** At most two, the newest first. */
  secrets: EndpointSecret[];
  createdAt: Date;
  /** The running replay of its deliveries. */
  replay?: Replay;
  /** The test events of the current window; a window begins with its first test event. */
  tests?: { count: number; until: Date };
}

/** A replay of deliveries in the order of their ids; disabling the endpoint ends it. */
export interface Replay {
  id: string;
  statuses: (typeof ENDED_STATUSES)[number][];
  /** The replay covers the ids between these two; `after` grows with each part. */
  after: string;
  until: string;
  /** From this moment on any process may take the next part. */
  due: Date;
}

/** The fields of a switched off endpoint; it gets no event from then on. */
export const switchedOff = (reason: string, at: Date) => ({
  disabled: true,
  disabledReason: reason,
  disabledAt: at,
  enabledAt: null,
});

export const endpointSchema = new Schema<Endpoint>(
  {
    _id: { type: String, required: true },
    businessId: { type: String, required: true },
    paymentLinkId: { type: String, default: null },
    url: { type: String, required: true },
    description: { type: String, default: null },
    eventTypes: { type: [String], default: null },
    disabled: { type: Boolean, required: true },
    disabledReason: { type: String, default: null },
    disabledAt: { type: Date, default: null },
    enabledAt: { type: Date, default: null },
    failingSince: { type: Date, default: null },
    notices: { type: [Schema.Types.Mixed], required: true } as never,
    secrets: { type: [Schema.Types.Mixed], required: true } as never,
    createdAt: { type: Date, required: true },
    replay: { type: Schema.Types.Mixed } as never,
    tests: { type: Schema.Types.Mixed } as never,
  },
  { versionKey: false },
);
// The endpoints of a business.
endpointSchema.index({ businessId: 1, _id: 1 });
// The endpoints for a batch of events: those of the businesses and those of the events' links.
endpointSchema.index({ businessId: 1, paymentLinkId: 1 });
// A link has one endpoint.
endpointSchema.index(
  { paymentLinkId: 1 },
  { unique: true, partialFilterExpression: { paymentLinkId: { $type: "string" } } },
);
/** The disabled endpoints of all businesses by reason, for the operators' list. */
export const DISABLED = { disabledReason: 1, _id: -1 } as const;
endpointSchema.index(DISABLED, { partialFilterExpression: { disabled: true } });
// Endpoints with unpublished notices.
endpointSchema.index({ "notices.id": 1 }, { sparse: true });
// Running replays, the one that has waited longest first.
endpointSchema.index({ "replay.due": 1 }, whereSet("replay.due"));
