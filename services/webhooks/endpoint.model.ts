// Endpoints: where a business wants its events delivered. A collection of webhooks alone.

import { Schema } from "mongoose";
import type { EventType } from "../../shared/contracts/events.ts";
import type { ENDED_STATUSES } from "../../shared/contracts/webhooks.ts";
import type { Sealed } from "../../shared/seal.ts";

/** Encrypted at rest; rotation keeps the one before for a while. */
export interface EndpointSecret {
  sealed: Sealed;
  createdAt: Date;
}

/** What is still to be told of an endpoint that was switched off. */
export interface Notice {
  /** The event's. */
  id: string;
  at: Date;
  url: string;
  reason: string;
}

export interface Endpoint {
  _id: string;
  businessId: string;
  /** The link whose events alone it gets; null gets all of the business. */
  paymentLinkId: string | null;
  url: string;
  description: string | null;
  /** Null wants all types, those that are yet to come too. */
  eventTypes: EventType[] | null;
  disabled: boolean;
  disabledReason: string | null;
  /** When it was last switched off, and on again after that: whether an event was for it. */
  disabledAt: Date | null;
  enabledAt: Date | null;
  /** Since when attempts have done nothing but fail; null where the last one did not. */
  failingSince: Date | null;
  /** The outbox of ENDPOINT events. */
  notices: Notice[];
  /** The newest first, at most two. */
  secrets: EndpointSecret[];
  createdAt: Date;
  /** The replay of many of its deliveries, while it is under way. */
  replay?: Replay;
  /** Its test events in the last window; the window begins with the first one. */
  tests?: { count: number; until: Date };
}

/** A replay of deliveries, in the order of their ids; it ends with the endpoint being disabled. */
export interface Replay {
  id: string;
  statuses: (typeof ENDED_STATUSES)[number][];
  /** Deliveries up to this id are done; not this one any more, and what comes after it. */
  after: string;
  until: string;
  /** When somebody may do the next part; until then whoever has taken it does. */
  due: Date;
}

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
// The endpoints of a business, oldest first.
endpointSchema.index({ businessId: 1, _id: 1 });
// The endpoints of a batch of events: the businesses' own, and of their many links those concerned.
endpointSchema.index({ businessId: 1, paymentLinkId: 1 });
// A link has one endpoint.
endpointSchema.index(
  { paymentLinkId: 1 },
  { unique: true, partialFilterExpression: { paymentLinkId: { $type: "string" } } },
);
// Those that have something to tell.
endpointSchema.index({ "notices.id": 1 }, { sparse: true });
// Replays that are under way, the one that has waited longest first.
endpointSchema.index(
  { "replay.due": 1 },
  { partialFilterExpression: { "replay.due": { $exists: true } } },
);
