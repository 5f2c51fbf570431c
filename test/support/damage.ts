// One damage to a database, as damages.ts lists them.

import type { Rule } from "../../tools/verify/findings.ts";

export interface Damage {
  name: string;
  /**
   * The damaged collection, or `indexes`; one verification can check damages of different places.
   */
  place: string;
  /** One of these rules must report it. */
  rules: Rule[];
  words: string[];
  /** @returns a function that undoes the damage */
  make(): Promise<() => Promise<unknown>>;
}
