// Charges and voids. Whatever happens in between, Stripe's intent decides, and this module reads
// its state:
//
//   charge: record ──► intent, unconfirmed ──► confirm ──► captured
//                                         │           └──► declined: cancel, then answer
//                                         └──► of another sum: cancel, then declined
//   void:   record ──► intent, of the charge or a tombstone ──► cancel
//
// Invariant: `declined` and `voided` are answered only after Stripe has canceled the intent, so
// that no charge of the id can be captured after them. A process may die at every line: the next
// question finds the same record and the same intent.
//
// Invariant: no intent of another sum than the asked one is confirmed. The books or payrail may be
// those of an earlier moment, so an id may be asked for another sum than before. Its intent keeps
// the first sum, and the answer has the sum that Stripe has captured.

import type { Stripe } from "stripe";
import type { Charge, ChargeAnswer, Currency, Unknown, VoidAnswer } from "../types.ts";
import { parseToken } from "./cards.ts";
import { isRefusal, type Within, within } from "./client.ts";
import { declineCode } from "./declines.ts";
import { cancelIntent, type Deps, openIntent } from "./intents.ts";

const UNKNOWN: Unknown = { kind: "unknown" };

/** payrail waits 4 s for an answer; for a charge with a waiting customer 10 s. */
const WITHIN_MS = 3_800;
const WITH_CUSTOMER_MS = 9_500;

/** The code of a charge that was voided before. */
const VOIDED = "voided";
/** The code of a charge whose intent was made for another sum, and had not moved any money yet. */
const OTHER_SUM = "other_sum";
/** Stripe's own code for a card whose holder has to confirm. */
const AUTHENTICATION_REQUIRED = "authentication_required";

/** Charges a card; a repeat is the same charge and tells its outcome, and the sum of that. */
export async function charge(deps: Deps, asked: Charge): Promise<ChargeAnswer> {
  const time = within(asked.isCustomerPresent ? WITH_CUSTOMER_MS : WITHIN_MS);
  const { customer } = parseToken(asked.token);
  const { amountMinor, currency, description } = asked;
  const terms = { amountMinor, currency, description, ...(customer && { customer }) };
  const record = await deps.books.enter(asked.id, terms);
  const { id, created } = await openIntent(deps, record, time);
  const intent = created ?? (await retrieve(deps, id, time));
  if (!isUntried(intent)) return outcome(deps, asked, { intent }, time);
  if (!isOfSum(intent, asked)) return decline(deps, asked.id, id, OTHER_SUM, time);
  return outcome(deps, asked, await confirm(deps, id, asked, time), time);
}

function isOfSum(
  { amount, currency }: Stripe.PaymentIntent,
  asked: Pick<Charge, "amountMinor" | "currency">,
): boolean {
  return amount === asked.amountMinor && toCurrency(currency) === asked.currency;
}

/** Stripe writes currencies in lower case. */
export function toCurrency(currency: string): Currency {
  return currency.toUpperCase() as Currency;
}

/**
 * Tells the outcome of a charge that its customer had to confirm; confirms nothing itself.
 * @returns the action once more while the customer has not ended it; unknown for an id without an
 *   intent
 */
export async function readOutcome(deps: Deps, id: string): Promise<ChargeAnswer> {
  const time = within(WITHIN_MS);
  const record = await deps.books.find(id);
  if (record?.intent === undefined) return UNKNOWN;
  const intent = await retrieve(deps, record.intent, time);
  if (isUntried(intent)) return UNKNOWN;
  return outcome(deps, { id, isCustomerPresent: true }, { intent }, time);
}

/** Ends a charge: tells its outcome, or makes sure that the id is never charged. */
export async function voidCharge(
  deps: Deps,
  id: string,
  time = within(WITHIN_MS),
): Promise<VoidAnswer> {
  const record = await deps.books.enter(id);
  const { id: intent } = await openIntent(deps, record, time);
  return end(deps, id, intent, time);
}

async function end(deps: Deps, id: string, intent: string, time: Within): Promise<VoidAnswer> {
  return answerFor(deps, id, await cancelIntent(deps, intent, time));
}

async function answerFor(
  { books }: Deps,
  id: string,
  { status, amount_received: amountMinor, currency }: Stripe.PaymentIntent,
): Promise<VoidAnswer> {
  if (status === "succeeded") {
    return { kind: "captured", amountMinor, currency: toCurrency(currency) };
  }
  if (status !== "canceled") return UNKNOWN;
  const code = (await books.find(id))?.declined;
  return code === undefined ? { kind: "voided" } : { kind: "declined", code };
}

/** Ends the charge with the code of its decline, unless it was captured. */
async function decline(
  deps: Deps,
  id: string,
  intent: string,
  code: string,
  time: Within,
): Promise<ChargeAnswer> {
  await deps.books.noteDecline(id, code);
  return asDecline(await end(deps, id, intent, time));
}

function asDecline(answer: VoidAnswer): ChargeAnswer {
  return answer.kind === "voided" ? { kind: "declined", code: VOIDED } : answer;
}

function retrieve({ stripe }: Deps, intent: string, time: Within): Promise<Stripe.PaymentIntent> {
  return stripe.paymentIntents.retrieve(intent, {}, time());
}

/** Whether no confirmation of the intent has reached Stripe. */
function isUntried({ status, last_payment_error: error }: Stripe.PaymentIntent): boolean {
  return status === "requires_confirmation" || (status === "requires_payment_method" && !error);
}

interface Tried {
  intent: Stripe.PaymentIntent;
  /** The code with which Stripe refused the confirmation. */
  refused?: string;
}

/**
 * Confirms the intent: this moves the money. A second confirmation of an intent that was captured
 * or canceled is refused by Stripe.
 */
async function confirm(
  deps: Deps,
  intent: string,
  { token, isCustomerPresent }: Charge,
  time: Within,
): Promise<Tried> {
  const params: Stripe.PaymentIntentConfirmParams = {
    payment_method: parseToken(token).method,
    // Stripe.js in the field carries out what the issuer wants; without a customer nothing can.
    ...(isCustomerPresent ? { use_stripe_sdk: true } : { off_session: true }),
  };
  try {
    return { intent: await deps.stripe.paymentIntents.confirm(intent, params, time()) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { intent: await retrieve(deps, intent, time), refused: declineCode(error) };
  }
}

async function outcome(
  deps: Deps,
  { id, isCustomerPresent }: Pick<Charge, "id" | "isCustomerPresent">,
  { intent, refused }: Tried,
  time: Within,
): Promise<ChargeAnswer> {
  const declined = (code: string) => decline(deps, id, intent.id, code, time);
  const { status, client_secret: action, last_payment_error: error } = intent;
  if (status === "succeeded" || status === "canceled") {
    return asDecline(await answerFor(deps, id, intent));
  }
  if (status === "requires_action") {
    if (isCustomerPresent && action !== null) return { kind: "action", action };
    return declined(AUTHENTICATION_REQUIRED);
  }
  if (status === "requires_payment_method" || status === "requires_confirmation") {
    return declined(error ? declineCode(error) : (refused ?? "card_declined"));
  }
  // The bank decides later.
  return UNKNOWN;
}
