// Runs one schedule of any simulation. The first violated rule ends the schedule; so does an
// operation that never ends.

import type { Actor, Timeline } from "./timeline.ts";

/** A rule of the books does not hold. */
export class Violation extends Error {
  readonly rule: string;
  constructor(rule: string, detail: string) {
    super(detail);
    this.rule = rule;
  }
}

/** A request to a process that has not ended. */
export interface Open {
  actor: Actor;
  label: string;
}

export interface Run {
  timeline: Timeline;
  /** The unfinished requests to processes that live. */
  open: Set<Open>;
  failure: { rule: string; detail: string } | null;
  bounds: { events: number; waitMs: number };
  trace: (line: () => string) => void;
}

export function expect(holds: unknown, rule: string, detail: string): asserts holds {
  if (!holds) throw new Violation(rule, detail);
}

/** The running schedule: a rejected promise without a handler fails this schedule. */
let current: Run | null = null;
process.on("unhandledRejection", (error) => {
  if (!current) throw error;
  fail(current, error);
});

/** Runs a schedule to its end. */
export async function perform(run: Run, work: () => Promise<void>): Promise<void> {
  current = run;
  await work();
  current = null;
}

/** Lets time pass until a condition holds. If it never holds, liveness is violated. */
export async function until(
  run: Run,
  isSo: () => boolean,
  missing = () => [...run.open].map(({ actor, label }) => `${actor.name}: ${label}`),
): Promise<void> {
  const { timeline, bounds } = run;
  const lastMs = timeline.now() + bounds.waitMs;
  if (run.failure) return;
  const isOver = () => run.failure !== null || isSo() || timeline.now() > lastMs;
  await timeline.drive(isOver, bounds.events);
  if (run.failure || isSo()) return;
  fail(run, new Violation("liveness", `these never end: ${missing().join("; ")}`));
}

/** Runs work that may find a violation. */
export function guarded(run: Run, work: () => void): void {
  try {
    work();
  } catch (error) {
    fail(run, error);
  }
}

/**
 * Records the first failure of the schedule. An error that is neither a violation nor an error of
 * the product is a fault of the simulation.
 */
export function fail(run: Run, error: unknown): void {
  if (run.failure) return;
  const rule = error instanceof Violation ? error.rule : "process died";
  const detail = error instanceof Error ? error.message : String(error);
  run.failure = { rule, detail };
  run.trace(() => `!!  ${rule}: ${detail}`);
}
