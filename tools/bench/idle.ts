// What idle services cost: the commands that they send to MongoDB, and the CPU of all processes, with
// one and with more replicas of each service.

import type { mongo } from "mongoose";
import { pause } from "../platform/processes.ts";
import type { Row } from "./support/rate.ts";
import type { Setting } from "./support/setting.ts";
import { startSystem } from "./support/system.ts";

const REPLICAS = [1, 3];
/** The start has settled by then. */
const SETTLES_MS = 5_000;
const SHORTEST_MS = 10_000;

/** Measures commands a second, and CPU in per cent of a core. */
export async function benchIdle(setting: Setting): Promise<Row[]> {
  const rows: Row[] = [];
  for (const replicas of REPLICAS) rows.push(await measure(setting, replicas));
  return rows;
}

async function measure(setting: Setting, replicas: number): Promise<Row> {
  const system = await startSystem(setting, { name: `idle${replicas}`, overNats: true, replicas });
  await pause(SETTLES_MS);
  const before = await Promise.all([countCommands(system.db), system.cpu()]);
  const begun = performance.now();
  await pause(Math.max(setting.ms, SHORTEST_MS));
  const after = await Promise.all([countCommands(system.db), system.cpu()]);
  const ms = performance.now() - begun;
  await system.close();
  const [counts, cpu] = after;
  const perSecond = (names: string[]) => {
    const more = names.map((name) => (counts[name] ?? 0) - (before[0][name] ?? 0));
    return Math.round((more.reduce((sum, each) => sum + each, 0) * 10_000) / ms) / 10;
  };
  const ofMonitors = ["hello", "serverStatus"];
  const others = Object.keys(counts).filter((name) => !ofMonitors.includes(name));
  const percent = (us: number) => Math.round((us / (ms * 1_000)) * 1_000) / 10;
  return {
    what: `${replicas} of each`,
    "commands/s": perSecond(others),
    finds: perSecond(["find"]),
    aggregates: perSecond(["aggregate"]),
    hellos: perSecond(["hello"]),
    "node, % of a core": percent(cpu.nodeUs - before[1].nodeUs),
    "mongod, % of a core": percent(cpu.mongodUs - before[1].mongodUs),
  };
}

/** How often mongod has run each command since its start. */
async function countCommands(db: mongo.Db): Promise<Record<string, number>> {
  const { metrics } = await db.command({ serverStatus: 1 });
  const commands = Object.entries<{ total?: unknown }>(metrics.commands);
  return Object.fromEntries(commands.map(([name, { total }]) => [name, Number(total ?? 0)]));
}
