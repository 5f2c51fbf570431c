// The test clock of a business, in the sandbox alone: a resumable document, so that a run that was cut
// off goes on by itself. A business without one goes by the real time.

import { Schema } from "mongoose";
import { type Resumable, resumableIndexes } from "../../../shared/resumable/document.ts";

export interface BillingClock extends Resumable<never> {
  /** `_id` is the business. run: what is due by `until` is being billed; rest: it is billed. */
  step: "run" | "rest";
  /** The business's moment, epoch ms. It never goes back. */
  now: number;
  /** What it was set to: `now` comes there by every moment on the way at which something is due. */
  until: number;
  /** How often a subscription has come on in its runs: whoever waits sees that they do. */
  passed: number;
}

export const billingClockSchema = new Schema<BillingClock>(
  {
    _id: { type: String, required: true },
    nextAttemptAt: Number,
    relayAt: Number,
  },
  { versionKey: false, strict: false },
);
resumableIndexes(billingClockSchema);
