// The interface of a simulation: schedules by seed, with all safeguards or without one.

export interface Outcome {
  /** The first rule that did not hold; null if all held. */
  violation: { rule: string; detail: string } | null;
  events: number;
}

/** Something without which some schedule has to fail. */
export interface Safeguard {
  name: string;
  /** The seed of such a schedule, if it is rare. Seeds from the first one are tried after it. */
  rareSeed?: number;
}

export interface Suite {
  name: string;
  /** What a run can remove. */
  safeguards: Safeguard[];
  /** Runs the schedule of a seed. */
  run(seed: number, without?: string): Promise<Outcome>;
  /** The shortest failing schedule found for a seed, in lines. */
  explain(seed: number, without?: string): Promise<string[]>;
}
