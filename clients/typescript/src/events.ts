// The events of webhooks, told apart by `eventType`.

import type { Document } from "./generated/document.ts";

/** The fields of a message from its headers. */
interface Received {
  /** The webhook-id: the same on every endpoint, attempt and replay. */
  id: string;
  /** The time at which payrail signed this attempt. */
  sentAt: Date;
}

export type WebhookEvent = Received & Document["event"];
