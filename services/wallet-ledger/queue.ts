// The queue: the unanswered operations of this process, by partition and id. An id is queued once,
// however many callers wait for it, and leaves the queue with an answer for each of them.

import type { Clock } from "../../shared/clock.ts";
import { type Origin, origins, uniteOrigins, workFor } from "../../shared/rpc/origin.ts";
import type { LedgerBounds } from "./bounds.ts";
import type { DeclineReason } from "./journal.model.ts";
import type { Decided, Undecided } from "./partition.ts";
import { buildLegs, type Posting } from "./postings.ts";

/** A posting and the options of its request. */
export interface Request {
  posting: Posting;
  /**
   * Answer with the journal's decision, or journal a decline. Afterwards the id can never debit.
   */
  void?: boolean;
  /**
   * The id may be in the journal: look it up before the decision, because one repeated id makes the
   * database refuse a whole block.
   */
  retry?: boolean;
  /** Epoch ms. A posting that is not begun by then is answered `unknown`. */
  deadline?: number;
}

/**
 * - committed, declined: durable and final. `balance` is the wallet's after it, in minor units.
 * - failed: `conflict` (the journal has the id with another payload) and `rejected` (this payload
 *   can never be stored) are final, so no block ever holds the id with this payload. `overloaded`
 *   (not queued) and `unknown` are not final: repeat the request with the same id. A wallet that a
 *   read does not show is `unknown`, because a majority read after an election may be older than
 *   the wallet.
 */
export type PostingAnswer =
  | { outcome: "committed"; balance: number }
  | { outcome: "declined"; reason: DeclineReason }
  | { outcome: "failed"; reason: "conflict" | "rejected" | "overloaded" | "unknown" };

/** A posting that waits for its decision, and its callers. */
export interface Operation extends Undecided {
  retry: boolean;
  deadline: number;
  /** Of its first caller. */
  origins: readonly Origin[];
  waiters: Waiter[];
}

interface Waiter {
  /** The hash of this caller's payload: another payload under the id is a conflict. */
  payloadHash: string;
  answer: (answer: PostingAnswer) => void;
}

/** The operations that wait for one partition, by id, and the obstacles to their decision. */
export interface Lane {
  p: number;
  operations: Map<string, Operation>;
  /** A block of the partition is built or in flight. */
  isAppending: boolean;
  /** The fold may be behind the journal: catch up before the next decision. */
  behind: boolean;
  /** One of the operations can never be stored. The lane posts one at a time to find it. */
  oneAtATime: boolean;
  /** The number of failures in a row; the lane pauses until `resumeAt` (epoch ms). */
  failures: number;
  resumeAt: number;
}

export interface Queue {
  size(): number;
  /** Queues a posting and waits for its decision; refuses it if the queue is full. */
  add(p: number, request: Request, payloadHash: string): Promise<PostingAnswer>;
  /**
   * The lanes of the next append: all that are ready. If many operations wait, two appends share
   * the lanes, so that this process builds blocks while the database stores others. With few, the
   * second append would cost more than it gains.
   * @param appends the number of appends in flight
   * @param now epoch ms
   */
  next(appends: number, now: number): Lane[];
  /** The time at which the first of the lanes with operations resumes; epoch ms. */
  resumeAt(): number;
  /** Removes an operation and answers each of its callers. */
  settle(lane: Lane, id: string, answerFor: (payloadHash: string) => PostingAnswer): void;
  /** Removes an operation because its payload can never be stored. */
  reject(lane: Lane, id: string): void;
  /** Removes the operations that are past their deadline. */
  dropOverdue(lane: Lane, now: number): void;
}

export function createQueue(bounds: Pick<LedgerBounds, "queued" | "secondAppend">): Queue {
  const lanes = new Map<number, Lane>();
  let size = 0;

  function laneFor(p: number): Lane {
    let lane = lanes.get(p);
    if (!lane) {
      const clear = { behind: false, oneAtATime: false, failures: 0, resumeAt: 0 };
      lane = { p, operations: new Map(), isAppending: false, ...clear };
      lanes.set(p, lane);
    }
    return lane;
  }

  function isEnough(some: Lane[]): boolean {
    const operations = some.reduce((sum, lane) => sum + lane.operations.size, 0);
    return operations >= bounds.secondAppend;
  }

  const waiting = () => [...lanes.values()].filter(({ operations }) => operations.size > 0);

  function settle(lane: Lane, id: string, answerFor: (payloadHash: string) => PostingAnswer): void {
    const operation = lane.operations.get(id);
    if (!operation) return;
    lane.operations.delete(id);
    size -= 1;
    for (const { payloadHash, answer } of operation.waiters) answer(answerFor(payloadHash));
  }

  return {
    size: () => size,

    add(p, request, payloadHash) {
      const { operations } = laneFor(p);
      const known = operations.get(request.posting.id);
      if (!known && size >= bounds.queued) return Promise.resolve(failed("overloaded"));
      return new Promise((answer) => {
        const waiter = { payloadHash, answer };
        if (known) {
          join(known, request, waiter);
        } else {
          size += 1;
          operations.set(request.posting.id, newOperation(p, request, waiter));
        }
      });
    },

    next(appends, now) {
      const ready = waiting().filter((lane) => !lane.isAppending && lane.resumeAt <= now);
      if (appends > 0) return appends === 1 && isEnough(ready) ? ready : [];
      const [first, second] = [ready.slice(0, ready.length / 2), ready.slice(ready.length / 2)];
      return isEnough(first) && isEnough(second) ? first : ready;
    },

    resumeAt: () => Math.min(...waiting().map((lane) => lane.resumeAt)),

    settle,

    reject(lane, id) {
      const rejected = lane.operations.get(id)?.payloadHash;
      // This proves nothing about another payload under the same id: a block may still hold it.
      settle(lane, id, (asked) => failed(asked === rejected ? "rejected" : "unknown"));
    },

    dropOverdue(lane, now) {
      for (const [id, { deadline }] of lane.operations) {
        if (deadline < now) settle(lane, id, () => failed("unknown"));
      }
    },
  };
}

function newOperation(p: number, request: Request, waiter: Waiter): Operation {
  return {
    posting: request.posting,
    legs: buildLegs(request.posting, p),
    payloadHash: waiter.payloadHash,
    void: request.void ?? false,
    retry: request.retry ?? false,
    deadline: request.deadline ?? Number.POSITIVE_INFINITY,
    origins: origins(),
    waiters: [waiter],
  };
}

/** Adds a caller to a queued operation. A void by any caller voids the operation for all. */
function join(operation: Operation, request: Request, waiter: Waiter): void {
  operation.waiters.push(waiter);
  operation.void ||= request.void ?? false;
  operation.retry ||= request.retry ?? false;
  operation.deadline = Math.max(operation.deadline, request.deadline ?? Number.POSITIVE_INFINITY);
}

/** Runs work for the requests that wait in these lanes. */
export function workForLanes<T>(lanes: Lane[], work: () => T): T {
  const operations = lanes.flatMap((lane) => [...lane.operations.values()]);
  return workFor(uniteOrigins(operations.map((each) => each.origins)), work);
}

const BACKOFF_MS = { first: 20, most: 1_000 };

/** Pauses a lane, the longer the more failures it had in a row. */
export function backOff(lane: Lane, clock: Clock): void {
  const wait = Math.min(BACKOFF_MS.first * 2 ** Math.min(lane.failures, 10), BACKOFF_MS.most);
  lane.resumeAt = clock.now() + wait * (0.5 + clock.random() / 2);
}

/**
 * The answer to a caller if the journal has the id.
 * @param asked the hash of the caller's payload
 */
export function toAnswer(
  { payloadHash, outcome, reason, balance }: Decided,
  asked: string,
): PostingAnswer {
  if (payloadHash !== asked) return failed("conflict");
  if (outcome === "committed") return { outcome, balance };
  return { outcome, reason: reason as DeclineReason };
}

export function failed(
  reason: Extract<PostingAnswer, { outcome: "failed" }>["reason"],
): PostingAnswer {
  return { outcome: "failed", reason };
}
