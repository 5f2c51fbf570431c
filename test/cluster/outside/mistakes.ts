// The mistakes of partners. A mistake changes when a partner acts and what its answer is, never
// what its books say.

import { setTimeout } from "node:timers/promises";
import type { Random } from "../../../tools/simulate/random.ts";

/** Longer than payrail waits for a partner, in ms. */
const TOO_LATE_MS = { from: 3_600, to: 6_000 };
const SLOW_MS = { from: 100, to: 1_500 };

/** The mistakes by their frequency in a thousand questions. */
const OF_THOUSAND = {
  slow: 60,
  /** The partner acts in time, and answers when payrail does not wait any more. */
  "answers late": 12,
  /** The partner acts when payrail does not wait any more. */
  "acts late": 12,
  "acts and breaks off": 20,
  "fails before it acts": 20,
  "fails after it acted": 20,
  "acts and answers unknown": 20,
} as const;

type Mistake = keyof typeof OF_THOUSAND;

/** The answer to a question: a JSON value, a failure of the server, or a broken connection. */
export type Reply = { json: unknown } | "failure" | "break";

export interface Mistakes {
  /** Acts, and makes a mistake as its seed says. */
  around(act: () => unknown, unknown: unknown): Promise<Reply>;
  /** Ends the mistakes. */
  calm(): void;
}

export function createMistakes(random: Random): Mistakes {
  let isCalm = false;

  function draw(): Mistake | null {
    let at = random.between(0, 999);
    for (const [mistake, share] of Object.entries(OF_THOUSAND)) {
      at -= share;
      if (at < 0) return isCalm ? null : (mistake as Mistake);
    }
    return null;
  }

  const pause = ({ from, to }: { from: number; to: number }) =>
    setTimeout(random.between(from, to), undefined, { ref: false });

  return {
    async around(act, unknown) {
      const mistake = draw();
      if (mistake === "fails before it acts") return "failure";
      if (mistake === "slow") await pause(SLOW_MS);
      if (mistake === "acts late") await pause(TOO_LATE_MS);
      const json = act();
      if (mistake === "answers late") await pause(TOO_LATE_MS);
      if (mistake === "acts and breaks off") return "break";
      if (mistake === "fails after it acted") return "failure";
      return { json: mistake === "acts and answers unknown" ? unknown : json };
    },
    calm() {
      isCalm = true;
    },
  };
}
