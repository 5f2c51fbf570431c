// A rail's push: the payout is asked for now; what it says is not believed, only looked into.

import type { Params } from "../../shared/contracts.ts";
import { MAJORITY } from "../../shared/database.ts";
import { railOf } from "./ask-rail.ts";
import type { Deps } from "./deps.ts";

/** Has a payout's own rail asked now. Of a payout that no configured rail has, nothing changes. */
export async function askNow(
  deps: Deps,
  { id, method }: Params<"payouts.railNotified">,
): Promise<void> {
  const payout = await deps.payouts.findOne({ _id: id, method, visible: true }, MAJORITY);
  const asks = ["submitting", "settle", "watch", "closed"];
  if (payout && railOf(deps, payout) && asks.includes(payout.step)) {
    await deps.machine.transition(payout, { set: {}, next: 0 });
  }
}
