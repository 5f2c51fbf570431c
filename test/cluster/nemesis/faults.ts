// All faults of the nemesis, and those that this machine can do.

import type { Plant } from "../plant/plant.ts";
import { DISK_FAULTS } from "./disks.ts";
import { ELECTION_FAULTS } from "./elections.ts";
import type { Fault } from "./fault.ts";
import { LINK_FAULTS } from "./links.ts";
import { PROCESS_FAULTS } from "./processes.ts";
import { VERSION_FAULTS } from "./versions.ts";

export const FAULTS: Fault[] = [
  ...ELECTION_FAULTS,
  ...PROCESS_FAULTS,
  ...LINK_FAULTS,
  ...DISK_FAULTS,
  ...VERSION_FAULTS,
];

export interface Possible {
  faults: Fault[];
  /** Those that this machine cannot do, with the reasons. */
  leftOut: { name: string; why: string }[];
}

/**
 * The faults that can be done here.
 * @param only their names; all by default
 * @throws an error that lists the names, for an unknown one
 */
export async function possibleFaults(plant: Plant, only: string[] = []): Promise<Possible> {
  requireNames(only);
  const wanted = FAULTS.filter(({ name }) => only.length === 0 || only.includes(name));
  const possible: Possible = { faults: [], leftOut: [] };
  for (const fault of wanted) {
    const why = (await fault.lack?.(plant)) ?? null;
    if (why === null) possible.faults.push(fault);
    else possible.leftOut.push({ name: fault.name, why });
  }
  return possible;
}

/** @throws an error that lists the names of all faults, for an unknown one */
export function requireNames(names: string[]): void {
  const known = FAULTS.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new Error(`No fault is named "${unknown}"; these are:\n${known.join("\n")}`);
}
