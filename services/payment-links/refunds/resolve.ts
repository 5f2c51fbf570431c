// Resolves a refund that needs attention (acquirers/resolution.ts).

import type { Change } from "../../../shared/resumable/document.ts";
import { isConfigured } from "../acquirers/acquirer.ts";
import {
  confirmation,
  decidedBy,
  type Resolution,
  resolve,
  UNDER_WAY_MS,
} from "../acquirers/resolution.ts";
import type { RefundDeps } from "./deps.ts";
import { decidedReversal, refundEnd } from "./lifecycle.ts";
import type { Refund } from "./refund.model.ts";

/**
 * Ends a flagged refund. An acquirer cannot cancel a refund, so FAILED stops the questions first.
 * The reversal follows ten minutes later, when no question can be under way any more. If the
 * acquirer is not configured, no question is under way, and the reversal follows immediately.
 * @returns the refund, as far as it has come since; PENDING while the reversal waits
 * @throws NOT_RESOLVABLE if it is not flagged, if another end is stored, or if its money is on its
 *   way back to the account
 */
export function resolveRefund(
  deps: RefundDeps,
  refund: Refund,
  resolution: Resolution,
): Promise<Refund> {
  return resolve(deps.refunds.machine, refund, resolution, () => {
    const { outcome, by } = resolution;
    switch (refund.step) {
      case "ask":
        if (outcome === "SUCCESS") return decidedBy(refundEnd(refund, "SUCCEEDED", true), by);
        if (!isConfigured(deps, refund.acquirer)) return decidedReversal(by);
        return stopped(refund, by, deps.clock.now());
      case "closed":
        return confirmation(refund, resolution);
      case "allocate":
      case "post":
      case "reverse":
      case "declined":
        return null;
    }
  });
}

/** Controls the questions; a repeated decision does not postpone the reversal. */
function stopped({ reverseAt }: Refund, by: string, now: number): Change<Refund> {
  const at = reverseAt ?? now + UNDER_WAY_MS;
  return { set: { reverseAt: at, decidedBy: by }, next: Math.max(0, at - now) };
}
