// The statistics of a business, or of all: documents by the day of their creation and by their
// outcome, aggregated in MongoDB. An id contains the time of creation, so a day is a range of ids,
// and an index over the business and the id has only the documents that are counted.

import type { mongo } from "mongoose";
import type { Infer } from "../contracts/field.ts";
import {
  type allStatisticsParams,
  DAYS,
  type FlowGroup,
  type statisticsRows,
} from "../contracts/statistics.ts";
import { failField } from "../errors.ts";
import { lowestIdAt } from "../ids.ts";
import { toDecimal } from "../money.ts";
import type { Resumable } from "../resumable/document.ts";
import { BROAD_READ_MS, MAJORITY, orTooBroad } from "./database.ts";

/** Without a business, of all businesses. */
type Asked = Infer<typeof allStatisticsParams> & { businessId?: string };
type Row = NonNullable<typeof statisticsRows.type>[number];

/** The documents of a flow. Their expressions are MongoDB's. */
export interface Counted<T extends Resumable> {
  flow: FlowGroup;
  documents: mongo.Collection<T>;
  /** Over the business and the id; `shown` limits the fields between them. */
  index: Record<string, 1 | -1>;
  /** The documents that the business sees; all of them by default. */
  shown?: mongo.Filter<T>;
  /** The documents at a step at which another service says whether they count. */
  undecided?: {
    step: T["step"];
    /** The fields that are needed for it. */
    fields: (keyof T & string)[];
    /** Counts those that count. */
    decide(documents: Partial<T>[]): Promise<number>;
  };
  succeeded: T["status"];
  /** The amount in minor units, as the transaction shows it. */
  amountMinor: unknown;
  /** The time to settlement of a document that has succeeded. */
  settledMs?: unknown;
}

interface Group<T = unknown> {
  _id: { day: string; status: string };
  count: number;
  undecided: Partial<T>[];
  amountMinor: number;
  feesMinor: number;
  medianMs?: number;
  p95Ms?: number;
}

/**
 * A row for each day of the asked range.
 * @param now epoch ms
 * @throws VALIDATION for a range that ends before it begins, or that is too long; TOO_BROAD
 */
export async function countByDay<T extends Resumable>(
  counted: Counted<T>,
  { businessId, currency = "USD", ...asked }: Asked,
  now: number,
): Promise<Row[]> {
  const { documents, index, shown, amountMinor, undecided } = counted;
  // The times of all businesses would be too many for one answer of the database.
  const settledMs = (businessId !== undefined && counted.settledMs) || "$$REMOVE";
  const { begin, end } = readRange(asked, now);
  const days = daysIn(begin, end);
  const made = { $gte: lowestIdAt(begin), $lt: lowestIdAt(end) };
  const pipeline = [
    { $match: { ...(businessId !== undefined && { businessId }), _id: made, ...shown, currency } },
    {
      $group: {
        _id: { day: dayAmong(days), status: "$status" },
        count: { $sum: 1 },
        amountMinor: { $sum: amountMinor },
        feesMinor: { $sum: "$feesMinor" },
        settledMs: { $push: settledMs },
        undecided: { $push: undecided ? listedAt(undecided) : "$$REMOVE" },
      },
    },
    { $set: { settledMs: { $sortArray: { input: "$settledMs", sortBy: 1 } } } },
    { $set: { medianMs: atShare(0.5), p95Ms: atShare(0.95) } },
    { $unset: "settledMs" },
  ];
  const options = {
    ...MAJORITY,
    hint: businessId === undefined ? { _id: 1 } : index,
    maxTimeMS: BROAD_READ_MS,
  };
  const groups = await orTooBroad(() => documents.aggregate<Group<T>>(pipeline, options).toArray());
  if (undecided) {
    for (const group of groups) {
      if (group.undecided.length === 0) continue;
      group.count += (await undecided.decide(group.undecided)) - group.undecided.length;
    }
  }
  const byDay = Map.groupBy(groups, ({ _id }) => _id.day);
  return days.map((day) => ({
    day: nameOf(day),
    flow: counted.flow,
    currency,
    ...outcomes(byDay.get(nameOf(day)) ?? [], counted.succeeded),
  }));
}

/** The fields of a document at the step; nothing of other documents. */
function listedAt({ step, fields }: { step: string; fields: string[] }) {
  const listed = Object.fromEntries(["_id", ...fields].map((field) => [field, `$${field}`]));
  return { $cond: [{ $eq: ["$step", step] }, listed, "$$REMOVE"] };
}

const DAY_MS = 86_400_000;

/** The asked range, epoch ms; by default whole days up to the end of today. */
function readRange({ from, to }: Pick<Asked, "from" | "to">, now: number) {
  const end = to === undefined ? startOfDay(now) + DAY_MS : Date.parse(to);
  const begin = from === undefined ? end - DAYS.byDefault * DAY_MS : Date.parse(from);
  if (begin >= end) failField("from", "must be before to");
  if (end - begin > DAYS.atMost * DAY_MS) {
    failField("from", `must be at most ${DAYS.atMost} days before to`);
  }
  return { begin, end };
}

function startOfDay(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS;
}

/** The starts of the days that the range touches, at least one. */
function daysIn(begin: number, end: number): number[] {
  const first = startOfDay(begin);
  return Array.from({ length: Math.ceil((end - first) / DAY_MS) }, (_, i) => first + i * DAY_MS);
}

function nameOf(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}

/** The day of an id. A choice between halves compares each id seven times, not up to 92 times. */
function dayAmong(days: number[]): unknown {
  const middle = Math.floor(days.length / 2);
  const [earlier, later] = [days.slice(0, middle), days.slice(middle)] as const;
  if (earlier.length === 0) return nameOf(later[0] as number);
  const isEarlier = { $lt: ["$_id", lowestIdAt(later[0] as number)] };
  return { $cond: [isEarlier, dayAmong(earlier), dayAmong(later)] };
}

/** A percentile of the sorted times, by nearest rank; missing without a time. */
function atShare(share: number) {
  const rank = { $ceil: { $multiply: [share, { $size: "$settledMs" }] } };
  return { $arrayElemAt: ["$settledMs", { $subtract: [rank, 1] }] };
}

/** @param groups of one day, each of one status */
function outcomes(groups: Group[], success: string): Omit<Row, "day" | "flow" | "currency"> {
  const inStatus = (status: string) => groups.find(({ _id }) => _id.status === status);
  const { count = 0, amountMinor = 0, feesMinor = 0, medianMs, p95Ms } = inStatus(success) ?? {};
  const failed = inStatus("FAILED")?.count ?? 0;
  const all = groups.reduce((sum, group) => sum + group.count, 0);
  const isTimed = medianMs !== undefined && p95Ms !== undefined;
  return {
    succeeded: count,
    failed,
    open: all - count - failed,
    amount: toDecimal(amountMinor),
    fees: toDecimal(feesMinor),
    secondsToSettle: isTimed ? { median: medianMs / 1_000, p95: p95Ms / 1_000 } : null,
  };
}
