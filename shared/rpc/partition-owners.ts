// The owner of a partition: the ledger's node that callers send its postings to, because two nodes
// that write to one partition refuse each other's blocks. Ownership is only for speed: any node may
// post to any wallet, callers may disagree about the owner, and the fence in the journal (the
// unique number of a block) alone decides between nodes.
//
// Each pair of a node and a partition has a hash, and the highest hashes win (rendezvous hashing).
// So all callers that see the same nodes name the same owners without asking anyone, and a node
// that comes or goes moves few partitions. A node owns at most its share, rounded up: without this
// bound the busiest of 4 nodes owns 6.2 of 16 partitions on average, and all four together do no
// more than 2.6 of them can. A node that joins 4 others then moves 4.0 partitions instead of 3.2.

import { createHash } from "node:crypto";
import { PARTITIONS } from "./partitions.ts";

/** By partition; undefined while no node is known. */
export type Owners = readonly (string | undefined)[];

/** @param nodes the ids of the ledger's nodes, in any order */
export function assignOwners(nodes: readonly string[]): Owners {
  const share = Math.ceil(PARTITIONS / nodes.length);
  const owners = Array.from<string | undefined>({ length: PARTITIONS });
  const owned = new Map(nodes.map((node) => [node, 0]));
  const pairs = nodes.flatMap((node) => owners.map((_, p) => ({ node, p, hash: hashOf(node, p) })));
  for (const { node, p } of pairs.toSorted((a, b) => (a.hash < b.hash ? 1 : -1))) {
    const count = owned.get(node) ?? 0;
    if (owners[p] !== undefined || count >= share) continue;
    owners[p] = node;
    owned.set(node, count + 1);
  }
  return owners;
}

function hashOf(node: string, p: number): string {
  return createHash("sha256").update(`${p} ${node}`).digest("hex");
}

/**
 * The time for which a node that did not answer in time owns nothing. It covers the time until the
 * heartbeats of a frozen node are missed. A node that cannot reach the database costs its callers
 * one timeout in this time.
 */
const LATE_FOR_MS = 10_000;

/** The owners as the calls of one broker see them. */
export function ledgerOwners() {
  /** The nodes that did not answer in time, and the ends of their times by performance.now. */
  const lateUntil = new Map<string, number>();
  /** The last assignment, because the nodes seldom change. */
  let last = { key: "", owners: assignOwners([]) };
  const isInTime = (node: string) => (lateUntil.get(node) ?? 0) <= performance.now();
  return {
    /** Notes that a node did not answer in time. */
    markUnresponsive(node: string): void {
      for (const each of lateUntil.keys()) if (isInTime(each)) lateUntil.delete(each);
      lateUntil.set(node, performance.now() + LATE_FOR_MS);
    },

    /**
     * The owners among the nodes that answer in time. If no node does, as during an election of the
     * database, the owners stay where they were.
     * @param nodes the ids of the ledger's nodes, sorted
     */
    among(nodes: readonly string[]): Owners {
      const inTime = lateUntil.size === 0 ? nodes : nodes.filter(isInTime);
      const some = inTime.length === 0 ? nodes : inTime;
      const key = some.join();
      if (key !== last.key) last = { key, owners: assignOwners(some) };
      return last.owners;
    },
  };
}
