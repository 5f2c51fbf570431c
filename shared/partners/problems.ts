// What a rail's module says that a person has to look at.

import type { Rail } from "../../partners/types.ts";
import { type Clock, LATE } from "../clock.ts";

const ANSWERED_WITHIN_MS = 1_000;
const PROBLEMS_AT_MOST = 50;
const LENGTH_AT_MOST = 500;

/** The problems of a rail, each in a sentence. A rail that does not answer has one. */
export async function readProblems(
  rail: Pick<Rail, "problems">,
  clock: Pick<Clock, "within">,
): Promise<string[]> {
  if (!rail.problems) return [];
  try {
    const found: unknown = await clock.within(rail.problems(), ANSWERED_WITHIN_MS);
    if (found === LATE || !Array.isArray(found)) return ["The module does not say its problems"];
    return found.slice(0, PROBLEMS_AT_MOST).map((each) => String(each).slice(0, LENGTH_AT_MOST));
  } catch {
    return ["The module does not say its problems"];
  }
}
