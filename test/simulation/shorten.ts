// Makes a failing schedule shorter, by leaving out what it fails without (delta debugging).

const RUNS_AT_MOST = 500;

/**
 * @param fails whether it still fails with these steps alone
 * @returns the fewest steps found that fail
 */
export async function shortened<Step>(
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
