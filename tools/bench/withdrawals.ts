// Rows of withdrawals over HTTP: their whole life against a bare-bones service on PostgreSQL and
// against the same durable writes made bare; a process per service against one process; and the
// time of a withdrawal without any other. The client is a separate process on the same machine.

import { createConnection } from "mongoose";
import { newId } from "../../shared/ids.ts";
import { openBare, readSamples } from "./bare-withdrawals.ts";
import { startPeer } from "./peers/withdrawals.ts";
import type { Cpu } from "./support/cpu.ts";
import { inTurns, quantile } from "./support/rate.ts";
import type { Setting } from "./support/setting.ts";
import { type Memory, type System, startSystem } from "./support/system.ts";
import { type AimRow, formatCount, formatCpu, ratioRow } from "./support/table.ts";
import { createUsers } from "./support/users.ts";
import { countOpenIn, measureWholeLife, type Requests, SETTLE_MS } from "./support/whole-life.ts";

/** The warm-up of a single process, payrail's and the peer's, in windows. */
const WARM_UP_IN_ONE = 2;
// As a live system, which has no screening unless it is configured.
const variables = { SANDBOX_SETTLE_MS: String(SETTLE_MS), SCREENING: "off" };

/** The rows against PostgreSQL, against bare writes and over NATS, and the time of one caller. */
export async function benchWithdrawals(setting: Setting): Promise<AimRow[]> {
  const system = await startSystem(setting, { name: "one", variables });
  const atRest = await system.memory();
  const users = await createUsers(system);
  const ours = requestsTo(system, users.withdraw);
  const hot = { ...ours, send: users.withdrawHot };
  setting.say("Withdrawals, warm-up");
  await measureWholeLife(ours, 64, WARM_UP_IN_ONE * setting.ms);
  const rows = [await measureOneCaller(setting, ours)];
  rows.push(...(await measurePeer(setting, ours, hot)));
  rows.push(...(await measureBare(setting, system, ours)));
  const underLoad = await system.memory();
  rows.push(...(await measureOverNats(setting, ours)));
  await system.close();
  rows.push(memoryRow("everything in one process", atRest, underLoad));
  return rows;
}

function requestsTo({ db, cpu }: System, send: () => Promise<void>): Requests {
  return { send, cpu, countOpen: () => countOpenIn(db) };
}

/** The median time of a withdrawal in that of one journalled majority insert. */
async function measureOneCaller({ ms, say, config }: Setting, ours: Requests): Promise<AimRow> {
  say("Withdrawals of one caller");
  const url = config.mongoUrl as string;
  const connection = await createConnection(url, { retryWrites: false }).asPromise();
  const bare = connection.collection<{ _id: string }>("bench_bare_inserts");
  const insert = () =>
    bare.insertOne({ _id: newId() }, { writeConcern: { w: "majority", j: true } });
  const medianOf = (work: () => Promise<unknown>) => async (forMs: number) => {
    const times: number[] = [];
    const end = performance.now() + forMs;
    while (performance.now() < end) {
      const begun = performance.now();
      await work();
      times.push(performance.now() - begun);
    }
    return quantile(times, 0.5);
  };
  await medianOf(ours.send)(ms / 4);
  const { subject, baseline } = await inTurns(ms, medianOf(ours.send), medianOf(insert));
  await connection.close();
  return {
    what: "p50 of a withdrawal, 1 caller",
    baseline: "one bare durable insert",
    figure: subject / baseline,
    aim: { atMost: 3.6 },
    behind: `${subject.toFixed(1)} ms beside ${baseline.toFixed(2)} ms`,
    means: `A caller that is alone waits ${subject.toFixed(1)} ms until its payout and the debit are durable.`,
  };
}

async function measurePeer(setting: Setting, ours: Requests, hot: Requests): Promise<AimRow[]> {
  const peer = await startPeer(setting);
  if (peer === null) return [];
  await measureWholeLife(peer, 64, WARM_UP_IN_ONE * setting.ms);
  const loads = [
    { callers: 64, kind: "64 callers", at: 0.65, to: ours, baseline: peer },
    { callers: 256, kind: "256 callers", at: 0.85, to: ours, baseline: peer },
    {
      callers: 64,
      kind: "64 callers, one hot wallet",
      at: 2,
      to: hot,
      baseline: { ...peer, send: peer.sendHot },
    },
  ];
  const rows: AimRow[] = [];
  for (const { callers, kind, at, to, baseline } of loads) {
    setting.say(`Withdrawals beside PostgreSQL, ${kind}`);
    const compared = await compareLives(setting.ms, callers, to, baseline);
    rows.push(ratioRow([`withdrawals, ${kind}`, "PostgreSQL service"], at, compared));
  }
  await peer.close();
  return rows;
}

async function measureBare(setting: Setting, { db }: System, ours: Requests): Promise<AimRow[]> {
  setting.say("Withdrawals beside their bare writes");
  const bare = await openBare(setting, await readSamples(db));
  const live = (ms: number) => measureWholeLife(ours, 64, ms);
  const compared = await inTurns(setting.ms, live, bare.rate);
  await bare.close();
  const { perSecond, cpu } = compared.subject;
  const { nodeUs, mongodUs } = cpu as Cpu;
  return [
    {
      ...ratioRow(["withdrawals, 64 callers", "their durable writes made bare"], 0.95, compared),
      means: `It makes ${formatCount(perSecond)} payouts a second, each through its whole life.`,
    },
    {
      what: "CPU of a withdrawal, 64 callers",
      figure: nodeUs + mongodUs,
      unit: "us",
      aim: { atMost: 570 },
      behind: formatCpu({ nodeUs, mongodUs }),
    },
  ];
}

/** In windows. */
const WARM_UP_OVER_NATS = 4;

async function measureOverNats(setting: Setting, inOne: Requests): Promise<AimRow[]> {
  const system = await startSystem(setting, { name: "nats", overNats: true, variables });
  const atRest = await system.memory();
  const { withdraw } = await createUsers(system);
  const overNats = requestsTo(system, withdraw);
  // V8 compiles a function after many calls, each process for itself. The one process is hot from
  // the rows before.
  setting.say("Withdrawals over NATS, warm-up");
  await measureWholeLife(overNats, 64, WARM_UP_OVER_NATS * setting.ms);
  const rows: AimRow[] = [];
  for (const [callers, atLeast] of [
    [64, 0.92],
    [256, 0.85],
  ] as const) {
    setting.say(`Withdrawals over NATS, ${callers} callers`);
    const compared = await compareLives(setting.ms, callers, overNats, inOne);
    const names: [string, string] = [`withdrawals over NATS, ${callers} callers`, "in one process"];
    rows.push(ratioRow(names, atLeast, compared));
  }
  const underLoad = await system.memory();
  await system.close();
  return [...rows, memoryRow("a process per service over NATS", atRest, underLoad)];
}

/** The sum under load; beside it each process, at rest and under load. */
function memoryRow(how: string, atRest: Memory, underLoad: Memory): AimRow {
  const each = Object.entries(underLoad).map(
    ([name, mb]) => `${name} ${formatCount(atRest[name] ?? 0)} → ${formatCount(mb)}`,
  );
  return {
    what: `resident memory, ${how}, under load`,
    figure: Object.values(underLoad).reduce((sum, mb) => sum + mb, 0),
    unit: "MB",
    behind: `at rest → under load: ${each.join(", ")}`,
  };
}

function compareLives(ms: number, callers: number, to: Requests, than: Requests) {
  return inTurns(
    ms,
    (forMs) => measureWholeLife(to, callers, forMs),
    async (forMs) => (await measureWholeLife(than, callers, forMs)).perSecond,
  );
}
