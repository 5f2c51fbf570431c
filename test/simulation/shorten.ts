// Makes a failing schedule shorter, by leaving out what it fails without (delta debugging).

import type { Outcome } from "./suite.ts";

const RUNS_AT_MOST = 500;

/**
 * The schedule of a plan, line by line, with as few steps as still break the same rule.
 * @param run runs the plan; printing what happens, where it is told how
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
 * @param fails whether it still fails with these steps alone
 * @returns the fewest steps found that fail
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
    // Once more with single steps, for as long as that helps.
    if (size === 1 && shortest.length === before) break;
    size = Math.max(1, Math.floor(size / 2));
  }
  return shortest;
}
