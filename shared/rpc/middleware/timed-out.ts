// Calls to other nodes that have timed out.

import type { ActionHandler, Context, Middleware, ServiceBroker } from "moleculer";
import { LATE, within } from "../../clock.ts";

/**
 * Longer than the call itself waits, because the caller has to see Moleculer's own timeout error.
 */
const TIMED_OUT_FOR_MS = 50;

/**
 * Ends a call to another node that has timed out, because Moleculer would keep the call and its
 * parameters, and would wait for it when the broker stops. If the node is silent too (frozen, or
 * off the network), it drops the node: the next calls go to other nodes.
 */
function dropTimedOut(next: ActionHandler): ActionHandler {
  return async function (context: Context) {
    const call: Promise<unknown> = next.call(this, context);
    const { timeout } = context.options;
    if (!timeout) return call;
    const result = await within(call, timeout + TIMED_OUT_FOR_MS);
    if (result !== LATE) return result;
    dropSilent(context.broker, context.nodeID as string);
    throw new Error("It timed out");
  };
}

/** A node that has missed two heartbeats. If it is still alive, it returns with its next one. */
function dropSilent({ registry, options }: ServiceBroker, nodeId: string): void {
  const { lastHeartbeatTime } = registry.nodes.get(nodeId) ?? {};
  const silentS = 3 * (options.heartbeatInterval as number);
  const isSilent = lastHeartbeatTime && process.uptime() - lastHeartbeatTime > silentS;
  if (isSilent) registry.nodes.disconnected(nodeId, true);
}

export const timedOutCalls: Middleware = { remoteAction: dropTimedOut };
