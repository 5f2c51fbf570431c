// The nemesis: composes faults at random from a seed. It begins one or two at a time, holds each
// for some seconds, now and then for longer than the time-outs of payrail and its clients, heals
// them and lets the plant work for a while. Afterwards everything is healed.

import { type Random, randomFrom } from "../../../tools/simulate/random.ts";
import type { Incident } from "../contract.ts";
import type { Plant } from "../plant/plant.ts";
import type { Fault } from "./fault.ts";
import { possibleFaults } from "./faults.ts";

const HOLD_MS = [1_000, 6_000] as const;
/** How long some last: longer than any time limit of a request. */
const LONG_MS = [15_000, 25_000] as const;
/** The probability of a long one. */
const LONG = 1 / 8;
const PAUSE_MS = [1_000, 4_000] as const;
/** The probability of a second fault at the same time. */
const TWO = 1 / 3;
const HEALED_WITHIN_MS = 60_000;

interface Options {
  /** Epoch ms, after which no fault begins. */
  until: number;
  /** The names of the faults; all by default. */
  only?: string[];
  say: (line: string) => void;
}

/**
 * Harms a plant.
 * @param onIncident is told each fault when it is healed
 * @throws an error with the plant's state if it does not recover within a minute of the last heal
 */
export async function runNemesis(
  plant: Plant,
  seed: number,
  { until, only, say }: Options,
  onIncident: (incident: Incident) => void,
): Promise<void> {
  const { faults, leftOut } = await possibleFaults(plant, only);
  for (const { name, why } of leftOut) say(`left out: ${name}, because ${why}`);
  if (faults.length === 0) throw new Error("No fault is left that could be done here");
  for (let round = 1; Date.now() < until; round++) {
    const random = randomFrom(seed, `round ${round}`);
    const count = random.chance(TWO) ? 2 : 1;
    const picked = Array.from({ length: count }, (_, i) => ({
      fault: pick(faults, random),
      // Faults at the same time would take numbers from one source in an order that varies.
      random: randomFrom(seed, `round ${round} fault ${i}`),
    }));
    await Promise.all(
      picked.map(async (each) => onIncident(await cause(each.fault, plant, each.random))),
    );
    await pause(random.between(...PAUSE_MS));
  }
  // The heal of a fault cannot start a mongod that another fault still holds.
  for (const daemon of [...plant.mongo.members, ...plant.nats.servers]) await daemon.start();
  await plant.awaitHealed(HEALED_WITHIN_MS);
}

/** Begins a fault, holds it and heals it. */
async function cause(fault: Fault, plant: Plant, random: Random): Promise<Incident> {
  const from = Date.now();
  const { target, heal } = await fault.begin(plant, random);
  const [shortest, longest] = random.chance(LONG) ? LONG_MS : HOLD_MS;
  await pause(random.between(shortest, longest));
  await heal();
  return { name: fault.name, target, from, until: Date.now() };
}

function pick(faults: Fault[], random: Random): Fault {
  return random.pick(faults.flatMap((fault) => Array(fault.weight ?? 1).fill(fault) as Fault[]));
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
