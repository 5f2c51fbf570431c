// The rate of withdrawals or payments over their whole life: accepted ones per second, while as
// many of the earlier ones go to the rail, settle, are closed, and have their events stored. If
// fewer end than are accepted, the time that the growth of the backlog takes to drain counts too.

import type { mongo } from "mongoose";
import { pause } from "../../platform/processes.ts";
import { type Cpu, cpuPer } from "./cpu.ts";
import { runFor } from "./rate.ts";

/** The wait of the rail before the settlement, and again before a payout is closed. */
export const SETTLE_MS = 200;
const EVENTS_OF_A_PAYOUT = 3;
/** The warm-up is longer than the rail's waits, so that the window begins with ends too. */
const WARM_UP_MS = 3 * SETTLE_MS;
const LOOK_EVERY_MS = 20;
const STUCK_AFTER_MS = 30_000;

/** Something that requests are sent to. */
export interface Requests {
  /** Sends a request and waits for its answer. */
  send(): Promise<void>;
  /** The number of accepted requests that have not ended. */
  countOpen(): Promise<number>;
  cpu?(): Promise<Cpu>;
}

export interface WholeLife {
  perSecond: number;
  /** Per request, if the system tells it. */
  cpu: Cpu | null;
}

/** Measures a system that is idle before and after. */
export async function measureWholeLife(
  { send, countOpen, cpu }: Requests,
  callers: number,
  ms: number,
): Promise<WholeLife> {
  const before = await cpu?.();
  const warmUp = await runFor(callers, Math.max(ms / 4, WARM_UP_MS), send);
  const openBefore = await countOpen();
  const start = performance.now();
  const accepted = await runFor(callers, ms, send);
  const windowMs = performance.now() - start;
  const openAfter = await countOpen();
  await untilClosed(countOpen);
  const drainMs = performance.now() - start - windowMs;
  const after = await cpu?.();
  const growth = Math.max(0, openAfter - openBefore) / Math.max(1, openAfter);
  return {
    perSecond: (accepted * 1_000) / (windowMs + growth * drainMs),
    cpu: before && after ? cpuPer(before, after, warmUp + accepted) : null,
  };
}

async function untilClosed(countOpen: () => Promise<number>): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  let movedAt = performance.now();
  for (let open = await countOpen(); open > 0; open = await countOpen()) {
    if (open < least) movedAt = performance.now();
    least = Math.min(least, open);
    if (performance.now() - movedAt > STUCK_AFTER_MS) throw new Error(`${open} stay open`);
    await pause(LOOK_EVERY_MS);
  }
}

/** payrail's payouts and payments that have a next step, or events that are not stored. */
export async function countOpenIn(db: mongo.Db): Promise<number> {
  const isOpen = { nextAttemptAt: { $exists: true } };
  const [payouts, payments] = [db.collection("payouts"), db.collection("payments")];
  const counts = await Promise.all(
    [payouts, payments].map((each) => each.countDocuments(isOpen, { hint: { nextAttemptAt: 1 } })),
  );
  const open = counts.reduce((sum, count) => sum + count, 0);
  if (open > 0) return open;
  const stored = await db.collection("webhook_events").estimatedDocumentCount();
  const ofPayouts = EVENTS_OF_A_PAYOUT * (await payouts.estimatedDocumentCount());
  return ofPayouts + (await payments.estimatedDocumentCount()) - stored;
}
