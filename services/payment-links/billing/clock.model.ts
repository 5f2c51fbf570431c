// The test clock of a business, which exists in the sandbox alone. It is a resumable document, so
// that another node resumes a run after a crash. A business without one goes by real time.

import type { Resumable } from "../../../shared/resumable/document.ts";
import { resumableSchema } from "../../../shared/resumable/schema.ts";

export interface BillingClock extends Resumable<never> {
  /** `_id` is the business. run: work that is due by `until` is being done; rest: it is done. */
  step: "run" | "rest";
  /** The business's time, epoch ms. It never goes back. */
  now: number;
  /** The time to which the clock is set: `now` passes each time on the way at which work is due. */
  until: number;
  /**
   * Subscriptions that have moved on in its runs: a caller that waits sees that the number grows.
   */
  passed: number;
}

export const billingClockSchema = resumableSchema<BillingClock>({});
