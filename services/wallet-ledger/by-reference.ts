// Requests under a caller's reference: fundings and transfers. The document is stored before the
// first posting and determines the ids of its postings. A repeated request, a restart after a
// crash, and the sweeper all post the same ids again, so the reference counts once.

import type { FilterQuery, Model, SchemaDefinition } from "mongoose";
import type { Clock } from "../../shared/clock.ts";
import { fail } from "../../shared/errors.ts";
import type { Currency } from "../../shared/money.ts";
import { isDuplicate } from "../../shared/storage/database.ts";
import type { BlockLog } from "./block-log.ts";
import type { DeclineReason } from "./journal.model.ts";
import type { Posting } from "./postings.ts";

export interface Referenced {
  /** The ids of the document's postings are derived from it. */
  _id: string;
  businessId: string;
  /** The caller's reference. It counts once for each account that credits or debits it. */
  reference: string;
  walletId: string;
  currency: Currency;
  amountMinor: number;
  status: "PENDING" | "SUCCESS" | "FAILED";
  declined?: DeclineReason;
  createdAt: Date;
  updatedAt: Date;
}

export const referencedFields = {
  _id: { type: String, required: true },
  businessId: { type: String, required: true },
  reference: { type: String, required: true },
  walletId: { type: String, required: true },
  currency: { type: String, required: true },
  amountMinor: { type: Number, required: true },
  status: { type: String, enum: ["PENDING", "SUCCESS", "FAILED"], required: true },
  declined: String,
  createdAt: { type: Date, required: true },
  updatedAt: { type: Date, required: true },
} satisfies SchemaDefinition;

/** The final outcome of the document's postings in the journal. */
export type PostingsEnd = { status: "SUCCESS" } | { status: "FAILED"; declined: DeclineReason };

/**
 * Finds the document of a reference or inserts a new one. The result is always on a majority.
 * If an election rolled back a document after its posting, a repeated request would post the
 * reference once more, under a new id.
 * @param key the fields of the unique index
 * @throws UNAVAILABLE if a concurrent request inserted the document and a majority does not have it
 *   yet
 */
export async function findOrInsert<T extends Referenced>(
  clock: Clock,
  documents: Model<T>,
  key: FilterQuery<T>,
  fields: Omit<T, "createdAt" | "updatedAt">,
): Promise<T> {
  const find = () => documents.findOne(key).readConcern("majority").lean<T>();
  const known = await find();
  if (known) return known;
  try {
    const now = new Date(clock.now());
    return (await documents.create({ ...fields, createdAt: now, updatedAt: now })).toObject();
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return (await find()) ?? fail("UNAVAILABLE");
  }
}

/**
 * Posts the ids of a pending document, for the first time or again, and stores the outcome.
 * @throws UNAVAILABLE if the outcome is not known yet; the same call posts the same ids again
 */
export async function settle<T extends Referenced>(
  clock: Clock,
  documents: Model<T>,
  document: T,
  post: (document: T) => Promise<PostingsEnd>,
): Promise<T> {
  if (document.status !== "PENDING") return document;
  const end = await post(document);
  const filter = { _id: document._id } as FilterQuery<T>;
  const change = { ...end, updatedAt: new Date(clock.now()) };
  const settled = await documents.findOneAndUpdate(filter, change, { new: true }).lean<T>();
  return settled ?? fail("UNAVAILABLE");
}

/**
 * Posts an id that may have been posted before.
 * @returns the reason of a decline; null if the posting is committed
 * @throws UNAVAILABLE if the outcome is not known yet
 */
export async function postAgain(log: BlockLog, posting: Posting): Promise<DeclineReason | null> {
  const answer = await log.post({ posting, retry: true });
  if (answer.outcome === "failed") return fail("UNAVAILABLE");
  return answer.outcome === "declined" ? answer.reason : null;
}

/**
 * Returns the document of a successful request.
 * @throws INSUFFICIENT_FUNDS, WALLET_DISABLED, BALANCE_BOUND if the request failed
 */
export function requireSuccess<T extends Referenced>(document: T): T {
  if (document.status !== "FAILED") return document;
  if (document.declined === "funds") return fail("INSUFFICIENT_FUNDS");
  if (document.declined === "disabled") return fail("WALLET_DISABLED");
  // The only other reason: the account's balance would leave the safe integers.
  return fail("BALANCE_BOUND");
}

const SWEEP_AFTER_MS = 10_000;
const SWEEP_AT_MOST = 100;

/**
 * Settles the pending documents of processes that died before the outcome was stored.
 * @returns the moment from which a younger one is left behind, epoch ms; undefined if there is none
 */
export async function sweepPending<T extends Referenced>(
  clock: Clock,
  documents: Model<T>,
  post: (document: T) => Promise<PostingsEnd>,
): Promise<number | undefined> {
  const pending = await documents
    .find({ status: "PENDING" } as FilterQuery<T>)
    .readConcern("majority")
    .sort({ createdAt: 1 })
    .limit(SWEEP_AT_MOST)
    .lean<T[]>();
  const leftAt = ({ createdAt }: T) => createdAt.getTime() + SWEEP_AFTER_MS;
  const now = clock.now();
  const left = pending.filter((document) => leftAt(document) < now);
  await Promise.allSettled(left.map((document) => settle(clock, documents, document, post)));
  const first = pending[left.length];
  return first && leftAt(first);
}
