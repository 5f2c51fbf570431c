// Asks a partner. Every question has a time limit, and answers.ts reads every answer. An error, a
// timeout and an answer of a wrong form show nothing about the money, so they are unknown.

import { type Clock, LATE } from "../clock.ts";
import { inSpan } from "../spans.ts";
import type { Reading } from "./answers.ts";

/**
 * The time for a partner's answer to a step, in milliseconds. Twice this is less than the lease of
 * the document, because a step may ask a second question.
 */
export const ANSWERED_WITHIN_MS = 4_000;
/** The time for a rail's answer to a cancel, in ms: less, because a caller waits for it. */
export const CANCELLED_WITHIN_MS = 3_000;

export interface Question<A> {
  clock: Clock;
  log: { warn(message: string, details: unknown): void };
  /** The partner, as the subject of a log line. */
  partner: "A rail" | "An acquirer";
  /** The partner's configured name, and what it is asked to do. */
  name: string;
  question: "submit" | "query" | "cancel" | "charge" | "void" | "refund";
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
export async function askPartner<A>({
  clock,
  log,
  partner,
  name,
  question,
  about,
  withinMs,
  ask,
  read,
  unknown,
  onLate,
}: Question<A>): Promise<A> {
  const attributes = { "payrail.partner.name": name, "payrail.partner.question": question };
  const asked = inSpan(`${name} ${question}`, { kind: "client", attributes }, async () => {
    const { answer, problem } = read(await ask());
    if (problem) log.warn(`${partner} answered in a wrong form`, { ...about, problem });
    return answer;
  });
  try {
    const answer = await clock.within(asked, withinMs);
    if (answer !== LATE) return answer;
    log.warn(`${partner} did not answer in time`, about);
    asked.then(onLate, () => {});
  } catch (error) {
    log.warn(`${partner} failed`, { ...about, error });
  }
  return unknown;
}
