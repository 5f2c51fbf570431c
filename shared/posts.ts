// Postings on their way to the ledger, gathered. Where the ledger has several nodes, each is sent the
// postings of its own partitions, in one batch at a time: two nodes that write to one partition refuse
// each other's blocks. It is speed alone; any node may post to any wallet, and nodes come and go.

import type { Params, Result } from "./contracts.ts";
import { typeOf } from "./errors.ts";
import { gather } from "./gather.ts";
import { PARTITIONS, partitionOf } from "./partitions.ts";

export type Posting = Params<"wallet-ledger.post">["postings"][number];
export type Posted = Result<"wallet-ledger.post">[number];

export interface Ledger {
  /** @param ledger which of the ledger's nodes is asked, from 0; any where it is left out */
  post(postings: Posting[], ledger?: number): Promise<Posted[]>;
  /** How many nodes the ledger has. */
  ledgers(): number;
}

const BATCH = { maxItems: 500 };

/**
 * One posting at a time for the caller, many in one message. Never throws.
 * @returns failed with `overloaded` where it was not begun, with `unknown` where nobody knows: both
 *   are asked again with the same id
 */
export function gatherPosts({ post, ledgers }: Ledger): (posting: Posting) => Promise<Posted> {
  const anywhere = gather((postings: Posting[]) => post(postings), BATCH);
  const lanes = Array.from({ length: PARTITIONS }, (_, i) =>
    gather((postings: Posting[]) => post(postings, i), BATCH),
  );
  const send = (posting: Posting) => {
    const count = ledgers();
    // What is asked again may be waiting for a node that died: any other will do.
    if (count < 2 || posting.retry) return anywhere(posting);
    const lane = lanes[partitionOf(posting.walletId, PARTITIONS) % count];
    return (lane ?? anywhere)(posting);
  };
  return async (posting) => {
    try {
      return await send(posting);
    } catch (error) {
      const notBegun = typeOf(error) === "UNAVAILABLE";
      return { outcome: "failed", reason: notBegun ? "overloaded" : "unknown" };
    }
  };
}
