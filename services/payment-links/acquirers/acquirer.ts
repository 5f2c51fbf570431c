// Asks acquirers: each question has a bound in time, and each answer is checked. Only a checked
// answer in time decides about money; a later one is compared with the decision (late-answers.ts).

import {
  type Acquirer,
  type Captured,
  type Card,
  DUPLICATE,
  type Refunded,
  type Unknown,
} from "../../../partners/types.ts";
import { type Clock, LATE } from "../../../shared/clock.ts";
import { failField } from "../../../shared/errors.ts";
import { toDecimal } from "../../../shared/money.ts";
import { readCard } from "../../../shared/partners/answers.ts";
import { askPartner, type Question } from "../../../shared/partners/ask.ts";
import type { Acquirers } from "./load.ts";

const UNKNOWN: Unknown = { kind: "unknown" };

export interface Contradictable {
  /**
   * The acquirer's answer that contradicts the stored document, with the sum that it names, until
   * an admin has seen it.
   */
  contradicted?: string;
}

/** An answer that money was moved. It is believed only for the sum that was asked. */
export type Moved = Captured | Refunded;
type Sum = Pick<Moved, "amountMinor" | "currency">;

export function isOfSum(answer: Sum, asked: Sum): boolean {
  return answer.amountMinor === asked.amountMinor && answer.currency === asked.currency;
}

/** An answer in words, such as "captured 510.00 USD". */
export function inWords(answer: Moved | { kind: string }): string {
  if (!("amountMinor" in answer)) return answer.kind;
  return `${answer.kind} ${toDecimal(answer.amountMinor)} ${answer.currency}`;
}

/**
 * The key under which an acquirer knows a payment or a refund. A renewal's key comes from its
 * subscription, occasion and attempt, and a refund's from its payment's key and its reference, so
 * that a restored system asks for the same charge or refund again and not for another one.
 */
export function acquirerKey({ _id, key }: { _id: string; key?: string }): string {
  // Documents that were stored before there were keys were asked for under their ids.
  return key ?? _id;
}

export function isConfigured(acquirers: Acquirers, name: string): boolean {
  return findAcquirer(acquirers, name) !== undefined;
}

export function findAcquirer(acquirers: Acquirers, name: string) {
  return configured(acquirers).find((each) => each.name === name);
}

export function configured({ acquirer, formerAcquirers }: Acquirers): Acquirer[] {
  return acquirer ? [acquirer, ...formerAcquirers] : formerAcquirers;
}

const VAULT_WITHIN_MS = 4_000;

/**
 * A card as its vault describes it: only the brand and the last four digits.
 * @throws VALIDATION for a token that the vault does not have; another error, without the answer's
 *   content, for an answer of a wrong form and for none in time
 */
export async function lookUpCard(clock: Clock, acquirer: Acquirer, token: string): Promise<Card> {
  const answer = await clock.within(acquirer.tokenInfo(token), VAULT_WITHIN_MS);
  if (answer === LATE) throw new Error("The vault did not answer in time");
  return readCard(answer) ?? failField("paymentMethod.token", "must be a token of the card vault");
}

interface Asking<A> extends Pick<Question<A>, "read" | "withinMs" | "onLate"> {
  question: "charge" | "outcome" | "void" | "refund";
  ask(acquirer: Acquirer): Promise<A>;
}

/**
 * The answer of the acquirer of a payment or refund; unknown if it is not configured, fails, takes
 * too long, or breaks the promised form.
 */
export async function askAcquirer<A extends { kind: string }>(
  deps: Acquirers & Pick<Question<A>, "clock" | "log" | "metrics" | "answerLog">,
  { _id: id, acquirer: name }: { _id: string; acquirer: string },
  { question, ask, ...asking }: Asking<A>,
): Promise<A | Unknown> {
  const acquirer = findAcquirer(deps, name);
  if (!acquirer) return UNKNOWN;
  return askPartner<A | Unknown>({
    clock: deps.clock,
    log: deps.log,
    metrics: deps.metrics,
    answerLog: deps.answerLog,
    partner: "acquirer",
    name,
    operation: question,
    about: { question, id },
    ask: () => ask(acquirer),
    unknown: UNKNOWN,
    ...asking,
  });
}

/**
 * The answer, or unknown if the acquirer answers only that it has the id already, because that may
 * be a charge or a refund of our own with a lost answer.
 */
export function decisive<A extends { kind: string; code?: string }>(answer: A): A | Unknown {
  return answer.code === DUPLICATE ? UNKNOWN : answer;
}

const GENERAL = "Your card could not be charged.";

/** The customer's reason for an acquirer's code; any other code is a general failure. */
const REASON_OF_CODE: Record<string, string> = {
  card_declined: "Your card was declined.",
  insufficient_funds: "Your card has insufficient funds.",
  expired_card: "Your card has expired.",
};

export function customerReason(code: string): string {
  return (Object.hasOwn(REASON_OF_CODE, code) && REASON_OF_CODE[code]) || GENERAL;
}
