// Faults of the processes' surroundings: clocks that are minutes off, and a process of the previous
// release among those of this one (docs/change/versions.md).

import type { Random } from "../../../tools/simulate/random.ts";
import type { Plant } from "../plant/plant.ts";
import { findPreviousRelease } from "../plant/previous-release.ts";
import type { Version } from "../plant/services.ts";
import type { Begun, Fault } from "./fault.ts";

const MINUTE_MS = 60_000;
const MINUTES_AT_MOST = 10;

/** Replaces a process by another version of it, and back. */
async function replace(
  { services }: Plant,
  random: Random,
  version: Partial<Version>,
  label: string,
): Promise<Begun> {
  const node = random.pick(services);
  await node.restartAs(version);
  return {
    target: `${node.name} ${label}`,
    heal: () => node.restartAs({ clockOffsetMs: 0, code: null }),
  };
}

export const VERSION_FAULTS: Fault[] = [
  {
    name: "the clock of a process is off",
    weight: 2,
    async begin(plant, random) {
      const minutes = random.between(1, MINUTES_AT_MOST) * random.pick([1, -1]);
      const label = `by ${minutes} min`;
      return replace(plant, random, { clockOffsetMs: minutes * MINUTE_MS }, label);
    },
  },
  {
    name: "a process is of the previous release",
    lack: async ({ files }) => (await findPreviousRelease(files)).lack,
    async begin(plant, random) {
      const { code } = await findPreviousRelease(plant.files);
      return replace(plant, random, { code }, "");
    },
  },
];
