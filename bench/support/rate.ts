// Measures the rate of calls with a number of callers that each wait for their answer.

/** A line of the table: its name, and its figures by name. */
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
  return Math.round((done * 1_000) / (performance.now() - start));
}

async function runFor(callers: number, ms: number, work: () => Promise<unknown>): Promise<number> {
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
