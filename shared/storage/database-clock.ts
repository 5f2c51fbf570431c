// The time of the services, which is the database's. Leases, due times and the order of changes are
// compared by processes of several machines. If each took its own machine's clock, a process whose
// clock is minutes ahead would keep work from the others for these minutes after its death. So each
// process asks the database for its time, and corrects its clock (clock.ts).
//
// A clock that is kept by NTP is closer than the measurement, so small differences count as none.

import { setTimeout as pause } from "node:timers/promises";
import type { mongo } from "mongoose";
import { correctClock, machineAheadMs } from "../clock.ts";

const MEASURED_EVERY_MS = 30_000;
/** A slower answer says too little about the time; a process or a server may have been frozen. */
const ANSWERED_WITHIN_MS = 500;
const CLOSE_MS = 1_000;
/** A process that starts may be too busy to measure. */
const TRIES_AT_START = 5;

/**
 * Measures the clock's error, and corrects it if it has changed.
 * @param onChange called with a line for the log
 * @returns whether the answer came too late to say the time
 */
async function measure(db: mongo.Db, onChange: (line: string) => void): Promise<boolean> {
  const begun = performance.now();
  const { localTime } = (await db.command({ hello: 1 })) as { localTime: Date };
  const tookMs = performance.now() - begun;
  if (tookMs > ANSWERED_WITHIN_MS) return true;
  const measuredMs = Math.round(Date.now() - tookMs / 2 - localTime.getTime());
  if (Math.abs(measuredMs - machineAheadMs()) <= CLOSE_MS) return false;
  const aheadMs = Math.abs(measuredMs) <= CLOSE_MS ? 0 : measuredMs;
  correctClock(aheadMs);
  onChange(
    aheadMs === 0
      ? "This machine's clock agrees with the database's again"
      : `This machine's clock is ${aheadMs} ms ahead of the database's, whose time is used`,
  );
  return false;
}

/**
 * Corrects the process's clock by the database's until the signal aborts.
 * @param onChange called with a line for the log after each change
 * @returns after the first measurement; a failed one is made again later
 */
export async function followDatabaseClock(
  db: mongo.Db,
  onChange: (line: string) => void,
  signal: AbortSignal,
  everyMs = MEASURED_EVERY_MS,
): Promise<void> {
  // Without an answer the correction stays. The database's absence is reported by others.
  const look = () => measure(db, onChange).catch(() => false);
  const repeat = async () => {
    while (!signal.aborted) {
      await pause(everyMs, undefined, { signal, ref: false }).catch(() => {});
      if (!signal.aborted) await look();
    }
  };
  for (let i = 0; i < TRIES_AT_START; i++) {
    const isLate = await look();
    if (!isLate) break;
  }
  void repeat();
}
