// npm run simulate: runs schedules of the simulations from seeds, and removes each safeguard until
// a schedule fails. For failing seeds it prints the schedules, the shortest first, and the command
// that repeats them.

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import ansis from "ansis";
import type { Safeguard } from "../simulate/suite.ts";
import type { Done, Failure, Job } from "../simulate/worker.ts";

const USAGE = `npm run simulate -- [options]

Runs schedules of the simulations. Then it removes one safeguard after the other, and runs schedules
without it until one fails.

  --seeds N         the number of schedules (10000); each removed safeguard gets at least 10000
  --from K          the first seed (1)
  --suite NAME      only this simulation: ledger, payouts
  --without NAME    only the schedules without this safeguard; "none": only the whole code;
                    "nothing": the whole code, loaded like code without a safeguard
  --json            a summary for programs`;

const SUITES = ["ledger", "payouts"];
const ORDINARY_SEEDS = 10_000;
const SEEDS_PER_JOB = 200;
const THREADS_AT_MOST = 4;
const EXPLAINED_AT_MOST = 5;

interface Summary {
  suite: string;
  schedules: number;
  events: number;
  seconds: number;
  failures: (Failure & { schedule?: string[] })[];
  /** The seed of the schedule that detected the missing safeguard; null if none did. */
  safeguards: (Partial<Omit<Failure, "seed">> & {
    name: string;
    seed: number | null;
    schedule?: string[];
  })[];
}

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: String(ORDINARY_SEEDS) },
    from: { type: "string", default: "1" },
    suite: { type: "string" },
    without: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

/** Opens threads, each of which runs one job after another. */
function openThreads(count: number) {
  const free: Worker[] = [];
  const waiting: ((worker: Worker) => void)[] = [];
  const url = new URL("../simulate/worker.ts", import.meta.url);
  const workers = Array.from({ length: count }, () => new Worker(url));
  free.push(...workers);
  const release = (worker: Worker) => {
    const next = waiting.shift();
    if (next) next(worker);
    else free.push(worker);
  };
  return {
    async run(job: Job): Promise<Done> {
      const worker = free.pop() ?? (await new Promise<Worker>((resolve) => waiting.push(resolve)));
      return new Promise((resolve, reject) => {
        worker.once("error", reject);
        worker.once("message", (done: Done) => {
          worker.off("error", reject);
          release(worker);
          resolve(done);
        });
        worker.postMessage(job);
      });
    },
    close: () => Promise.all(workers.map((worker) => worker.terminate())),
  };
}

type Threads = ReturnType<typeof openThreads>;

async function simulate(
  threads: Threads,
  suite: string,
  { from, seeds, without }: { from: number; seeds: number; without?: string },
): Promise<Summary> {
  const startedAt = performance.now();
  const jobs: Job[] = [];
  for (let at = from; at < from + seeds; at += SEEDS_PER_JOB) {
    jobs.push({ suite, from: at, count: Math.min(SEEDS_PER_JOB, from + seeds - at) });
  }
  const withAll = without === undefined || without === "none";
  const done = withAll ? await Promise.all(jobs.map(threads.run)) : [];
  const taken =
    without === undefined ? (await import(listSafeguards(suite))).default.safeguards : [];
  const removed: Safeguard[] = withAll ? taken : [{ name: without }];
  const safeguards = await Promise.all(
    removed.map(async ({ name, rareSeed }) => {
      // A small `--seeds` does not limit the schedules in which a missing safeguard must be
      // detected.
      const count = without === undefined ? Math.max(seeds, ORDINARY_SEEDS) : seeds;
      const search = async (job: Pick<Job, "from" | "count">) =>
        (await threads.run({ suite, without: name, ...job })).failures[0];
      const rare = rareSeed === undefined ? undefined : await search({ from: rareSeed, count: 1 });
      const first = rare ?? (await search({ from, count }));
      if (!first) return { name, seed: null };
      if (without === undefined) return { ...first, name };
      const job = { suite, without: name, from: first.seed, count: 1, explain: true };
      return { ...first, name, schedule: (await threads.run(job)).lines };
    }),
  );
  const failures = await explained(
    threads,
    suite,
    done.flatMap((each) => each.failures),
  );
  const sum = (of: (each: Done) => number) => done.reduce((total, each) => total + of(each), 0);
  const seconds = (performance.now() - startedAt) / 1_000;
  const schedules = sum(({ runs }) => runs);
  const events = sum((each) => each.events);
  return { suite, schedules, events, seconds, failures, safeguards };
}

const listSafeguards = (suite: string) =>
  new URL(`../simulate/${suite}/suite.ts`, import.meta.url).href;

/** The first failures with their schedules, the shortest first. */
async function explained(
  threads: Threads,
  suite: string,
  failures: Failure[],
): Promise<Summary["failures"]> {
  const first = failures.toSorted((a, b) => a.seed - b.seed).slice(0, EXPLAINED_AT_MOST);
  const explanations = await Promise.all(
    first.map(async (failure) => {
      const job = { suite, from: failure.seed, count: 1, explain: true };
      return { ...failure, schedule: (await threads.run(job)).lines };
    }),
  );
  return explanations.toSorted((a, b) => a.schedule.length - b.schedule.length);
}

function print({ suite, schedules, events, seconds, failures, safeguards }: Summary): void {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const [first] = failures;
  if (first) {
    say(ansis.bold(`\nSeed ${first.seed} of ${suite}, the shortest of the failing schedules:`));
    for (const line of first.schedule ?? []) say(line);
  }
  for (const { seed, rule, detail } of failures) {
    say(ansis.red(`\nSeed ${seed} broke "${rule}": ${detail}`));
    say(`Again: npm run simulate -- --suite ${suite} --without none --seeds 1 --from ${seed}`);
  }
  for (const { name, seed, rule, detail, schedule = [] } of safeguards) {
    for (const line of schedule) say(line);
    const verdict =
      seed === null ? ansis.red("   UNNOTICED") : ansis.green(`seed ${seed}`.padStart(12));
    say(`without ${name.padEnd(38)} ${verdict}  ${rule ? `${rule}: ${detail}` : ""}`);
  }
  const count = (value: number) => value.toLocaleString("en");
  const verdict = failures.length === 0 ? ansis.green("nothing broken") : ansis.red("BROKEN");
  const size = `${count(schedules)} schedules, ${count(events)} events`;
  say(`${suite}: ${size} in ${seconds.toFixed(1)} s: ${verdict}`);
}

async function main(): Promise<void> {
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const seeds = Number(values.seeds);
  const from = Number(values.from);
  const suites = SUITES.filter((name) => values.suite === undefined || values.suite === name);
  if (!(seeds > 0) || !(from >= 0) || suites.length === 0) throw new Error(USAGE);
  const threads = openThreads(Math.min(availableParallelism(), THREADS_AT_MOST));
  const summaries: Summary[] = [];
  for (const suite of suites) {
    const summary = await simulate(threads, suite, { from, seeds, without: values.without });
    summaries.push(summary);
    if (!values.json) print(summary);
  }
  await threads.close();
  if (values.json) process.stdout.write(`${JSON.stringify(summaries)}\n`);
  const isProven = ({ failures, safeguards }: Summary) =>
    failures.length === 0 && safeguards.every(({ seed }) => seed !== null);
  process.exitCode = summaries.every(isProven) ? 0 : 1;
}

await main();
