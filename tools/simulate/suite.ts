// The interface of a simulation: schedules by seed, with all safeguards or without one.

export interface Outcome {
  /** The first rule that did not hold; null if all held. */
  violation: { rule: string; detail: string } | null;
  events: number;
}

export interface Suite {
  name: string;
  /** The names of the safeguards that a run can remove. */
  safeguards: string[];
  /** Runs the schedule of a seed. */
  run(seed: number, without?: string): Promise<Outcome>;
  /** The shortest failing schedule found for a seed, in lines. */
  explain(seed: number, without?: string): Promise<string[]>;
}
