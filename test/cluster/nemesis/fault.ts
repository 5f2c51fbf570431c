// A fault of the nemesis: what it does to a plant, and how that is taken back.

import type { Random } from "../../../tools/simulate/random.ts";
import type { Plant } from "../plant/plant.ts";

export interface Fault {
  /** Its effect as a sentence, such as "the primary is killed". */
  name: string;
  /** How often it is picked, relative to the others; 1 by default. */
  weight?: number;
  /** Why this machine cannot do it; null if it can. */
  lack?(plant: Plant): Promise<string | null>;
  begin(plant: Plant, random: Random): Promise<Begun>;
}

/** A fault that has begun. */
export interface Begun {
  /** The nodes that it hit. */
  target: string;
  /** Takes it back. Other faults may have killed or frozen the nodes meanwhile. */
  heal(): Promise<void>;
}
