// The sandbox's screening under another name, with one planted mistake, which MISTAKE names.

import { setTimeout } from "node:timers/promises";
import sandboxScreening from "../../../partners/sandbox/screening.ts";
import type { Screened, Screening } from "../../../partners/types.ts";

type Mistake = (screening: Screening) => object;

const answering = (answer: unknown): Mistake => {
  return () => ({ screen: async () => answer });
};

/** The module's own memory, which ends with its process. */
const seen = new Set<string>();

export const MISTAKES: Record<string, Mistake> = {
  "wrong name": () => ({ name: "my lists!" }),
  "another name each time": () => ({ name: `lists-${process.pid}` }),
  "allows at the second question": () => ({
    async screen({ id }: Screened) {
      if (seen.has(id)) return { decision: "allow" };
      seen.add(id);
      return { decision: "review", reasons: ["The first question"] };
    },
  }),
  "allows what has no recipient": answering({ decision: "allow" }),
  "answers late": (screening) => ({
    async screen(asked: Screened) {
      await setTimeout(3_500);
      return screening.screen(asked);
    },
  }),
  "unknown decision": answering({ decision: "maybe" }),
  "a review without reasons": answering({ decision: "review" }),
  "a denial without a code": answering({ decision: "deny" }),
  "exits during a request": () => ({ screen: () => process.exit(1) }),
};

export default function mistakenScreening(): object {
  const screening = { ...sandboxScreening(), name: "lists" };
  return { ...screening, ...MISTAKES[process.env.MISTAKE ?? ""]?.(screening) };
}
