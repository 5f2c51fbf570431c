// How posts per second grow with the ledger's nodes, up to one for each partition: a simulation
// (tools/simulate/scale), because one machine cannot show it. Needs no quiet machine.

import { type Scale, simulateScale } from "../simulate/scale/scale.ts";
import type { Row } from "./support/rate.ts";
import type { Setting } from "./support/setting.ts";

const RUN = { seed: 1, hasOwners: true, callers: 512, shards: 1, cores: 16, ms: 300 };

type Varied = Partial<typeof RUN> & { nodes: number };

const GROWTH: Varied[] = [1, 2, 4, 8, 16, 32].flatMap((nodes) => [
  { nodes },
  { nodes, hasOwners: false },
]);
const PRIMARIES: Varied[] = [1, 2, 4, 8].map((shards) => ({ nodes: 16, shards, cores: 2 }));

/** With owners and without, and with small primaries of a sharded database. */
export async function benchLedgerNodes({ say }: Setting): Promise<Row[]> {
  say(`Simulating ${RUN.callers} callers for each node, seed ${RUN.seed}`);
  const one = await simulateScale({ ...RUN, nodes: 1 });
  const rows: Row[] = [];
  for (const varied of [...GROWTH, ...PRIMARIES]) {
    rows.push(toRow(varied, await simulateScale({ ...RUN, ...varied }), one));
  }
  return rows;
}

function toRow(varied: Varied, scale: Scale, one: Scale): Row {
  const { nodes, hasOwners, shards, cores } = { ...RUN, ...varied };
  const { committed, refused } = scale.blocks;
  return {
    what: `${nodes} nodes, ${hasOwners ? "owners" : "no owners"}, primaries: ${shards} × ${cores} cores`,
    "posts/s": Math.round(scale.postsPerSecond),
    "of one node": scale.postsPerSecond / one.postsPerSecond,
    "refused blocks %": (100 * refused) / (committed + refused),
    "nodes busy %": 100 * scale.nodeLoad,
    "primaries busy %": 100 * scale.primaryLoad,
  };
}
