// A model of the ledger: voids, and postings that are idempotent by id and declined or committed
// for good. A posting may take long, and may commit after its caller has stopped waiting.

import type { Posted, PostingRequest } from "../../../shared/rpc/posts.ts";
import type { Random } from "../random.ts";
import type { Timeline } from "../timeline.ts";
import type { Books } from "./books.ts";
import type { Serve } from "./network.ts";

interface Decided {
  payload: string;
  posted: Posted;
}

export interface LedgerModel {
  post(postings: PostingRequest[]): Serve<Posted[]>;
  committed(postings: { id: string }[]): Serve<boolean[]>;
  disable(walletId: string, disabled: boolean): void;
}

export function createLedger(options: {
  timeline: Timeline;
  random: Random;
  books: () => Books;
  wallets: Map<string, number>;
  /** The ledger's own clock; epoch ms. */
  now: () => number;
  /** A random delay of a commit, in ms. */
  slow: () => number;
  /**
   * The probability that a majority read does not show the wallet, though it may already be
   * debited.
   */
  unseen: () => number;
  guarded: (work: () => void) => void;
}): LedgerModel {
  const { timeline, random, books, wallets: balances, now, slow, unseen, guarded } = options;
  const decided = new Map<string, Decided>();
  const disabled = new Set<string>();

  function decide(posting: PostingRequest): Posted {
    const { id, void: voided } = posting;
    const payload = extractPayload(posting);
    const known = decided.get(id);
    if (known) {
      return known.payload === payload ? known.posted : { outcome: "failed", reason: "conflict" };
    }
    const posted: Posted = voided ? { outcome: "declined", reason: "void" } : post(posting);
    decided.set(id, { payload, posted });
    return posted;
  }

  function post({ id, kind, walletId, amountMinor, feesMinor }: PostingRequest): Posted {
    const balance = balances.get(walletId) as number;
    const total = amountMinor + feesMinor;
    if (kind === "payout") {
      if (disabled.has(walletId)) return { outcome: "declined", reason: "disabled" };
      if (balance < total) return { outcome: "declined", reason: "funds" };
    }
    balances.set(walletId, kind === "payout" ? balance - total : balance + total);
    guarded(() =>
      kind === "payout" ? books().onDebit(id, walletId) : books().onReversal(id, walletId),
    );
    return { outcome: "committed" };
  }

  function begin(posting: PostingRequest, answer: (posted: Posted) => void): void {
    const { deadline } = posting;
    if (random.chance(unseen())) {
      answer({ outcome: "failed", reason: "unknown" });
      return;
    }
    if (deadline !== undefined && deadline < now()) {
      answer({ outcome: "failed", reason: "unknown" });
      return;
    }
    if (random.chance(slow() / 4)) {
      answer({ outcome: "failed", reason: "overloaded" });
      return;
    }
    const ms = random.chance(slow()) ? random.next() * 15_000 : random.next() * 10;
    timeline.after(ms, null, () => answer(decide(posting)));
  }

  return {
    post: (postings) => (reply) => {
      const answers: Posted[] = [];
      let left = postings.length;
      postings.forEach((posting, i) => {
        begin(posting, (posted) => {
          answers[i] = posted;
          left -= 1;
          if (left === 0) reply(answers);
        });
      });
    },
    // A majority read may be older than the newest decision.
    committed: (postings) => (reply) =>
      reply(
        postings.map(
          ({ id }) => decided.get(id)?.posted.outcome === "committed" && !random.chance(unseen()),
        ),
      ),
    disable(walletId, isDisabled) {
      if (isDisabled) disabled.add(walletId);
      else disabled.delete(walletId);
    },
  };
}

/** The payload of a posting, without the options of its request. */
function extractPayload({
  void: _void,
  retry: _retry,
  deadline: _deadline,
  ...posting
}: PostingRequest): string {
  return JSON.stringify(posting);
}
