// A model of the screening of payouts: each time it is asked it decides anew, so only what is stored
// can decide. It may not answer, fail, or answer in a wrong form.

import type { Screening, ScreeningAnswer } from "../../../partners/types.ts";
import type { Actor } from "../timeline.ts";
import type { Serve } from "./network.ts";
import type { Ask } from "./rails.ts";
import type { World } from "./world.ts";

/** Who has decided, in the verdicts of payouts. */
export const SCREENING = "screening";

const ALLOW = { decision: "allow" } as const;
const REVIEW = { decision: "review", reasons: ["A reason"] } as const;
const ANSWERS = [ALLOW, ALLOW, REVIEW, REVIEW, { decision: "deny", code: "listed" }] as const;
const NO_ANSWERS = [
  undefined,
  null,
  "allow",
  {},
  { decision: "ALLOW" },
  { decision: "allowed" },
  { decision: ["allow"] },
  { decision: "review" },
  { decision: "deny" },
];

export function createScreening(world: World, actor: Actor, ask: Ask): Screening {
  const { random } = world;
  const fails = () => !world.isHealed && random.chance(world.plan.screening?.faults ?? 0);
  return {
    name: SCREENING,
    async screen({ id }) {
      const serve: Serve<unknown> = (reply, refuse) => {
        if (!fails()) return reply(random.pick(ANSWERS));
        const fault = random.pick(["silence", "error", "form"]);
        if (fault === "error") refuse(new Error("The screening fails"));
        if (fault === "form") reply(random.pick(NO_ANSWERS));
      };
      const given = (await ask(`screening of ${id}`, serve)) as ScreeningAnswer;
      const isAnswer = ANSWERS.some((answer) => answer === given);
      if (actor.alive && isAnswer) world.books.onVerdict(id, SCREENING, given.decision);
      return given;
    },
  };
}
