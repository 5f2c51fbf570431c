// The answers of requests with an Idempotency-Key (docs/rest-api.md, Idempotency keys). A record is
// stored before the action begins; one upsert decides which of several equal requests runs it. The
// record has the id and the secret of whatever the action makes. The answer is stored before it is
// sent. If a run ends without a stored answer (a kill, a 500), another run takes the record over, and
// makes the same thing with the same id and secret. So an action may run twice, and still makes one
// thing, because it finds what an earlier run made by the id.

import { type mongo, Schema } from "mongoose";
import type { KeepAnswers, Making } from "./actions.ts";
import type { Config } from "./config.ts";
import { crashAt } from "./crash.ts";
import { isDuplicate, MAJORITY } from "./database.ts";
import { ERRORS, type ErrorData, type ErrorType, errorType, fail } from "./errors.ts";
import { newId } from "./ids.ts";
import type { SealedCollection } from "./reseal.ts";
import { fingerprint, type Sealed, seal, unseal } from "./seal.ts";
import { digest, newSecret } from "./secrets.ts";

interface Refusal {
  type: ErrorType;
  message: string;
  data?: ErrorData;
}

type Outcome = { result: unknown } | { refusal: Refusal };

/** What a record contains as JSON, sealed where the service has keys. */
interface Content {
  secret?: string;
  /** None until a run has ended. */
  outcome?: Outcome;
}

export interface KeyedRequest {
  /** A digest of the caller, the route, the action and the key. */
  _id: string;
  /** A digest of the request; another request with the key has another one. */
  request: string;
  /** `Making.id`. */
  madeId: string;
  content: Sealed | string;
  /** Whether `content` has the outcome. */
  isEnded: boolean;
  /** The run that may end the record; another one takes it over once the lease has passed. */
  run: string;
  runs: number;
  leaseUntil: Date;
  /** The begin of the last run, then its end. */
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

/** The place that a record's sealed content is bound to. */
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
 * @param records usable once the service has started
 * @param keys seal the answers; only a service that answers no secrets and no personal data goes
 *   without
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

  /** Stores a record for a new key, or takes over one without an outcome; leaves any other. */
  async function claim(_id: string, request: string, run: string): Promise<KeyedRequest> {
    const content = close(_id, keys ? { secret: newSecret() } : {});
    const update = claiming({ request, madeId: newId(), content, isEnded: false }, run);
    const options = { upsert: true, returnDocument: "after" } as const;
    const upsert = () => records().findOneAndUpdate({ _id }, update, options);
    const record = await upsert().catch((error: unknown) => {
      // Of two upserts of a new key at the same moment the database may refuse one.
      if (!isDuplicate(error)) throw error;
      return upsert();
    });
    return record as KeyedRequest;
  }

  /** Ends a run without an outcome: the same request may run again at once. */
  async function release({ _id, run, runs }: KeyedRequest, error: unknown): Promise<void> {
    const type = errorType(error);
    // Only the refusal of a first run proves that nothing was made; the key is then as good as new.
    const hasMadeNothing = runs === 1 && type !== null && ERRORS[type].status < 500;
    if (hasMadeNothing) await records().deleteOne({ _id, run });
    else await records().updateOne({ _id, run }, { $set: { leaseUntil: new Date(0) } });
  }

  /** Stores the outcome of a run. @returns the record that counts: of another run after the lease */
  async function end({ _id, run }: KeyedRequest, outcome: Outcome): Promise<KeyedRequest | null> {
    const content = close(_id, { outcome });
    const update = { $set: { content, isEnded: true }, $currentDate: { keptSince: true } } as const;
    const after = { returnDocument: "after" } as const;
    const ended = await records().findOneAndUpdate({ _id, run }, update, after);
    return ended ?? records().findOne({ _id }, MAJORITY);
  }

  /** The answer of an ended record. @throws as the action did; STILL_RUNNING if it has not ended */
  function answerOf(record: KeyedRequest | null): unknown {
    const { outcome } = record?.isEnded ? open(record) : {};
    return outcome ? give(outcome) : fail("STILL_RUNNING", undefined, { retryAfterS: 1 });
  }

  /** Runs the handler of a claimed record, and stores its answer before it is sent. */
  async function runOnce(
    record: KeyedRequest,
    sub: string,
    handle: (making: Making) => Promise<unknown>,
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
        // A record that cannot be released is free once its lease has passed.
        await release(record, error).catch(() => {});
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
    const { route, key } = idempotency;
    const request = hide(idempotency.request);
    const run = newId();
    const id = digest(JSON.stringify([sub, route, context.action?.name, key]));
    const record = await claim(id, request, run);
    if (record.request !== request) fail("KEY_REUSED");
    return record.run === run ? runOnce(record, sub, handle) : answerOf(record);
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
  // A new record has no field but its id, and a missing date is below any other.
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

/**
 * Declines and conflicts are answers, unless they say when to try again; what else refuses a request
 * has made nothing.
 */
function keptRefusal(error: unknown): Refusal | null {
  const type = errorType(error);
  if (type === null || type === "VALIDATION") return null;
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
