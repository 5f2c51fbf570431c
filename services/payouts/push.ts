// Rails' pushes: a push only makes the payout due, so that its rail is asked. The push's own
// content decides nothing.

import type { Params } from "../../shared/contracts/contracts.ts";
import { MAJORITY } from "../../shared/storage/database.ts";
import { asAccepted } from "./accepted.ts";
import { findRail } from "./ask-rail.ts";
import type { Deps } from "./deps.ts";

/** Makes a payout due, if a rail may have it and that rail is configured. */
export async function askNow(
  deps: Deps,
  { id, method }: Params<"payouts.railNotified">,
): Promise<void> {
  const stored = await deps.payouts.findOne({ _id: id, method, visible: true }, MAJORITY);
  const payout = stored && (await asAccepted(deps.isDebited, stored));
  const asks = ["submitting", "settle", "watch", "closed"];
  if (payout && findRail(deps, payout) && asks.includes(payout.step)) {
    await deps.machine.transition(payout, { set: { step: payout.step }, next: 0 });
  }
}
