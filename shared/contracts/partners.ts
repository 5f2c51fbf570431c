// Contracts of the partners: how rails and acquirers have answered a process, and what waits for
// their answers.

import { list, object } from "./compound-fields.ts";
import { action } from "./contract.ts";
import { nullable, optional } from "./field.ts";
import { integer, number, oneOf, text, timestamp } from "./fields.ts";

/** Documents of a kind are counted up to this number. */
export const WAITING_AT_MOST = 10_000;

export const partnerName = text({ max: 64, note: "Its own name", example: "bank-a" });

export const waiting = list(
  object(
    {
      kind: oneOf(["payout", "payment", "refund"], { note: "What waits" }),
      count: integer({
        min: 0,
        max: WAITING_AT_MOST,
        note: `How many were asked about without an answer, so that their outcome is unknown, at most ${WAITING_AT_MOST}`,
        example: 2,
      }),
      since: nullable(timestamp({ note: "Since when the oldest of them waits" })),
    },
    { name: "WaitingForPartner", note: "What waits for the answer of a partner, of one kind" },
  ),
  { max: 2, note: "What waits for its answer now, by kind" },
);

/** The numbers of questions by their outcomes. */
export const outcomes = {
  answered: integer({ min: 0, note: "The questions that it answered", example: 117 }),
  unknown: integer({
    min: 0,
    note: "Those that it answered without an outcome, or in a wrong form",
    example: 2,
  }),
  errors: integer({ min: 0, note: "Those that failed", example: 0 }),
  timeouts: integer({ min: 0, note: "Those without an answer in time", example: 1 }),
};

/**
 * What a process has seen of a partner: the questions of the last hour, and the moments of the last
 * ones since the process began.
 */
export const seen = {
  ...outcomes,
  tookMs: number({ min: 0, note: "The time of all answers together" }),
  longestMs: number({ min: 0, note: "The longest time of an answer" }),
  lastAnsweredAt: integer({ min: 0, note: "Epoch ms; 0: never" }),
  lastUnansweredAt: integer({ min: 0, note: "Epoch ms; 0: never" }),
};

export const problems = list(
  text({ max: 500, note: "A sentence", example: "The folder of answers cannot be reached" }),
  { max: 50, note: "What a person has to look at, as the partner's module says" },
);

/** A service's configured partners, as the asked process has seen them. */
export function partnersAction(things: string) {
  return action({
    does: `Shows how the configured ${things} have answered this process in the last hour, and what waits for their answers`,
    params: {},
    result: list(
      // A node of the previous release leaves the problems out.
      object({ name: partnerName, ...seen, waiting, problems: optional(problems) }),
      { max: 100 },
    ),
  });
}
