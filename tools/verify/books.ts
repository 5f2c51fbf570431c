// The reads of a verification. Every read is a majority read on the primary, in one causally
// consistent session, one after the other. So if a document was read, everything that was stored
// before it is read too, even across an election. A verification goes from the document that was
// stored later to the one that was stored before it (from a block to its payout, from an ended
// payout to its reversal, from an acknowledged state to its event). So it sees no half of a change
// beside live traffic.

import type { Connection, mongo } from "mongoose";
import type { Rail } from "../../partners/types.ts";
import { CLOCKS_DIFFER_BY_MS } from "../../shared/clock.ts";
import { lowestIdAt } from "../../shared/ids.ts";
import { createReport, type Findings } from "./findings.ts";
import type { KeptHead } from "./journal/heads.ts";

/** The streamed collections, in the order of the phases. */
export const PHASES = {
  blocks: "ledger_blocks",
  fundings: "ledger_fundings",
  adjustments: "ledger_adjustments",
  /** Transfers between accounts; every entry of the journal is a transfer too. */
  moves: "ledger_transfers",
  walletTransfers: "ledger_wallet_transfers",
  payouts: "payouts",
  payments: "payments",
  refunds: "payment_refunds",
  subscriptions: "subscriptions",
  invoices: "invoices",
  usage: "usage_log",
  events: "webhook_events",
  deliveries: "webhook_deliveries",
} as const;

export type Phase = keyof typeof PHASES;

/** The measured cost of a byte, 4 by default: a block is hashed, folded and looked up. */
const COST: Partial<Record<Phase, number>> = { blocks: 10, events: 1, deliveries: 1 };

export interface Progress {
  phase: string;
  /** Documents of the phase that are done; `ofAbout` is the estimated total. */
  done: number;
  ofAbout: number;
  /** The estimated part of all the work that is done; 0 to 1. */
  fraction: number;
}

export interface VerifyOptions {
  onProgress?: (progress: Progress) => void;
  /** Heads of the ledger that were kept outside the database. */
  heads?: readonly KeptHead[];
  /** The rails whose files are checked. */
  rails?: readonly Rail[];
  /** Ends the verification with its reason. */
  signal?: AbortSignal;
  /** The moment at which it begins, epoch ms. */
  now?: number;
}

export type Books = ReturnType<typeof openBooks>;

function openBooks(
  db: mongo.Db,
  session: mongo.ClientSession,
  now: number,
  onLooked: (phase: Phase) => void,
) {
  const findings = createReport();
  // A new object for each read, because the driver writes afterClusterTime into readConcern.
  const majority = () => ({ session, readConcern: { level: "majority" as const } });
  return {
    db,
    findings,
    /** No id that was made after the verification began is below this one. */
    began: lowestIdAt(now),
    /** Every id below this one was made before the verification began, even if clocks differ. */
    recently: lowestIdAt(now - CLOCKS_DIFFER_BY_MS),
    find<T extends mongo.Document>(
      collection: string,
      filter: mongo.Filter<T>,
      options?: mongo.FindOptions,
    ): mongo.FindCursor<T> {
      const found = db.collection<T>(collection).find(filter, { ...options, ...majority() });
      return found as unknown as mongo.FindCursor<T>;
    },
    aggregate<T extends mongo.Document>(collection: string, pipeline: mongo.Document[]) {
      return db.collection(collection).aggregate<T>(pipeline, majority());
    },
    /** Counts documents as done. Throws if the verification was aborted. */
    looked(phase: Phase, count: number): void {
      findings.count(phase, count);
      onLooked(phase);
    },
  };
}

export async function withBooks(
  connection: Connection,
  { onProgress, signal, now = Date.now() }: VerifyOptions,
  look: (books: Books) => Promise<void>,
): Promise<Findings["report"]> {
  const client = connection.getClient();
  const db = client.db(connection.name);
  // The sizes take the database longer than the verification of a few documents.
  const progressAt = onProgress && (await measure(db));
  const session = client.startSession({ causalConsistency: true });
  const books = openBooks(db, session, now, (phase) => {
    signal?.throwIfAborted();
    if (progressAt) onProgress(progressAt(phase, books.findings.report.checked[phase] ?? 0));
  });
  try {
    await look(books);
  } finally {
    await session.endSession();
  }
  return books.findings.report;
}

/** Reads the sizes of all phases. @returns the progress for a number of documents of a phase */
async function measure(db: mongo.Db): Promise<(phase: Phase, done: number) => Progress> {
  const phases = Object.keys(PHASES) as Phase[];
  const sizes = new Map<Phase, { count: number; work: number }>();
  for (const phase of phases) {
    const { count, bytes } = await readSize(db, PHASES[phase]);
    sizes.set(phase, { count, work: bytes * (COST[phase] ?? 4) });
  }
  const sum = (some: Phase[]) =>
    some.reduce((total, phase) => total + (sizes.get(phase)?.work ?? 0), 0);
  return (phase, done) => {
    const ofAbout = Math.max(done, sizes.get(phase)?.count ?? 0);
    const before = sum(phases.slice(0, phases.indexOf(phase)));
    const fraction = (before + (sum([phase]) * done) / ofAbout) / sum(phases);
    return { phase, done, ofAbout, fraction };
  };
}

async function readSize(db: mongo.Db, name: string): Promise<{ count: number; bytes: number }> {
  const total = { count: 0, bytes: 0 };
  if (!(await db.listCollections({ name }).hasNext())) return total;
  const pipeline = [{ $collStats: { storageStats: {} } }];
  // One document for each shard.
  for await (const { storageStats } of db.collection(name).aggregate(pipeline)) {
    const { count, size } = storageStats as { count: number; size: number };
    total.count += count;
    total.bytes += size;
  }
  return total;
}

/** The number of documents that are read and checked together. */
export const READ_AT_ONCE = 1_000;

/** The projection of these fields. */
export function select(...fields: string[]): Record<string, 1> {
  return Object.fromEntries(fields.map((field) => [field, 1]));
}

/** The field at a path such as `terms.currency`; undefined if a part of the path is missing. */
export function valueAt(document: mongo.Document, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => Object(value)[name], document);
}

/** The documents that are older than the verification, oldest first, in batches. */
export function readOlder<T extends mongo.Document>(
  { find, began }: Books,
  collection: string,
  projection: Record<string, 1>,
  filter: object = {},
): AsyncGenerator<T[], void, undefined> {
  const older = { _id: { $lt: began }, ...filter } as unknown as mongo.Filter<T>;
  const cursor = find<T>(collection, older, { projection });
  return inBatches(cursor.sort({ _id: 1 }).batchSize(READ_AT_ONCE));
}

/** The results of a cursor in batches, because related documents are read by the ids of a batch. */
export async function* inBatches<T>(
  cursor: AsyncIterable<T>,
  size = READ_AT_ONCE,
): AsyncGenerator<T[], void, undefined> {
  let batch: T[] = [];
  for await (const document of cursor) {
    batch.push(document);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Reads the documents of a collection with these ids, by id; a missing document is left out. */
export async function readAll<T extends { _id: string }>(
  { find }: Pick<Books, "find">,
  collection: string,
  ids: string[],
  projection: Record<string, number>,
): Promise<Map<string, T>> {
  if (ids.length === 0) return new Map();
  const wanted = { _id: { $in: [...new Set(ids)] } } as unknown as mongo.Filter<mongo.Document>;
  const found = await find(collection, wanted, { projection }).toArray();
  return new Map((found as unknown as T[]).map((document) => [document._id, document]));
}
