// Postings on their way to the ledger, gathered. If the ledger has several nodes, each node gets
// the postings of its own partitions, in one batch at a time, because two nodes that write to one
// partition refuse each other's blocks. This is only for speed: any node may post to any wallet.

import type { ServiceBroker } from "moleculer";
import { call, nodesServing } from "./actions.ts";
import type { Params, Result } from "./contracts.ts";
import { errorType } from "./errors.ts";
import { gather } from "./gather.ts";
import { PARTITIONS, partitionFor } from "./partitions.ts";

export type Posting = Params<"wallet-ledger.post">["postings"][number];
export type Posted = Result<"wallet-ledger.post">[number];

export interface Ledger {
  /** @param node the index of the ledger's node that is called; any node if it is left out */
  post(postings: Posting[], node?: number): Promise<Posted[]>;
  /** The number of the ledger's nodes. */
  nodeCount(): number;
}

/**
 * Why the ledger declined a posting, or failed for good; null if the posting has to be tried again.
 * @param named the reasons that the caller tells apart
 */
export function declineReason<R extends Posted["reason"]>(
  { outcome, reason }: Posted,
  named: readonly R[],
): R | "other" | null {
  if (outcome === "declined") return named.find((each) => each === reason) ?? "other";
  // A rejected posting can never be stored. Every other failure may follow a debit that this node
  // does not see yet: after an election a majority read may not even show the wallet.
  return reason === "rejected" ? "other" : null;
}

/**
 * Short, because a dead node does not answer, and the same posting is then sent to another node.
 */
const POST_TIMEOUT_MS = 1_500;

/**
 * The ledger as a broker's node reaches it. Calls leave from the broker and not from a request's
 * context, because a batch has postings of many requests.
 */
export function ledgerClient(broker: ServiceBroker): Ledger {
  const nodes = () => nodesServing(broker, "wallet-ledger.post");
  return {
    post(postings, node) {
      const nodeID = node === undefined ? undefined : nodes()[node];
      const options = { timeoutMs: POST_TIMEOUT_MS, nodeID };
      return call(broker, "wallet-ledger.post", { postings }, options);
    },
    nodeCount: () => nodes().length,
  };
}

const BATCH = { maxItems: 500 };

/**
 * Takes single postings and sends many in one message. Never throws.
 * @returns failed with `overloaded` if the posting did not start, with `unknown` if its outcome is
 *   not known: in both cases the caller posts again with the same id
 */
export function gatherPosts({ post, nodeCount }: Ledger): (posting: Posting) => Promise<Posted> {
  const anywhere = gather((postings: Posting[]) => post(postings), BATCH);
  const lanes = Array.from({ length: PARTITIONS }, (_, i) =>
    gather((postings: Posting[]) => post(postings, i), BATCH),
  );
  const send = (posting: Posting) => {
    const count = nodeCount();
    // The node of a repeated posting may have died, so any node gets it.
    if (count < 2 || posting.retry) return anywhere(posting);
    const lane = lanes[partitionFor(posting.walletId, PARTITIONS) % count];
    return (lane ?? anywhere)(posting);
  };
  return async (posting) => {
    try {
      return await send(posting);
    } catch (error) {
      const notBegun = errorType(error) === "UNAVAILABLE";
      return { outcome: "failed", reason: notBegun ? "overloaded" : "unknown" };
    }
  };
}
