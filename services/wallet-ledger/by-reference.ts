// Requests under a caller's reference: fundings, adjustments and transfers. The resumable document is
// stored before the first posting and determines the ids of its postings. A repeated request, a
// restart after a crash, and the sweeper all post the same ids again, so the reference counts once.
//
//   post ──► closed   every posting is committed: SUCCESS
//   post ──► closed   the ledger declined the first one, or the money went back: FAILED
//
// Money that goes from one account to another is two postings, which may be in two partitions: `out`
// to transit, and `in` from it. Only the first may be declined for lack of funds. Between the two
// the document is pending, and its driver posts again until the money has arrived.

import type { Logger } from "moleculer";
import type { mongo } from "mongoose";
import type { Clock } from "../../shared/clock.ts";
import type { EventBody } from "../../shared/contracts/events.ts";
import { fail } from "../../shared/errors.ts";
import { creationTime } from "../../shared/ids.ts";
import type { Metrics } from "../../shared/observability/metrics.ts";
import { LEASE_MS } from "../../shared/resumable/change.ts";
import { type Change, newResumable, type Resumable } from "../../shared/resumable/document.ts";
import { createMachine, type Machine } from "../../shared/resumable/machine.ts";
import type { RelayedEvent } from "../../shared/resumable/relay.ts";
import type { Turns } from "../../shared/resumable/sweeps.ts";
import { MAJORITY } from "../../shared/storage/database.ts";
import { insertAll } from "../../shared/storage/insert-all.ts";
import type { BlockLog } from "./block-log.ts";
import { adopt } from "./earlier-requests.ts";
import type { Posting } from "./postings.ts";
import type { Postings, Referenced } from "./referenced.model.ts";

/** One kind of request. */
export interface RequestKind<T extends Referenced> {
  /** Its label in the metrics. */
  name: string;
  documents: mongo.Collection<T>;
  postings(document: T): Postings;
  /** Whether the reference of a declined request may be used again. */
  freesReference: boolean;
  /** The event of a successful request, epoch ms; null if there is none. */
  toEvent(document: T, at: number): EventBody | null;
}

/** The fields that each request of a kind has by itself. */
export type RequestFields<T extends Referenced> = Omit<
  T,
  keyof Resumable | "declined" | "balanceMinor" | "createdAt" | "updatedAt"
> &
  Pick<T, "_id" | "businessId">;

export interface Requests<T extends Referenced> {
  documents: mongo.Collection<T>;
  machine: Machine<T>;
  /**
   * Stores and posts a request, or finds the one that has its reference already.
   * @throws CONFLICT if the found one does not ask for the same; what forbids a new one;
   *   INSUFFICIENT_FUNDS, WALLET_DISABLED, BALANCE_BOUND; UNAVAILABLE if the outcome is not known
   *   yet: repeat the same call
   */
  perform(asked: Asked<T>): Promise<T>;
}

export interface Asked<T extends Referenced> {
  /** The fields of the unique index. */
  key: Partial<T>;
  fields: RequestFields<T>;
  /**
   * Epoch ms after which no caller waits: nothing new is stored, because a later request with the
   * reference may have been declined meanwhile.
   */
  deadline?: number;
  /** Whether a found request asks for the same. */
  isSame(document: T): boolean;
  /** Throws what forbids a new request; repeats of earlier ones get their answer all the same. */
  permit?(): Promise<void>;
}

/** What the drivers of all kinds share. */
export interface RequestParts {
  clock: Clock;
  turns: Turns;
  log: Pick<Logger, "warn" | "info">;
  metrics: Metrics;
  newId(): string;
  publish(events: RelayedEvent[]): Promise<unknown>;
  /** Called at each point; in production it does nothing. */
  reached(point: RequestPoint, document: Referenced): void;
}

/** Stored; between the halves of a transfer; decided by the journal alone; told to webhooks. */
export type RequestPoint =
  | "request-inserted"
  | "transfer-out-posted"
  | "request-decided"
  | "request-published";

/** Those, and the journal of the same process. */
export interface Parts extends RequestParts {
  post: BlockLog["post"];
}

export function createRequests<T extends Referenced>(
  parts: Parts,
  kind: RequestKind<T>,
): Requests<T> {
  const { clock, reached } = parts;
  const { documents } = kind;
  async function find(filter: Partial<T>): Promise<T | null> {
    const found = (await documents.findOne(filter as mongo.Filter<T>, MAJORITY)) as T | null;
    if (found?.status !== "PENDING" || found.v !== undefined) return found;
    await adopt(documents, clock, found._id);
    return find(filter);
  }
  const machine = createMachine<T>({
    ...parts,
    kind: kind.name,
    documents,
    changeFor: (document, isFresh) => changeFor(parts, kind, document, isFresh),
    outlet: {
      publish: parts.publish,
      toEvent(document, status, at) {
        const body = status === "SUCCESS" ? kind.toEvent(document, at) : null;
        return body && { body };
      },
      estimateBytes: () => EVENT_BYTES,
      published: (document) => reached("request-published", document),
    },
  });

  /**
   * Finds the document of a reference or inserts a new one. The result is always on a majority: if
   * an election rolled back a document after its posting, a repeated request would post the
   * reference once more, under a new id.
   */
  async function findOrInsert({
    key,
    fields,
    permit,
    deadline = Number.POSITIVE_INFINITY,
  }: Asked<T>): Promise<{ document: T; isFresh: boolean }> {
    const known = await find(key);
    if (known) return { document: known, isFresh: false };
    await permit?.();
    const now = clock.now();
    if (now > deadline) return fail("UNAVAILABLE");
    const document = {
      ...newResumable(fields._id),
      ...fields,
      step: "post",
      status: "PENDING",
      nextAttemptAt: now + LEASE_MS,
      // Lists are filtered by the id's time, so the time that they show is the same.
      createdAt: new Date(creationTime(fields._id)),
      updatedAt: new Date(now),
    } as unknown as T;
    const [inserted] = await insertAll(documents, [document]);
    if (inserted === "inserted") return { document, isFresh: true };
    // After an unknown outcome the caller's repeat finds the document by its reference.
    const raced = inserted === "taken" ? await find(key) : null;
    return raced ? { document: raced, isFresh: false } : fail("UNAVAILABLE");
  }

  return {
    documents,
    machine,
    async perform(asked) {
      const { document, isFresh } = await findOrInsert(asked);
      if (!asked.isSame(document)) return fail("CONFLICT");
      if (document.status !== "PENDING") return requireSuccess(document);
      if (isFresh) reached("request-inserted", document);
      const driven = await machine.drive(document, { isFresh });
      const end =
        driven.status === "PENDING" ? await find({ _id: document._id } as Partial<T>) : driven;
      return end && end.status !== "PENDING" ? requireSuccess(end) : fail("UNAVAILABLE");
    },
  };
}

/** An event of a request is smaller, in bytes. */
const EVENT_BYTES = 4_000;

async function changeFor<T extends Referenced>(
  { post, reached, clock }: Parts,
  { postings, freesReference }: RequestKind<T>,
  document: T,
  isFresh: boolean,
): Promise<Change<T>> {
  const end = (status: T["status"], set: Partial<Referenced>) => {
    reached("request-decided", document);
    return {
      set: { step: "closed", updatedAt: new Date(clock.now()), ...set },
      enter: [status],
      hasNoEvents: status === "FAILED",
      next: "never",
    } as Change<T>;
  };
  const { first, second } = postings(document);
  const begun = await decide(post, first, !isFresh);
  if (begun.outcome === "declined") {
    const freed = freesReference && { reference: undefined };
    return end("FAILED", { declined: begun.reason, ...freed });
  }
  const { balance } = begun;
  if (!second) return end("SUCCESS", { balanceMinor: balance });
  reached("transfer-out-posted", document);
  const arrived = await decide(post, second.in, !isFresh);
  if (arrived.outcome === "committed") return end("SUCCESS", { balanceMinor: balance });
  // The other account's balance would leave the safe integers: the money goes back.
  const back = await decide(post, second.back, !isFresh);
  return back.outcome === "committed"
    ? end("FAILED", { declined: arrived.reason })
    : fail("UNAVAILABLE");
}

/**
 * Posts an id until the journal has decided it.
 * @param retry it may have been posted before
 * @throws UNAVAILABLE if the outcome is not known yet
 */
async function decide(post: BlockLog["post"], posting: Posting, retry: boolean) {
  const answer = await post({ posting, ...(retry && { retry }) });
  return answer.outcome === "failed" ? fail("UNAVAILABLE") : answer;
}

function requireSuccess<T extends Referenced>(document: T): T {
  if (document.status !== "FAILED") return document;
  if (document.declined === "funds") return fail("INSUFFICIENT_FUNDS");
  if (document.declined === "disabled") return fail("WALLET_DISABLED");
  // The only other reason: the account's balance would leave the safe integers.
  return fail("BALANCE_BOUND");
}
