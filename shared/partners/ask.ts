// Asks a partner. Every question has a time limit, and answers.ts reads every answer. An error, a
// timeout and an answer of a wrong form show nothing about the money, so they are unknown.

import { type Clock, LATE } from "../clock.ts";
import type { Metrics } from "../observability/metrics.ts";
import { inSpan } from "../observability/spans.ts";
import type { AnswerLog } from "./answer-log.ts";
import type { Reading } from "./answers.ts";

/**
 * The time for a partner's answer to a step, in milliseconds. Twice this is less than the lease of
 * the document, because a step may ask a second question. A rail's submit begins only if so much is
 * left of the lease.
 */
export const ANSWERED_WITHIN_MS = 4_000;
/** The time for a rail's answer to a cancel, in ms: less, because a caller waits for it. */
export const CANCELLED_WITHIN_MS = 3_000;
/** The time for the screening's answer, in milliseconds; a lease allows for it and a submit. */
export const SCREENED_WITHIN_MS = 3_000;

export interface Question<A> {
  clock: Clock;
  log: { warn(message: string, details: unknown): void };
  metrics: Metrics;
  answerLog?: AnswerLog;
  partner: keyof typeof SUBJECTS;
  /** The partner's own name. */
  name: string;
  operation:
    | ("submit" | "query" | "cancel" | "decide")
    | ("charge" | "outcome" | "void" | "refund")
    | "screen";
  /** The subject of the question, for the log. */
  about: Record<string, unknown>;
  withinMs: number;
  ask(): Promise<unknown>;
  read(value: unknown): Reading<A>;
  unknown: A;
  /** Compares an answer after that time with the decision made without it; never rejects. */
  onLate(answer: A): Promise<void>;
}

/** The partner's answer; unknown if it fails, takes too long, or has a wrong form. */
export async function askPartner<A extends { kind: string } | string>({
  clock,
  log,
  metrics,
  answerLog,
  partner,
  name,
  operation,
  about,
  withinMs,
  ask,
  read,
  unknown,
  onLate,
}: Question<A>): Promise<A> {
  const subject = SUBJECTS[partner];
  const begun = clock.now();
  const observe = (outcome: string) => {
    const tookMs = clock.now() - begun;
    const labels = { partner, name, operation, outcome };
    metrics.observe("payrail_partner_request_seconds", tookMs / 1_000, labels);
    answerLog?.note(name, outcome, tookMs);
  };
  const attributes = { "payrail.partner.name": name, "payrail.partner.operation": operation };
  const asked = inSpan(`${name} ${operation}`, { kind: "client", attributes }, async () => {
    const { answer, problem } = read(await ask());
    if (problem) log.warn(`${subject} answered in a wrong form`, { ...about, problem });
    return answer;
  });
  try {
    const answer = await clock.within(asked, withinMs);
    observe(answer === LATE ? "timeout" : typeof answer === "string" ? answer : answer.kind);
    if (answer !== LATE) return answer;
    log.warn(`${subject} did not answer in time`, about);
    asked.then(onLate, () => {});
  } catch (error) {
    observe("error");
    log.warn(`${subject} failed`, { ...about, error });
  }
  return unknown;
}

/** A partner as the subject of a log line. */
const SUBJECTS = {
  rail: "A rail",
  acquirer: "An acquirer",
  screening: "The screening",
};
