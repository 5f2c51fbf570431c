// Postings on their way to the ledger, gathered. Each of the ledger's nodes gets the postings of
// the partitions that it owns (partition-owners.ts), in one batch at a time.

import type { ServiceBroker } from "moleculer";
import type { Params, Result } from "../contracts/contracts.ts";
import { errorType } from "../errors.ts";
import { gather } from "../resumable/gather.ts";
import { call, nodesServing } from "./actions.ts";
import { ownersOf } from "./owner-strategy.ts";
import type { Owners } from "./partition-owners.ts";
import { PARTITIONS, partitionFor } from "./partitions.ts";

export type PostingRequest = Params<"wallet-ledger.post">["postings"][number];
export type Posted = Result<"wallet-ledger.post">[number];

export interface LedgerClient {
  /** @param p the partition whose owner is called */
  post(postings: PostingRequest[], p: number): Promise<Posted[]>;
  owners(): Owners;
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
 * Short, because a node that is frozen or cut off does not answer. From then on another node owns
 * its partitions for a while, and the same posting is sent to the new owner.
 */
const POST_TIMEOUT_MS = 1_500;

/**
 * The ledger as a broker's node reaches it. Calls leave from the broker and not from a request's
 * context, because a batch has postings of many requests.
 */
export function ledgerClient(broker: ServiceBroker): LedgerClient {
  const owners = () => ownersOf(broker).among(nodesServing(broker, "wallet-ledger.post"));
  return {
    post(postings, p) {
      const options = { timeoutMs: POST_TIMEOUT_MS, nodeID: owners()[p] };
      return call(broker, "wallet-ledger.post", { postings }, options);
    },
    owners,
  };
}

const BATCH = { maxItems: 500 };

/**
 * Takes single postings and sends many in one message. Never throws.
 * @returns failed with `overloaded` if the posting did not start, with `unknown` if its outcome is
 *   not known: in both cases the caller posts again with the same id
 */
export function gatherPosts({
  post,
  owners,
}: LedgerClient): (posting: PostingRequest) => Promise<Posted> {
  // All partitions of an owner share the lane of the first of them. A batch that waits while
  // another node becomes the owner leaves for the new owner.
  const lanes = Array.from({ length: PARTITIONS }, (_, p) =>
    gather((postings: PostingRequest[]) => post(postings, p), BATCH),
  );
  const send = (posting: PostingRequest) => {
    const all = owners();
    const first = all.indexOf(all[partitionFor(posting.walletId, PARTITIONS)]);
    return (lanes[first] as (typeof lanes)[number])(posting);
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
