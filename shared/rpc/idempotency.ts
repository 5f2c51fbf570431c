// The answers of requests with an Idempotency-Key (docs/integrate/rest-api.md, Idempotency keys). A
// record is stored before the action begins; one upsert decides which of several equal requests
// runs it. The record has the id and the secret of the resource that the action creates. The answer
// is stored before it is sent. If a run ends without a stored answer (a kill, a 500), another run
// takes the record over with the same id and secret. So an action may run twice, and still creates
// one resource, because the second run finds the first run's resource by its id.

import { type mongo, Schema } from "mongoose";
import type { Config } from "../config/config.ts";
import { ERRORS, type ErrorData, type ErrorType, errorType, fail } from "../errors.ts";
import { newId } from "../ids.ts";
import { crashAt } from "../resumable/crash.ts";
import type { SealedCollection } from "../security/reseal.ts";
import { fingerprint, type Sealed, seal, unseal } from "../security/seal.ts";
import { digest, newSecret } from "../security/secrets.ts";
import { isDuplicate, MAJORITY } from "../storage/database.ts";
import type { Creation, KeepAnswers } from "./actions.ts";

interface Refusal {
  type: ErrorType;
  message: string;
  data?: ErrorData;
}

type Outcome = { result: unknown } | { refusal: Refusal };

/** The content of a record as JSON, sealed where the service has keys. */
interface Content {
  secret?: string;
  /** Undefined until a run has ended. */
  outcome?: Outcome;
}

export interface KeyedRequest {
  /** A digest of the caller, the route, the action and the key. */
  _id: string;
  /** A digest of the request, which tells a repeat from another request with the same key. */
  request: string;
  /** The id for the resource (`Creation.id`). */
  madeId: string;
  content: Sealed | string;
  /** Whether `content` has the outcome. */
  isEnded: boolean;
  /** The run that may end the record; after the lease another run takes it over. */
  run: string;
  runs: number;
  leaseUntil: Date;
  /** The start of the last run, and after it the end. */
  keptSince: Date;
}

/** Longer than most actions with a key take, so that two runs seldom overlap. */
const LEASE_MS = 30_000;
const KEPT_S = 24 * 3_600;

export const keyedRequestSchema = new Schema<KeyedRequest>(
  {
    _id: { type: String, required: true },
    request: { type: String, required: true },
    madeId: { type: String, required: true },
    content: { type: Schema.Types.Mixed, required: true } as never,
    isEnded: { type: Boolean, required: true },
    run: { type: String, required: true },
    runs: { type: Number, required: true },
    leaseUntil: { type: Date, required: true },
    keptSince: { type: Date, required: true },
  },
  { versionKey: false },
);
// Removes records after a day (TTL).
keyedRequestSchema.index({ keptSince: 1 }, { expireAfterSeconds: KEPT_S });

/** The place to which encryption binds a record's content (shared/security/seal.ts). */
function contentPlace(id: string): string {
  return `idempotency-key:${id}`;
}

/** The contents of a service's records, for the rotation of encryption keys. */
export function sealedContents(
  name: string,
  collection: mongo.Collection<KeyedRequest>,
): SealedCollection<KeyedRequest> {
  return {
    name,
    collection,
    path: "content",
    notUnder: (keyId) => ({ "content.keyId": { $ne: keyId } }),
    readBoxes: ({ _id, content }) => [{ place: contentPlace(_id), sealed: content as Sealed }],
    replace: (_id, { box }, content) => ({
      updateOne: { filter: { _id, "content.box": box }, update: { $set: { content } } },
    }),
  };
}

/**
 * Keeps the answers of a service's actions.
 * @param config has the crash point of tests
 * @param records the service's records; called after the service has started
 * @param keys seal the answers; only a service whose answers have no secrets and no personal data
 *   leaves them out
 */
export function createKeepAnswers(
  config: Pick<Config, "crashAt">,
  records: () => mongo.Collection<KeyedRequest>,
  keys?: Pick<Config, "encryptionKeys"> & Partial<Pick<Config, "fingerprintKey">>,
): KeepAnswers {
  /** A request may be as short as an account number: without a key its digest reveals it. */
  function hide(request: string): string {
    const { fingerprintKey } = keys ?? {};
    return fingerprintKey ? fingerprint({ fingerprintKey }, ["keyed-request", request]) : request;
  }

  function close(id: string, content: Content): Sealed | string {
    const text = JSON.stringify(content);
    return keys ? seal(keys, contentPlace(id), text) : text;
  }

  /** @throws UNREADABLE */
  function open({ _id, content }: KeyedRequest): Content {
    const isOpen = typeof content === "string";
    const text = isOpen
      ? content
      : unseal(keys ?? { encryptionKeys: [] }, contentPlace(_id), content);
    return JSON.parse(text) as Content;
  }

  /**
   * Stores a record for a new key, or takes over a record without an outcome after its lease.
   * @returns the stored record; its `run` tells whether this run has it
   */
  async function claim(_id: string, request: string, run: string): Promise<KeyedRequest> {
    const content = close(_id, keys ? { secret: newSecret() } : {});
    const update = claiming({ request, madeId: newId(), content, isEnded: false }, run);
    const options = { upsert: true, returnDocument: "after" } as const;
    const upsert = () => records().findOneAndUpdate({ _id }, update, options);
    const record = await upsert().catch((error: unknown) => {
      // The database may refuse one of two simultaneous upserts of a new key.
      if (!isDuplicate(error)) throw error;
      return upsert();
    });
    return record as KeyedRequest;
  }

  /** Ends a run without an outcome: the same request may run again immediately. */
  async function release(
    { _id, run, runs }: KeyedRequest,
    error: unknown,
    asksInTurn: boolean,
  ): Promise<void> {
    const type = errorType(error);
    const status = type === null ? 500 : ERRORS[type].status;
    // Only the refusal of a first run proves that nothing was made, so only then the key is freed.
    const hasMadeNothing = runs === 1 && status < 500;
    const isElsewhere = asksInTurn && status === 404;
    if (hasMadeNothing && !isElsewhere) await records().deleteOne({ _id, run });
    else await records().updateOne({ _id, run }, { $set: { leaseUntil: new Date(0) } });
  }

  /**
   * Stores the outcome of a run.
   * @returns the stored record; it is another run's if that run took over after the lease
   */
  async function end({ _id, run }: KeyedRequest, outcome: Outcome): Promise<KeyedRequest | null> {
    const content = close(_id, { outcome });
    const update = { $set: { content, isEnded: true }, $currentDate: { keptSince: true } } as const;
    const after = { returnDocument: "after" } as const;
    const ended = await records().findOneAndUpdate({ _id, run }, update, after);
    return ended ?? records().findOne({ _id }, MAJORITY);
  }

  /** The answer of an ended record. @throws the action's error; STILL_RUNNING without an outcome */
  function answerOf(record: KeyedRequest | null): unknown {
    const { outcome } = record?.isEnded ? open(record) : {};
    return outcome ? give(outcome) : fail("STILL_RUNNING", undefined, { retryAfterS: 1 });
  }

  /** Runs the handler of a claimed record, and stores its answer before it is sent. */
  async function runOnce(
    record: KeyedRequest,
    { sub, asksInTurn = false }: { sub: string; asksInTurn?: boolean },
    handle: (creation: Creation) => Promise<unknown>,
  ): Promise<unknown> {
    const { secret = newSecret() } = open(record);
    let outcome: Outcome;
    try {
      outcome = {
        result: await handle({ id: record.madeId, secret, isRepeat: record.runs > 1 }),
      };
    } catch (error) {
      const refusal = keptRefusal(error);
      if (!refusal) {
        // If the release fails, the record is free after its lease.
        await release(record, error, asksInTurn).catch(() => {});
        throw error;
      }
      outcome = { refusal };
    }
    crashAt(config, "answer-not-kept", sub);
    return answerOf(await end(record, outcome));
  }

  return async (context, handle) => {
    const { actor, idempotency } = context.meta;
    if (!idempotency) return handle({ id: newId(), secret: newSecret(), isRepeat: false });
    const { sub } = actor ?? fail("UNAUTHORIZED");
    const { route, key, asksInTurn } = idempotency;
    const request = hide(idempotency.request);
    const run = newId();
    const id = digest(JSON.stringify([sub, route, context.action?.name, key]));
    const record = await claim(id, request, run);
    if (record.request !== request) fail("KEY_REUSED");
    return record.run === run ? runOnce(record, { sub, asksInTurn }, handle) : answerOf(record);
  };
}

/**
 * The update that gives a record to a run if it is new, or if its lease has passed without an
 * outcome. The database's clock decides, because the clocks of two nodes may differ.
 */
function claiming(
  fresh: Pick<KeyedRequest, "request" | "madeId" | "content" | "isEnded">,
  run: string,
): mongo.Document[] {
  const request = { $literal: fresh.request };
  // A new record has only its id, and MongoDB orders a missing date before every date.
  const isFree = {
    $and: [
      { $ne: ["$isEnded", true] },
      { $lte: ["$leaseUntil", "$$NOW"] },
      { $eq: [{ $ifNull: ["$request", request] }, request] },
    ],
  };
  const lease = {
    run: { $literal: run },
    runs: { $add: [{ $ifNull: ["$runs", 0] }, 1] },
    leaseUntil: { $add: ["$$NOW", LEASE_MS] },
    keptSince: "$$NOW",
  };
  const claimed = { $mergeObjects: [{ $literal: fresh }, "$$ROOT", lease] };
  return [{ $replaceWith: { $cond: [isFree, claimed, "$$ROOT"] } }];
}

/** Refusals that another body, or the end of a stop, lifts. */
const PASSING: ErrorType[] = ["VALIDATION", "BUSINESS_FROZEN", "ENTITY_FROZEN", "WALLET_FROZEN"];

/**
 * The refusal to store: a decline or a conflict, unless it says when to try again. After other
 * errors the action may run again.
 */
function keptRefusal(error: unknown): Refusal | null {
  const type = errorType(error);
  if (type === null || PASSING.includes(type)) return null;
  const { status } = ERRORS[type];
  const { message, data } = error as { message: string; data?: ErrorData };
  if (data?.retryAfterS !== undefined) return null;
  return status === 400 || status === 409 ? { type, message, ...(data && { data }) } : null;
}

function give(outcome: Outcome): unknown {
  if ("result" in outcome) return outcome.result;
  const { type, message, data } = outcome.refusal;
  return fail(type, message, data);
}
