// The last verification of the books, for the operators.

import type { Model } from "mongoose";
import type { Result } from "../../shared/contracts.ts";
import type { Verification } from "./verification.model.ts";

/** A night and two hours: longer than from one nightly verification to the next. */
const OVERDUE_AFTER_MS = 26 * 3_600_000;

const NONE = {
  startedAt: null,
  finishedAt: null,
  overdue: true,
  ok: null,
  version: null,
  violationCount: null,
  rules: [],
  violations: [],
};

/** @param now epoch ms */
export async function lastVerification(
  verifications: Model<Verification>,
  now: number,
): Promise<Result<"wallet-ledger.verification">> {
  const last = await verifications
    .findOne()
    .readConcern("majority")
    .sort({ finishedAt: -1 })
    .lean<Verification>();
  if (!last) return NONE;
  const { _id, startedAt, finishedAt, ...found } = last;
  return {
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt.toISOString(),
    overdue: now - finishedAt.getTime() > OVERDUE_AFTER_MS,
    ...found,
  };
}
