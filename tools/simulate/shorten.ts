// Shortens a failing schedule: leaves out the steps that it does not need to fail (delta
// debugging).

import type { Outcome } from "./suite.ts";

const RUNS_AT_MOST = 500;

/**
 * The schedule of a plan, line by line, with the fewest steps found that break the same rule.
 * @param run runs the plan; it prints the schedule if it gets a printer
 */
export async function explained<P extends { steps: unknown[] }>(
  plan: P,
  run: (plan: P, print?: (line: string) => void) => Promise<Outcome>,
): Promise<string[]> {
  const { violation } = await run(plan);
  const steps = await shortened(plan.steps, async (fewer) => {
    const outcome = await run({ ...plan, steps: fewer });
    return violation !== null && outcome.violation?.rule === violation.rule;
  });
  const lines: string[] = [];
  await run({ ...plan, steps }, (line) => lines.push(line));
  const { steps: _all, ...rest } = plan;
  return [JSON.stringify(rest), ...lines];
}

/**
 * @param fails whether the plan still fails with these steps alone
 * @returns the fewest failing steps found
 */
async function shortened<Step>(
  steps: Step[],
  fails: (steps: Step[]) => Promise<boolean>,
): Promise<Step[]> {
  let shortest = steps;
  let size = Math.ceil(steps.length / 2);
  let runs = 0;
  while (size >= 1 && runs < RUNS_AT_MOST) {
    const before = shortest.length;
    for (let at = 0; at < shortest.length && runs < RUNS_AT_MOST; runs++) {
      const fewer = [...shortest.slice(0, at), ...shortest.slice(at + size)];
      if (await fails(fewer)) shortest = fewer;
      else at += size;
    }
    // Try single steps again as long as that shortens the schedule.
    if (size === 1 && shortest.length === before) break;
    size = Math.max(1, Math.floor(size / 2));
  }
  return shortest;
}
