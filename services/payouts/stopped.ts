// Payouts that an operator has stopped: of a business, a wallet or a person (shared/rpc/controls.ts).
// A new one is refused. One that is accepted and that no rail has waits, and goes on when the stop
// ends. If a rail was asked already, and may have it after all, the rail is asked again at each look:
// one that a rail has goes on, because only the rail ends it.

import type { Control } from "../../shared/contracts/controls.ts";
import type { Change } from "../../shared/resumable/document.ts";
import type { Deps } from "./deps.ts";
import { HELD, type Payout } from "./payout.model.ts";

/** Whether a stop forbids to submit the payout now, or this process does not know. */
export function isStopped({ controls }: Deps, payout: Payout): boolean {
  const { businessId, walletId, entityId, payeeId } = payout;
  const people = payeeId === undefined ? [entityId] : [entityId, payeeId];
  try {
    return people.some((each) => controls.find("payout", { businessId, walletId, entityId: each }));
  } catch {
    return true;
  }
}

const LOOK_AGAIN_MS = { first: 5_000, most: 600_000 };

/** The fields of a payout that no rail was ever asked about. */
export const NEVER_SUBMITTED = { step: "submit", rail: undefined, submittedAt: undefined } as const;

/**
 * The change of a payout that a stop holds: it waits, and may be cancelled. It looks again after
 * growing waits, although the end of the stop makes it due.
 */
export function held({ heldSince }: Payout, now: number): Change<Payout> {
  const since = heldSince ?? now;
  const wait = Math.min(Math.max(LOOK_AGAIN_MS.first, now - since), LOOK_AGAIN_MS.most);
  return { set: { heldSince: since }, next: wait };
}

/** Makes the payouts due that a stop has held, because it has ended. */
export async function release(
  { payouts, clock }: Pick<Deps, "payouts" | "clock">,
  { businessId }: Pick<Control, "businessId">,
): Promise<void> {
  // The next step is due, also of a payout that is due for its outbox first.
  await payouts.updateMany(
    { businessId, heldSince: { $exists: true }, step: { $in: ["submit", "submitting"] } },
    { $set: { nextAttemptAt: clock.now() }, $unset: { stepAt: "" } },
    { hint: HELD },
  );
}
