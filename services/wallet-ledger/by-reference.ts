// What is asked for under a caller's reference: fundings and transfers. The document is stored before
// anything is posted and carries the ids of its postings, so that a repeat, a crash and a sweep all
// come to "post the same ids again": it counts once.

import type { FilterQuery, Model, SchemaDefinition } from "mongoose";
import { isDuplicate } from "../../shared/database.ts";
import { fail } from "../../shared/errors.ts";
import type { BlockLog } from "./block-log.ts";
import type { DeclineReason } from "./journal.model.ts";
import type { Posting } from "./postings.ts";

export interface Referenced {
  /** Its postings' ids are made of it. */
  _id: string;
  businessId: string;
  /** The caller's; it counts once for each account that it is about. */
  reference: string;
  amountMinor: number;
  status: "PENDING" | "SUCCESS" | "FAILED";
  /** Why it failed. */
  declined?: DeclineReason;
  createdAt: Date;
  updatedAt: Date;
}

export const referencedFields = {
  _id: { type: String, required: true },
  businessId: { type: String, required: true },
  reference: { type: String, required: true },
  amountMinor: { type: Number, required: true },
  status: { type: String, enum: ["PENDING", "SUCCESS", "FAILED"], required: true },
  declined: String,
} satisfies SchemaDefinition;

/** What the journal came to say. */
export type End = { status: "SUCCESS" } | { status: "FAILED"; declined: DeclineReason };

/**
 * The document of a reference: the one that is there, or a new one. What is posted under its id is on
 * its majority: one that an election can still take back would be posted, and its reference once more.
 * @param key what the unique index is over
 * @throws UNAVAILABLE where somebody else's is on its way to a majority
 */
export async function findOrInsert<T extends Referenced>(
  documents: Model<T>,
  key: FilterQuery<T>,
  fields: Omit<T, "createdAt" | "updatedAt">,
): Promise<T> {
  const find = () => documents.findOne(key).readConcern("majority").lean<T>();
  const known = await find();
  if (known) return known;
  try {
    return (await documents.create(fields)).toObject();
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return (await find()) ?? fail("UNAVAILABLE");
  }
}

/**
 * Posts (again) what a pending document asks for, and stores what the journal says.
 * @throws UNAVAILABLE where that is not known yet: the same call answers it
 */
export async function settle<T extends Referenced>(
  documents: Model<T>,
  document: T,
  post: (document: T) => Promise<End>,
): Promise<T> {
  if (document.status !== "PENDING") return document;
  const end = await post(document);
  const filter = { _id: document._id } as FilterQuery<T>;
  const settled = await documents.findOneAndUpdate(filter, end, { new: true }).lean<T>();
  return settled ?? fail("UNAVAILABLE");
}

/**
 * Posts one id, whether or not it was posted before.
 * @returns why it was declined; null where it is committed
 * @throws UNAVAILABLE where that is not known yet
 */
export async function postAgain(log: BlockLog, posting: Posting): Promise<DeclineReason | null> {
  const answer = await log.post({ posting, retry: true });
  if (answer.outcome === "failed") return fail("UNAVAILABLE");
  return answer.outcome === "declined" ? answer.reason : null;
}

/**
 * A document for who asked for it.
 * @throws INSUFFICIENT_FUNDS, WALLET_DISABLED, BALANCE_BOUND where it failed
 */
export function told<T extends Referenced>(document: T): T {
  if (document.status !== "FAILED") return document;
  if (document.declined === "funds") return fail("INSUFFICIENT_FUNDS");
  if (document.declined === "disabled") return fail("WALLET_DISABLED");
  // The only other reason: an account cannot hold it.
  return fail("BALANCE_BOUND");
}

const SWEEP_AFTER_MS = 10_000;
const SWEEP_AT_MOST = 100;

/** Ends what is pending because its process died before it heard of the postings. */
export async function sweepPending<T extends Referenced>(
  documents: Model<T>,
  post: (document: T) => Promise<End>,
): Promise<void> {
  const before = new Date(Date.now() - SWEEP_AFTER_MS);
  const left = await documents
    .find({ status: "PENDING", createdAt: { $lt: before } } as FilterQuery<T>)
    .readConcern("majority")
    .sort({ createdAt: 1 })
    .limit(SWEEP_AT_MOST)
    .lean<T[]>();
  await Promise.allSettled(left.map((document) => settle(documents, document, post)));
}
