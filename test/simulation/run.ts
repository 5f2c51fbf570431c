// One schedule as it runs, whatever is simulated: the first thing that must hold and did not ends it,
// and so does what never ends.

import type { Actor, Timeline } from "./timeline.ts";

/** Something that must hold did not. */
export class Violation extends Error {
  readonly rule: string;
  constructor(rule: string, detail: string) {
    super(detail);
    this.rule = rule;
  }
}

/** Something that a process was asked for and that has not ended. */
export interface Open {
  actor: Actor;
  what: string;
}

export interface Run {
  timeline: Timeline;
  /** Of processes that live. */
  open: Set<Open>;
  failure: { rule: string; detail: string } | null;
  bounds: { events: number; waitMs: number };
  trace: (line: () => string) => void;
}

export function expect(holds: unknown, rule: string, detail: string): asserts holds {
  if (!holds) throw new Violation(rule, detail);
}

/** The schedule that runs: a promise that nobody awaits fails in it. */
let current: Run | null = null;
process.on("unhandledRejection", (error) => {
  if (!current) throw error;
  fail(current, error);
});

/** Lets a schedule run to its end. */
export async function perform(run: Run, work: () => Promise<void>): Promise<void> {
  current = run;
  await work();
  current = null;
}

/** Time passes until something is so; that it never becomes so is a violation of liveness. */
export async function until(
  run: Run,
  isSo: () => boolean,
  missing = () => [...run.open].map(({ actor, what }) => `${actor.name}: ${what}`),
): Promise<void> {
  const { timeline, bounds } = run;
  const lastMs = timeline.now() + bounds.waitMs;
  if (run.failure) return;
  const isOver = () => run.failure !== null || isSo() || timeline.now() > lastMs;
  await timeline.drive(isOver, bounds.events);
  if (run.failure || isSo()) return;
  fail(run, new Violation("liveness", `these never end: ${missing().join("; ")}`));
}

/** Does what may find a violation. */
export function guarded(run: Run, work: () => void): void {
  try {
    work();
  } catch (error) {
    fail(run, error);
  }
}

/** The first failure counts. What is neither a violation nor the product's own word is ours. */
export function fail(run: Run, error: unknown): void {
  if (run.failure) return;
  const rule = error instanceof Violation ? error.rule : "process died";
  const detail = error instanceof Error ? error.message : String(error);
  run.failure = { rule, detail };
  run.trace(() => `!!  ${rule}: ${detail}`);
}
