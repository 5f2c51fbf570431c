// The events of webhooks, told apart by `eventType`.

import type { Document } from "./document.ts";

/** The envelope of an event. */
interface Received {
  /** The webhook-id: the same on every endpoint, attempt and replay. */
  id: string;
  /** When this attempt was signed. */
  sentAt: Date;
}

export type WebhookEvent = Received & Document["event"];
