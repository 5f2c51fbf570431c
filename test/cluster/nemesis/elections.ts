// Faults that take the primary away, so that the other members elect another one.

import type { Plant } from "../plant/plant.ts";
import type { Begun, Fault } from "./fault.ts";
import { freeze, killDaemon } from "./processes.ts";

/** The secondaries get this long to catch up; then the primary steps down in any case. */
const STEP_DOWN = {
  replSetStepDown: 10,
  secondaryCatchUpPeriodSecs: 1,
  force: true,
};

async function stepDown({ mongo }: Plant): Promise<Begun> {
  const primary = await mongo.primary();
  // It may have stepped down by itself, or be frozen.
  await primary.command(STEP_DOWN).catch(() => {});
  return { target: primary.name, heal: async () => {} };
}

export const ELECTION_FAULTS: Fault[] = [
  { name: "the primary steps down", weight: 6, begin: stepDown },
  {
    name: "the primary is killed",
    weight: 3,
    begin: async ({ mongo }) => killDaemon(await mongo.primary()),
  },
  {
    name: "the primary is frozen",
    weight: 2,
    begin: async ({ mongo }) => freeze(await mongo.primary()),
  },
];
