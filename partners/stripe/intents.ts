// The PaymentIntent of a charge: there is one for each id, and every process finds the same one.
//
// An intent moves no money before it is confirmed, it is captured at most once, and a canceled one
// is never captured. So an id is charged once, and never after it was answered voided or declined,
// if each id has one intent. Two things make sure of that, also if the books are lost:
//
// - The id is the idempotency key of the intent's creation. Stripe keeps keys for at least 24 hours
//   (docs.stripe.com/api/idempotent_requests): a repeat gets the same intent, and a creation with
//   other parameters fails.
// - The intent has the id in its metadata. An id that may be older than a key is first searched
//   for. The search is at most an hour behind (docs.stripe.com/search), which is less than a key
//   lives.
//
// A void of an id without an intent creates one that is canceled immediately, the tombstone, under
// the same key: it takes the place of the charge's intent at Stripe.

import type { Stripe } from "stripe";
import type { Context } from "../types.ts";
import type { ChargeRecord, StripeBooks, Terms } from "./books.ts";
import { isKeyTaken, isRefusal, type Within } from "./client.ts";
import { declineCode } from "./declines.ts";
import { statementSuffix } from "./statement.ts";

/** The name of the metadata with payrail's id of a charge or a refund. */
export const PAYRAIL_ID = "payrail_id";
/** The name of the metadata of a tombstone. */
export const PAYRAIL_VOID = "payrail_void";

export interface Deps extends Pick<Context, "now"> {
  stripe: Stripe;
  books: StripeBooks;
}

export interface Opened {
  /** The intent's id. */
  id: string;
  /** The intent, if it was created just now to be confirmed; otherwise it has to be read first. */
  created?: Stripe.PaymentIntent;
}

/**
 * Finds or creates the intent of a record, and stores its id in the books. Nothing is charged.
 * @returns for a record without terms a canceled intent, or that of a charge which the books have
 *   lost
 * @throws Error if it is not known whether the id has an intent
 */
export async function openIntent(
  deps: Deps,
  record: ChargeRecord,
  within: Within,
): Promise<Opened> {
  if (record.intent !== undefined) return { id: record.intent };
  const isKeyAlive = isYoung(record._id, deps.now());
  const found = isKeyAlive ? null : await search(deps, record._id, within);
  const created = found ? null : await create(deps, record, within);
  const { id, metadata } = found ?? created ?? (await findLost(deps, record._id, within));
  const isTombstone = metadata[PAYRAIL_VOID] !== undefined;
  if (isTombstone) await cancelIntent(deps, id, within);
  await deps.books.keepIntent(record._id, id);
  return { id, ...(created && !isTombstone && { created }) };
}

/** The shortest life of an idempotency key, less an hour for a process that waits. */
const KEY_LIVES_MS = 23 * 3_600_000;

const UUID_V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * Whether the id itself shows that it is younger than an idempotency key. Only a UUID of version 7
 * has its time (RFC 9562, 5.7). The id of a renewal has none.
 */
function isYoung(id: string, now: number): boolean {
  const [, high, low] = UUID_V7.exec(id) ?? [];
  if (high === undefined || low === undefined) return false;
  return now - Number.parseInt(high + low, 16) < KEY_LIVES_MS;
}

/** @throws Error if the id has several intents, which cannot be: then a person has to look */
async function search(
  { stripe }: Deps,
  id: string,
  within: Within,
): Promise<Stripe.PaymentIntent | null> {
  const query = `metadata['${PAYRAIL_ID}']:${JSON.stringify(id)}`;
  const { data } = await stripe.paymentIntents.search({ query, limit: 10 }, within());
  const found = data.filter(({ metadata }) => metadata[PAYRAIL_ID] === id);
  if (found.length > 1) throw new Error(`Stripe has several intents of charge ${id}`);
  return found[0] ?? null;
}

/** @returns null if the id has an intent with other parameters */
async function create(
  deps: Deps,
  record: ChargeRecord,
  within: Within,
): Promise<Stripe.PaymentIntent | null> {
  const { stripe, books } = deps;
  const { _id: id, terms } = record;
  const params = terms ? chargeParams(id, terms) : tombstoneParams(id);
  try {
    return await stripe.paymentIntents.create(params, { ...within(), idempotencyKey: id });
  } catch (error) {
    if (isKeyTaken(error)) return null;
    if (!isRefusal(error) || !terms) throw error;
    // The id has no intent and must not get one, because it is answered declined. The tombstone
    // needs a key of its own: Stripe may keep the refusal under the id.
    await books.noteDecline(id, declineCode(error));
    const key = { ...within(), idempotencyKey: `${id}:refused` };
    return stripe.paymentIntents.create(tombstoneParams(id), key);
  }
}

/** The intent of an id that was created with a record which the books have lost. */
async function findLost(deps: Deps, id: string, within: Within): Promise<Stripe.PaymentIntent> {
  const found = await search(deps, id, within);
  if (found) return found;
  throw new Error("Stripe's search does not have the intent yet");
}

/** The same parameters each time, because a key belongs to its parameters. */
function chargeParams(
  id: string,
  { amountMinor, currency, description, customer }: Terms,
): Stripe.PaymentIntentCreateParams {
  return {
    amount: amountMinor,
    currency: currency.toLowerCase(),
    description,
    metadata: { [PAYRAIL_ID]: id },
    allowed_payment_method_types: ["card"],
    // `succeeded` then means captured.
    capture_method: "automatic",
    ...(customer !== undefined && { customer }),
    ...statementSuffix(description),
  };
}

/** An intent needs an amount; this one is never confirmed. */
function tombstoneParams(id: string): Stripe.PaymentIntentCreateParams {
  return {
    amount: 100,
    currency: "usd",
    metadata: { [PAYRAIL_ID]: id, [PAYRAIL_VOID]: "true" },
    allowed_payment_method_types: ["card"],
  };
}

/**
 * Cancels an intent, if that is still possible. Stripe decides between this and a confirmation.
 * @returns the intent as it is then
 */
export async function cancelIntent(
  { stripe }: Pick<Deps, "stripe">,
  intent: string,
  within: Within,
): Promise<Stripe.PaymentIntent> {
  try {
    return await stripe.paymentIntents.cancel(intent, {}, within());
  } catch (error) {
    // It has ended already, or is being processed.
    if (!isRefusal(error)) throw error;
    return stripe.paymentIntents.retrieve(intent, {}, within());
  }
}
