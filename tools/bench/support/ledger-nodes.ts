// Starts ledger nodes over NATS and a broker that calls them.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { ServiceBroker } from "moleculer";
import { loadConfig } from "../../../shared/config/env.ts";
import { newId } from "../../../shared/ids.ts";
import { nodesServing } from "../../../shared/rpc/actions.ts";
import { createBroker } from "../../../shared/rpc/broker.ts";

export interface LedgerNodes {
  broker: ServiceBroker;
  /** The heap of each node in bytes, after a collection. */
  heaps(): Promise<number[]>;
  stop(): Promise<void>;
}

/** @param environment of the nodes and the caller, with MONGO_URL and NATS_URL */
export async function startLedgerNodes(
  count: number,
  environment: Record<string, string | undefined>,
): Promise<LedgerNodes> {
  // A namespace per ledger, so that its nodes serve no other caller.
  const namespace = newId();
  const broker = createBroker(loadConfig(environment), "bench", namespace);
  await broker.start();
  const of = { ...environment, BENCH_NAMESPACE: namespace };
  const nodes = await Promise.all(Array.from({ length: count }, () => startNode(of)));
  await broker.waitForServices("wallet-ledger", 10_000, 5);
  while (nodesServing(broker, "wallet-ledger.post").length < count) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return {
    broker,
    heaps: () => Promise.all(nodes.map(heapOf)),
    async stop() {
      await Promise.all(nodes.map(stopNode));
      await broker.stop();
    },
  };
}

async function startNode(environment: Record<string, string | undefined>): Promise<ChildProcess> {
  const path = join(import.meta.dirname, "ledger-node.ts");
  const node = fork(path, { env: { ...process.env, ...environment }, execArgv: ["--expose-gc"] });
  await once(node, "message", { signal: AbortSignal.timeout(30_000) });
  return node;
}

async function heapOf(node: ChildProcess): Promise<number> {
  node.send("heap");
  const [bytes] = await once(node, "message", { signal: AbortSignal.timeout(30_000) });
  return bytes as number;
}

async function stopNode(node: ChildProcess): Promise<void> {
  node.disconnect();
  await once(node, "exit");
}
