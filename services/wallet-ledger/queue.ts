// The queue: what was asked of this process and is not answered yet, by partition and id. An id is
// there once, however many wait for it, and leaves with one answer for all of them.

import type { DeclineReason } from "./journal.model.ts";
import type { Decided, Undecided } from "./partition.ts";
import { legsOf, type Posting } from "./postings.ts";

/** A posting and how it is asked for. */
export interface Request {
  posting: Posting;
  /** Answer what the journal has, or journal a decline: afterwards the id can never debit. */
  void?: boolean;
  /** The id may be in the journal: look before deciding, as one replayed id fails a whole block. */
  retry?: boolean;
  /** Epoch ms after which it is not begun any more; the answer is then `unknown`. */
  deadline?: number;
}

/**
 * - committed, declined: durable, the same for ever.
 * - failed: `conflict` (the id stands for another payload) and `rejected` (this payload can never be
 *   stored) are final, so no block ever holds the id with this payload. `overloaded` (not taken in)
 *   and `unknown` are to be asked again with the same id; a wallet that no read shows is `unknown`,
 *   because a majority read after an election may be older than the wallet.
 */
export type Answer =
  | { outcome: "committed" }
  | { outcome: "declined"; reason: DeclineReason }
  | { outcome: "failed"; reason: "conflict" | "rejected" | "overloaded" | "unknown" };

/** A posting that waits for its decision, and who waits for it. */
export interface Operation extends Undecided {
  retry: boolean;
  deadline: number;
  waiters: Waiter[];
}

interface Waiter {
  /** Of what this one asked for: another payload under the id is a conflict. */
  payloadHash: string;
  answer: (answer: Answer) => void;
}

/** The operations that wait for one partition, by id, and what stands in their way. */
export interface Lane {
  p: number;
  operations: Map<string, Operation>;
  /** The fold may be behind the journal: catch up before deciding. */
  behind: boolean;
  /** One of the operations can never be stored: which one, shows when each goes alone. */
  oneAtATime: boolean;
  /** Failures in a row, and until when (epoch ms) the lane is left alone. */
  failures: number;
  resumeAt: number;
}

export interface Queue {
  size(): number;
  /** Waits for the decision of a posting; above the bound it is not taken in. */
  add(p: number, request: Request, payloadHash: string): Promise<Answer>;
  /** The lanes that have something to do. */
  waiting(): Lane[];
  /** Takes an operation out, with this answer for all who wait for it. */
  settle(lane: Lane, id: string, answerFor: (payloadHash: string) => Answer): void;
  /** Takes an operation out because its payload can never be stored. */
  reject(lane: Lane, id: string): void;
  /** Takes out what nobody waits for any more. */
  dropOverdue(lane: Lane, now: number): void;
}

/** @param bound operations that may wait at a time */
export function createQueue(bound: number): Queue {
  const lanes = new Map<number, Lane>();
  let size = 0;

  function laneOf(p: number): Lane {
    let lane = lanes.get(p);
    if (!lane) {
      const clear = { behind: false, oneAtATime: false, failures: 0, resumeAt: 0 };
      lane = { p, operations: new Map(), ...clear };
      lanes.set(p, lane);
    }
    return lane;
  }

  function settle(lane: Lane, id: string, answerFor: (payloadHash: string) => Answer): void {
    const operation = lane.operations.get(id);
    if (!operation) return;
    lane.operations.delete(id);
    size -= 1;
    for (const { payloadHash, answer } of operation.waiters) answer(answerFor(payloadHash));
  }

  return {
    size: () => size,

    add(p, request, payloadHash) {
      const { operations } = laneOf(p);
      const known = operations.get(request.posting.id);
      if (!known && size >= bound) return Promise.resolve(failed("overloaded"));
      return new Promise((answer) => {
        const waiter = { payloadHash, answer };
        if (known) {
          join(known, request, waiter);
        } else {
          size += 1;
          operations.set(request.posting.id, operationOf(p, request, waiter));
        }
      });
    },

    waiting: () => [...lanes.values()].filter(({ operations }) => operations.size > 0),

    settle,

    reject(lane, id) {
      const rejected = lane.operations.get(id)?.payloadHash;
      // Nothing is proven of another payload under the same id: a block may hold it yet.
      settle(lane, id, (asked) => failed(asked === rejected ? "rejected" : "unknown"));
    },

    dropOverdue(lane, now) {
      for (const [id, { deadline }] of lane.operations) {
        if (deadline < now) settle(lane, id, () => failed("unknown"));
      }
    },
  };
}

function operationOf(p: number, request: Request, waiter: Waiter): Operation {
  return {
    posting: request.posting,
    legs: legsOf(request.posting, p),
    payloadHash: waiter.payloadHash,
    void: request.void ?? false,
    retry: request.retry ?? false,
    deadline: request.deadline ?? Number.POSITIVE_INFINITY,
    waiters: [waiter],
  };
}

/** Who asks for an id that is queued waits for the same decision; a void overtakes it. */
function join(operation: Operation, request: Request, waiter: Waiter): void {
  operation.waiters.push(waiter);
  operation.void ||= request.void ?? false;
  operation.retry ||= request.retry ?? false;
  operation.deadline = Math.max(operation.deadline, request.deadline ?? Number.POSITIVE_INFINITY);
}

/** The answer to who asked for an id that the journal has. */
export function answerOf({ payloadHash, outcome, reason }: Decided, asked: string): Answer {
  if (payloadHash !== asked) return failed("conflict");
  if (outcome === "committed") return { outcome };
  return { outcome, reason: reason as DeclineReason };
}

export function failed(reason: Extract<Answer, { outcome: "failed" }>["reason"]): Answer {
  return { outcome: "failed", reason };
}
