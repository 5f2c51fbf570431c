// The last verification of the books, for the operators.

import type { Result } from "../../shared/contracts/contracts.ts";
import { type Gauge, gauge } from "../../shared/observability/metrics.ts";
import type { Deps } from "./deps.ts";
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

export async function lastVerification({
  models,
  clock,
}: Deps): Promise<Result<"wallet-ledger.verification">> {
  const last = await models.verifications
    .findOne()
    .readConcern("majority")
    .sort({ finishedAt: -1 })
    .lean<Verification>();
  if (!last) return NONE;
  const { _id, startedAt, finishedAt, ...found } = last;
  return {
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt.toISOString(),
    overdue: clock.now() - finishedAt.getTime() > OVERDUE_AFTER_MS,
    ...found,
  };
}

/** The last verification for the metrics; none if there is none. */
export async function verificationGauges(deps: Deps): Promise<Gauge[]> {
  const { ok, finishedAt } = await lastVerification(deps);
  if (finishedAt === null) return [];
  const ageMs = deps.clock.now() - Date.parse(finishedAt);
  return [
    gauge("payrail_verification_ok", ok ? 1 : 0, {}),
    gauge("payrail_verification_age_seconds", ageMs / 1_000, {}),
  ];
}
