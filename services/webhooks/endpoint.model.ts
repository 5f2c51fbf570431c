// Endpoints: where a business wants its events delivered. A collection of webhooks alone.

import { Schema } from "mongoose";
import type { EventType } from "../../shared/contracts/webhooks.ts";
import type { Sealed } from "../../shared/seal.ts";

/** Encrypted at rest; rotation keeps the one before for a while. */
export interface EndpointSecret {
  sealed: Sealed;
  createdAt: Date;
}

export interface Endpoint {
  _id: string;
  businessId: string;
  url: string;
  description: string | null;
  /** Null wants all types, those that are yet to come too. */
  eventTypes: EventType[] | null;
  disabled: boolean;
  disabledReason: string | null;
  /** When it was last switched off, and on again after that: whether an event was for it. */
  disabledAt: Date | null;
  enabledAt: Date | null;
  /** The newest first, at most two. */
  secrets: EndpointSecret[];
  createdAt: Date;
}

export const endpointSchema = new Schema<Endpoint>(
  {
    _id: { type: String, required: true },
    businessId: { type: String, required: true },
    url: { type: String, required: true },
    description: { type: String, default: null },
    eventTypes: { type: [String], default: null },
    disabled: { type: Boolean, required: true },
    disabledReason: { type: String, default: null },
    disabledAt: { type: Date, default: null },
    enabledAt: { type: Date, default: null },
    secrets: { type: [Schema.Types.Mixed], required: true } as never,
    createdAt: { type: Date, required: true },
  },
  { versionKey: false },
);
// The endpoints of a business, oldest first; those of the businesses of a batch of events.
endpointSchema.index({ businessId: 1, _id: 1 });
