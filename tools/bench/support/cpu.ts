// The CPU that processes have used, in microseconds, and their memory.

import { readFile } from "node:fs/promises";
import type { mongo } from "mongoose";

/** CPU in microseconds, since the process's start or between two moments. */
export interface Cpu {
  nodeUs: number;
  mongodUs: number;
}

/** mongod's CPU since its start. */
export async function mongodCpuUs(db: mongo.Db): Promise<number> {
  const { extra_info: used } = await db.command({ serverStatus: 1 });
  return Number(used.user_time_us) + Number(used.system_time_us);
}

/** A tick of /proc on every Linux. */
const TICK_US = 10_000;

/** A process's CPU since its start, and its resident memory. */
export async function usageOf(pid = 0): Promise<{ cpuUs: number; rssBytes: number }> {
  const [stat, status] = await Promise.all(
    ["stat", "status"].map((file) => readFile(`/proc/${pid}/${file}`, "utf8")),
  );
  // The name in parentheses may contain spaces.
  const [user, system] = stat?.split(") ")[1]?.split(" ").slice(11, 13).map(Number) ?? [];
  const cpuUs = (Number(user) + Number(system)) * TICK_US;
  return { cpuUs, rssBytes: Number(status?.match(/VmRSS:\s+(\d+)/)?.[1]) * 1_024 };
}

/** This process's CPU since its start. */
export function ownCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** The CPU per operation between two moments. */
export function cpuPer(before: Cpu, after: Cpu, operations: number): Cpu {
  return {
    nodeUs: Math.round((after.nodeUs - before.nodeUs) / operations),
    mongodUs: Math.round((after.mongodUs - before.mongodUs) / operations),
  };
}
