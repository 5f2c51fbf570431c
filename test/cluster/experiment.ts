// One experiment: the cast is arranged, the workload runs beside the faults, the faults end, and
// when all is at rest the checker judges.

import mongoose from "mongoose";
import { verify } from "../../verification/verify.ts";
import { check } from "./checker/check.ts";
import { type Evidence, type Finding, readStored } from "./checker/evidence.ts";
import { waitForRest } from "./checker/rest.ts";
import type { Incident, Payrail } from "./contract.ts";
import { computeFigures, type Figures } from "./figures.ts";
import { startOutside } from "./outside/outside.ts";
import { audit } from "./workload/audit.ts";
import { arrangeCast } from "./workload/cast.ts";
import { AUDITOR, startWorkload } from "./workload/workload.ts";

export interface Options {
  seed: number;
  /** How long the workload runs. */
  seconds: number;
}

/** A running payrail that is reached by the workload. */
export interface Subject {
  payrail: Payrail;
  /** Makes faults for that time, and heals them; returns what it did. */
  disturb?(ms: number): Promise<Incident[]>;
  stop(): Promise<unknown>;
}

export interface Outcome {
  evidence: Evidence;
  findings: Finding[];
  figures: Figures;
  /** From the end of the faults until nothing was under way, in ms. */
  restMs: number;
}

/** Time to decide what was begun, and to come to rest, after the faults have ended; in ms. */
const DECIDED_WITHIN_MS = 60_000;
const AT_REST_WITHIN_MS = 120_000;

/** @param start starts payrail with variables that the world outside adds to its environment */
export async function runCluster(
  { seed, seconds }: Options,
  start: (environment: Record<string, string>) => Promise<Subject>,
): Promise<Outcome> {
  const outside = await startOutside(seed);
  const subject = await start(outside.environment);
  try {
    const { payrail } = subject;
    const cast = await arrangeCast(payrail, outside.receivers);
    const workload = await startWorkload(payrail, cast, seed);
    const ms = seconds * 1_000;
    const incidents = await (subject.disturb?.(ms) ?? idle(ms));
    const healedAt = Date.now();
    outside.calm();
    await workload.stop(DECIDED_WITHIN_MS);
    const { left } = await waitForRest(payrail.db, outside.bank, AT_REST_WITHIN_MS);
    const restMs = Date.now() - healedAt;
    const evidence: Evidence = {
      history: workload.history,
      accounts: cast.accounts,
      told: await audit(workload.auditor(), cast),
      payments: outside.bank.book(),
      charges: outside.acquirer.chargeBook(),
      refunds: outside.acquirer.refundBook(),
      arrivals: outside.receivers.arrivals,
      stored: await readStored(payrail.db),
      incidents,
    };
    const findings = [...check(evidence), ...(await verified(payrail))];
    for (const [name, documents] of Object.entries(left)) {
      const what = `${name} were not at rest after ${AT_REST_WITHIN_MS} ms`;
      findings.push({ rule: "terminal", what, evidence: documents });
    }
    const lived = workload.history.filter(({ client }) => client !== AUDITOR);
    return { evidence, findings, figures: computeFigures(lived, incidents), restMs };
  } finally {
    await subject.stop();
    outside.stop();
  }
}

async function idle(ms: number): Promise<Incident[]> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
  return [];
}

/** What payrail's own verification says of its books. */
async function verified({ config }: Payrail): Promise<Finding[]> {
  const url = config.mongoUrl as string;
  const connection = await mongoose.createConnection(url, { autoIndex: false }).asPromise();
  try {
    const { violations } = await verify(connection);
    return violations.map((violation) => ({
      ...{ rule: "verify agrees", what: JSON.stringify(violation), evidence: [] },
    }));
  } finally {
    await connection.close();
  }
}
