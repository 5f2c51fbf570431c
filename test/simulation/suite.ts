// What a simulation gives to those that run it: schedules by seed, with all safeguards or without one.

export interface Outcome {
  /** The first thing that must hold and did not. */
  violation: { rule: string; detail: string } | null;
  events: number;
}

export interface Suite {
  name: string;
  /** What can be taken out. */
  safeguards: string[];
  /** Runs the schedule of a seed. */
  run(seed: number, without?: string): Promise<Outcome>;
  /** The schedule of a seed that fails, as short as it still fails, in lines. */
  explain(seed: number, without?: string): Promise<string[]>;
}
