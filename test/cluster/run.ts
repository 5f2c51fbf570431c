// npm run test:cluster: runs the whole cluster under faults from seeds, judges each run, and prints
// its findings and its figures.

import { randomInt } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import ansis from "ansis";
import { type Lifetime, live } from "../../tools/platform/lifetime.ts";
import { SetupError } from "../../tools/platform/processes.ts";
import { type Outcome, runCluster } from "./experiment.ts";
import type { Figures } from "./figures.ts";
import { formatFigures, formatSum } from "./figures-table.ts";
import { requireNames } from "./nemesis/faults.ts";

const USAGE = `npm run test:cluster -- [options]

Runs three mongods, three nats-servers and two processes of every service, harms them while clients
withdraw, pay and read, and judges from outside whether money and answers were right.

  --seed N        the first seed; a random one by default
  --seeds N       the number of runs (1), each with the next seed; figures of all at the end
  --seconds N     how long faults are made in each run (60)
  --fault NAME    only this fault; may be repeated
  --keep          keep the history, the evidence and the logs also without a finding
  --json          a summary for programs`;

const SHOWN_AT_MOST = 20;
const SHOWN_CHARACTERS = 400;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    seeds: { type: "string", default: "1" },
    seconds: { type: "string", default: "60" },
    fault: { type: "string", multiple: true },
    keep: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const say = (line: string) => void process.stdout.write(`${line}\n`);

function printOutcome({ evidence, findings, figures, restMs, logs }: Outcome): void {
  for (const { rule, what, evidence: shown } of findings.slice(0, SHOWN_AT_MOST)) {
    say(ansis.red(`${rule}: ${what}`));
    for (const each of shown.slice(0, 5))
      say(`  ${JSON.stringify(each).slice(0, SHOWN_CHARACTERS)}`);
  }
  say(formatFigures(figures));
  const size = `${evidence.history.length} requests, ${evidence.incidents.length} faults`;
  const rest = `at rest ${(restMs / 1_000).toFixed(1)} s after the last heal`;
  const verdict =
    findings.length === 0 ? ansis.green("no findings") : ansis.red(`${findings.length} FINDINGS`);
  say(`\n${size}, ${rest}: ${verdict}`);
  if (findings.length > 0) say(`Logs: ${logs}`);
}

/** Writes the history as JSON lines, and the rest of the evidence and the findings beside it. */
async function keep({ seed, evidence, findings }: Outcome): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), `payrail-seed-${seed}-`));
  const { history, ...others } = evidence;
  const lines = history.map((entry) => JSON.stringify(entry)).join("\n");
  await writeFile(join(directory, "history.jsonl"), `${lines}\n`);
  await writeFile(join(directory, "evidence.json"), JSON.stringify(others));
  await writeFile(join(directory, "findings.json"), JSON.stringify(findings, null, 2));
  say(`Kept: ${directory}`);
}

/** Runs the seeds, and returns the exit code. */
async function main({ onStop }: Lifetime): Promise<number> {
  if (values.help) {
    say(USAGE);
    return 0;
  }
  const seconds = Number(values.seconds);
  const first = Number(values.seed);
  const seeds = Number(values.seeds);
  if (!(seconds > 0) || !(seeds > 0) || !Number.isSafeInteger(first)) throw new SetupError(USAGE);
  requireNames(values.fault ?? []);
  const quiet = values.json ? () => {} : say;
  const runs: Figures[] = [];
  let failed = 0;
  // A night that is stopped or fails tells its figures too.
  onStop(async () => {
    if (runs.length < 2) return;
    quiet(ansis.bold(`\nSeeds ${first} to ${first + runs.length - 1}, ${failed} with findings`));
    quiet(formatSum(runs));
  });
  let isStopping = false;
  const onStart = (stop: () => Promise<void>) =>
    onStop(() => {
      isStopping = true;
      return stop();
    });
  for (let seed = first; seed < first + seeds && !isStopping; seed++) {
    quiet(ansis.bold(`\nSeed ${seed}, ${seconds} s of faults`));
    const faults = values.fault ? { faults: values.fault } : {};
    const outcome = await runCluster({ seed, seconds, say: quiet, onStart, ...faults });
    const { findings, figures, restMs } = outcome;
    runs.push(figures);
    if (findings.length > 0) failed += 1;
    if (values.json) say(JSON.stringify({ seed, findings, figures, restMs }));
    else printOutcome(outcome);
    if (values.keep || findings.length > 0) await keep(outcome);
    if (findings.length > 0) {
      quiet(`Again: npm run test:cluster -- --seed ${seed} --seconds ${seconds}`);
    }
  }
  return failed === 0 ? 0 : 1;
}

process.title = "payrail-cluster-test";

/** The exit code of a run that was stopped or failed; 1 says that there are findings. */
const UNDECIDED = 2;

await live(async (lifetime) => {
  await lifetime.end(await main(lifetime));
}, UNDECIDED);
