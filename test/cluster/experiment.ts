// One experiment: a plant is started and the cast arranged, the workload runs beside the faults of
// the nemesis, and when the faults are healed and all is at rest, the checker judges.

import { setTimeout } from "node:timers/promises";
import mongoose from "mongoose";
import { verify } from "../../tools/verify/verify.ts";
import { check } from "./checker/check.ts";
import { type Evidence, type Finding, readStored } from "./checker/evidence.ts";
import { waitForRest } from "./checker/rest.ts";
import type { Incident, Payrail } from "./contract.ts";
import { computeFigures, type Figures } from "./figures.ts";
import { runNemesis } from "./nemesis/nemesis.ts";
import { type Outside, startOutside } from "./outside/outside.ts";
import { type Plant, startPlant } from "./plant/plant.ts";
import { audit } from "./workload/audit.ts";
import { arrangeCast } from "./workload/cast.ts";
import { AUDITOR, startWorkload } from "./workload/workload.ts";

export interface Options {
  seed: number;
  /** How long the workload runs beside the faults. */
  seconds: number;
  /** The names of the faults; all by default. */
  faults?: string[];
  say: (line: string) => void;
  /** Is told at once how to stop the nodes, because a signal may end the run. */
  onStart?: (stop: () => Promise<void>) => void;
}

export interface Outcome {
  seed: number;
  evidence: Evidence;
  findings: Finding[];
  figures: Figures;
  /** From the last heal until nothing was under way, in ms. */
  restMs: number;
  /** The folder of the nodes' logs; it is removed if there are no findings. */
  logs: string;
}

/** How long the workload runs before the first fault, for the figures; in ms. */
const CALM_MS = 5_000;
/** Time to decide what was begun, and to come to rest, after the last heal; in ms. */
const DECIDED_WITHIN_MS = 60_000;
const AT_REST_WITHIN_MS = 120_000;

/** @throws if the plant does not start, or payrail cannot be read at the end */
export async function runCluster(options: Options): Promise<Outcome> {
  const outside = await startOutside(options.seed);
  const { environment } = outside;
  const plant = await startPlant({ environment, onStart: options.onStart }).catch((error) => {
    outside.stop();
    throw error;
  });
  let keepLogs = true;
  try {
    const outcome = await run(options, plant, outside);
    keepLogs = outcome.findings.length > 0;
    return outcome;
  } finally {
    await plant.stop({ keepLogs });
    outside.stop();
  }
}

async function run(
  { seed, seconds, faults, say }: Options,
  plant: Plant,
  outside: Outside,
): Promise<Outcome> {
  const cast = await arrangeCast(plant, outside.receivers);
  const workload = await startWorkload(plant, cast, seed);
  const incidents: Incident[] = [];
  await setTimeout(CALM_MS);
  const from = Date.now();
  const until = from + seconds * 1_000;
  const note = (incident: Incident) => {
    incidents.push(incident);
    say(lineOf(incident, from));
  };
  const findings: Finding[] = [];
  await runNemesis(plant, seed, { until, say, ...(faults && { only: faults }) }, note).catch(
    ({ message }: Error) => {
      findings.push({ rule: "recovers", what: message, evidence: incidents.slice(-3) });
    },
  );
  const healedAt = Math.max(...incidents.map((incident) => incident.until));
  outside.calm();
  await workload.stop(DECIDED_WITHIN_MS);
  const { left } = await waitForRest(plant.db, outside.bank, AT_REST_WITHIN_MS);
  const restMs = Date.now() - healedAt;
  for (const [name, documents] of Object.entries(left)) {
    const what = `${name} were not at rest ${restMs} ms after the last heal`;
    findings.push({ rule: "terminal", what, evidence: documents });
  }
  const evidence: Evidence = {
    history: workload.history,
    accounts: cast.accounts,
    told: await audit(workload.auditor(), cast),
    payments: outside.bank.book(),
    heard: outside.bank.firstHeard(),
    charges: outside.acquirer.chargeBook(),
    refunds: outside.acquirer.refundBook(),
    arrivals: outside.receivers.arrivals,
    stored: await readStored(plant.db),
    incidents,
  };
  findings.push(...check(evidence), ...(await verified(plant)));
  const lived = workload.history.filter(({ client }) => client !== AUDITOR);
  const figures = computeFigures(lived, incidents);
  return { seed, evidence, findings, figures, restMs, logs: plant.logs };
}

const inSeconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

function lineOf({ name, target, from, until }: Incident, since: number): string {
  return `${inSeconds(from - since).padStart(8)}  ${name} (${target}) for ${inSeconds(until - from)}`;
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
