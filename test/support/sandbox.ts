// For tests of the sandbox's own rail and acquirer: the context that payrail gives them.

import type { Connection } from "mongoose";
import type { SandboxContext } from "../../partners/sandbox/rail.ts";
import { type Clock, systemClock } from "../../shared/clock.ts";
import { createContexts } from "../../shared/partners/context.ts";
import { SANDBOX_RAIL } from "../../shared/partners/sandbox.ts";

/**
 * The context of the sandbox's modules.
 * @param connection to the database that has their books
 * @param sandboxSettleMs milliseconds between a payout's acceptance and settlement
 */
export function sandboxContext(
  connection: Connection,
  { clock = systemClock, sandboxSettleMs }: { clock?: Clock; sandboxSettleMs?: number } = {},
): SandboxContext {
  const facts = { sandbox: true, sandboxSettleMs, clock, log: console };
  return createContexts(connection.getClient(), connection.name, "rails", facts)(SANDBOX_RAIL);
}
