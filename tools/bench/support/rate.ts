// Measures the rate of calls with a number of callers that each wait for their answer.

/** A line of a bench's own table: its name, and its figures by name. */
export interface Row {
  what: string;
  [figure: string]: string | number;
}

/** Completed calls per second, after a short warm-up. */
export async function rateOf(
  callers: number,
  ms: number,
  work: () => Promise<unknown>,
): Promise<number> {
  await runFor(callers, ms / 4, work);
  const start = performance.now();
  const done = await runFor(callers, ms, work);
  return (done * 1_000) / (performance.now() - start);
}

/** Calls without a pause for this time. @returns the number of completed calls */
export async function runFor(
  callers: number,
  ms: number,
  work: () => Promise<unknown>,
): Promise<number> {
  const end = performance.now() + ms;
  let done = 0;
  const call = async () => {
    while (performance.now() < end) {
      await work();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return done;
}

export interface Compared<T> {
  subject: T;
  /** Completed calls per second of the baseline. */
  baseline: number;
}

/**
 * Measures a subject between two measurements of its baseline, because the speed of a machine
 * drifts. The baseline's two windows are half as long as the subject's.
 * @param baseline measures calls per second
 */
export async function inTurns<T>(
  ms: number,
  subject: (ms: number) => Promise<T>,
  baseline: (ms: number) => Promise<number>,
): Promise<Compared<T>> {
  const before = await baseline(ms / 2);
  const measured = await subject(ms);
  const after = await baseline(ms / 2);
  return { subject: measured, baseline: (before + after) / 2 };
}

export function quantile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** A random one of the list. */
export function pick<T>(list: T[]): T {
  return list[Math.floor(Math.random() * list.length)] as T;
}
