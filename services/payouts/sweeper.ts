// The sweeper: takes over what is due. A payout is due when it has to wait no longer, or when the node
// that drove it has not come back within its lease; it is claimed by a compare-and-set, so that of
// several sweepers one drives it. It survives every error: what fails now is due again.

import type { Params } from "../../shared/contracts.ts";
import { MAJORITY } from "../../shared/database.ts";
import type { Deps } from "./deps.ts";
import { drive } from "./lifecycle.ts";
import { relayOverdue } from "./relay.ts";

const CLAIMED_AT_ONCE = 200;

/** Claims the payouts that are due, as many as there is room for, and begins to drive them. */
export async function sweepDue(deps: Deps): Promise<void> {
  const limit = Math.min(CLAIMED_AT_ONCE, deps.driving.room());
  if (limit === 0) return;
  const due = await deps.payouts
    .find({ nextAttemptAt: { $lte: deps.clock.now() } }, MAJORITY)
    .sort({ nextAttemptAt: 1 })
    .limit(limit)
    .toArray();
  await Promise.all(
    due.map(async (payout) => {
      const claimed = await deps.transition(payout, { set: {}, next: "now" });
      if (claimed) deps.driving.take(() => drive(deps, claimed, false));
    }),
  );
}

/** A rail's push: the payout is asked for now; what it says is not believed, only looked into. */
export async function askNow(
  deps: Deps,
  { id, method }: Params<"payouts.railNotified">,
): Promise<void> {
  const payout = await deps.payouts.findOne({ _id: id, method, visible: true }, MAJORITY);
  const asks = ["submitting", "settle", "watch", "closed"];
  if (payout && asks.includes(payout.step)) await deps.transition(payout, { set: {}, next: 0 });
}

export interface Sweeping {
  /** Ends after the sweep under way. */
  stop(): Promise<void>;
}

const DUE_EVERY_MS = 250;
const OUTBOXES_EVERY_MS = 1_000;
/** Between two sweeps of outboxes where webhooks does not take them. */
const REFUSED_PAUSE_MS = 5_000;

/** Sweeps until it is stopped; never two of a kind at once. */
export function startSweeping(deps: Deps): Sweeping {
  const { log } = deps;
  let outboxesRestUntil = 0;
  const sweepOutboxes = async () => {
    if (deps.clock.now() < outboxesRestUntil) return;
    try {
      await relayOverdue(deps);
    } catch (error) {
      outboxesRestUntil = deps.clock.now() + REFUSED_PAUSE_MS;
      throw error;
    }
  };
  const loops = [
    repeat(DUE_EVERY_MS, () => sweepDue(deps), log),
    repeat(OUTBOXES_EVERY_MS, sweepOutboxes, log),
  ];
  return {
    async stop() {
      await Promise.all(loops.map((stop) => stop()));
    },
  };
}

function repeat(everyMs: number, work: () => Promise<void>, log: Deps["log"]) {
  let running: Promise<void> | null = null;
  const timer = setInterval(() => {
    running ??= work()
      .catch((error) => log.warn("A sweep failed and is tried again", error))
      .finally(() => {
        running = null;
      });
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
