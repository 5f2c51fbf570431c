// Heartbeats over a real NATS, in real time: a node with Moleculer's default interval stays, and a
// frozen node gets no more calls.

import moleculer, { type ServiceBroker } from "moleculer";
import { brokerOptions } from "../../../shared/rpc/broker.ts";
import { runPageNode } from "../../support/page-node.ts";
import { startService } from "../../support/processes.ts";
import type { Script } from "../../support/scripts.ts";
import { type System, startSystem, until } from "../../support/system.ts";

/** Below Moleculer's default interval of 10 s. */
const TOO_SHORT_S = 6;
/** Callers drop a frozen node after 6 s without its heartbeats. */
const DROPPED_WITHIN_MS = 12_000;

let system: System;
beforeEach(async () => {
  const stub = { name: "stub" };
  system = await startSystem([() => stub], {}, { overNats: true });
});
afterEach(() => system.stop());

/** Counts how often a broker drops the page's node. */
function countDrops(broker: ServiceBroker): { dropped: number; isKnown(): boolean } {
  const isPageNode = (id: string) => id.startsWith("reports-");
  const count = {
    dropped: 0,
    isKnown: () => broker.registry.nodes.toArray().some(({ id }) => isPageNode(id)),
  };
  broker.localBus.on("$node.disconnected", ({ node }: { node: { id: string } }) => {
    if (isPageNode(node.id)) count.dropped += 1;
  });
  return count;
}

test("a node with default heartbeats stays, and a shorter timeout would drop it", async () => {
  const { config, broker } = system;
  const strict = new moleculer.ServiceBroker({
    ...brokerOptions(config, "strict", broker.namespace),
    heartbeatTimeout: TOO_SHORT_S,
  });
  const [ours, theirs] = [countDrops(broker), countDrops(strict)];
  let node: Script | undefined;
  try {
    await strict.start();
    node = runPageNode(config.natsUrl as string, broker.namespace);
    await until(() => ours.isKnown() && theirs.isKnown());
    // Our broker checks once per timeout; two checks follow the node's first heartbeats.
    const end = Date.now() + 2_000 * Number(broker.options.heartbeatTimeout) + 1_000;
    await until(() => theirs.dropped > 0 && Date.now() > end);
    expect(ours.dropped).toBe(0);
  } finally {
    node?.interrupt();
    await node?.exit;
    await strict.stop();
  }
});

test("a frozen node gets no more calls after seconds", async () => {
  const nodes = [await startService(system, "payouts"), await startService(system, "payouts")];
  nodes[1]?.child.kill("SIGSTOP");
  const frozenAt = Date.now();
  let inRow = 0;
  await until(async () => {
    const answer = await system.call("payouts.ready", {}, { timeoutMs: 500 }).catch(() => null);
    inRow = answer ? inRow + 1 : 0;
    return inRow === 10;
  });
  expect(Date.now() - frozenAt).toBeLessThan(DROPPED_WITHIN_MS);
  for (const { child } of nodes) child.kill("SIGKILL");
});
