// Runs schedules in a thread for tools/commands/simulate.ts.

import { parentPort } from "node:worker_threads";
import type { Suite } from "./suite.ts";

export interface Job {
  suite: string;
  /** The safeguard to remove; the run then ends at the first failure. */
  without?: string;
  from: number;
  count: number;
  /** Returns only the shortened schedule of seed `from`, in lines. */
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
    // Without a safeguard the ledger may also stop itself. Only wrong books count as detection.
    if (violation && (without === undefined || violation.rule !== "process died")) {
      result.failures.push({ seed, ...violation });
    }
    if (result.failures.length >= failuresAtMost) break;
  }
  return result;
}
