// Runs schedules in a thread of its own, as scripts/simulate.ts asks for them.

import { parentPort } from "node:worker_threads";
import type { Suite } from "./suite.ts";

export interface Job {
  suite: string;
  /** The safeguard that is taken out; then the first failure is enough. */
  without?: string;
  from: number;
  count: number;
  /** Only the schedule of seed `from`, shortened, in lines. */
  explain?: boolean;
}

export interface Failure {
  seed: number;
  rule: string;
  detail: string;
}

export interface Done {
  runs: number;
  events: number;
  failures: Failure[];
  lines: string[];
}

const FAILURES_AT_MOST = 20;
const port = parentPort as NonNullable<typeof parentPort>;
port.on("message", (job: Job) => void done(job).then((result) => port.postMessage(result)));

async function done({ suite: name, without, from, count, explain }: Job): Promise<Done> {
  const { default: suite } = (await import(`./${name}/suite.ts`)) as { default: Suite };
  const result: Done = { runs: 0, events: 0, failures: [], lines: [] };
  if (explain) return { ...result, lines: await suite.explain(from, without) };
  const failuresAtMost = without === undefined ? FAILURES_AT_MOST : 1;
  for (let seed = from; seed < from + count; seed++) {
    const { violation, events } = await suite.run(seed, without);
    result.runs += 1;
    result.events += events;
    // Without a safeguard the ledger may also stop by itself; what counts is that the books are wrong.
    if (violation && (without === undefined || violation.rule !== "process died")) {
      result.failures.push({ seed, ...violation });
    }
    if (result.failures.length >= failuresAtMost) break;
  }
  return result;
}
