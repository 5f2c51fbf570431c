// The CPU that processes have used, in microseconds.

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
