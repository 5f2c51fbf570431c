// The promises of a screening (partners/types.ts), with a check for each promise.

import { randomUUID } from "node:crypto";
import type { Screened } from "../../partners/types.ts";
import { readScreening, type ScreeningReading } from "../../shared/partners/answers.ts";
import { COMMON, expectThat, type Promised, Untried } from "./promise.ts";
import type { Session } from "./session.ts";

const AT_ONCE = 5;

type TriedScreening = ReturnType<typeof screeningIn>;

/** The screening as the checks use it. */
export function screeningIn(session: Session) {
  const { amountMinor, currency, method } = session.options;
  return {
    session,

    newPayout: (): Screened => ({
      id: randomUUID(),
      kind: "payout",
      businessId: randomUUID(),
      entityId: randomUUID(),
      method,
      amountMinor,
      currency,
      party: { name: "Ada Lovelace", email: "ada@example.com" },
      destination: {
        optionType: "bank",
        bankName: "First Bank",
        country: "US",
        lastFour: "6789",
      },
    }),

    async screen(asked: object): Promise<ScreeningReading> {
      const value = await session.ask("screen", [asked]);
      if (value === undefined) return { kind: "unknown" };
      const { answer, problem } = readScreening(value);
      if (problem) session.note(COMMON.form.name, `the answer of screen: ${problem}`);
      return answer;
    },
  };
}

export const SCREENING_PROMISES: readonly Promised<TriedScreening>[] = [
  {
    ...COMMON.accepted,
    says: "has a lasting name and the function screen; one with test: true only serves the sandbox",
    because: "payrail does not start with it, so that nothing leaves unscreened",
  },
  {
    name: "answers-again",
    says: "answers about a payout that it was asked about before, at once or after a restart, alike",
    because: "payrail asks again if an answer was lost, and the first one that it stores decides",
    async check({ newPayout, screen, session }) {
      const asked = newPayout();
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => screen(asked)));
      await session.restart();
      const kinds = [...answers, await screen(asked)].map(({ kind }) => kind);
      const told = kinds.filter((kind) => kind !== "unknown");
      if (told.length === 0) throw new Untried("it did not answer");
      expectThat(new Set(kinds).size === 1, `it answered ${kinds.join(", ")}`);
    },
  },
  {
    name: "never-blind",
    says: "does not allow a payout of which it is told no recipient",
    because: "its allow lets the money leave, and an error is a review",
    async check({ newPayout, screen }) {
      const { party: _party, ...unknown } = newPayout();
      const { kind } = await screen(unknown);
      expectThat(kind !== "allow", "it allowed one");
    },
  },
  COMMON.lasting,
  COMMON.inTime,
  COMMON.form,
  COMMON.alive,
];
