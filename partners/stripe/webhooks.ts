// Stripe's webhooks: which charge or refund to ask about. A webhook decides nothing: payrail asks
// for the state itself, so a lost, late, repeated or reordered webhook does no harm.

import { Stripe } from "stripe";
import { PAYRAIL_ID } from "./intents.ts";

/** The greatest age of a webhook, in seconds, against repeats of a recorded one. */
const TOLERANCE_S = 300;

/** The beginnings of the types of events that can change a state; all others are ignored. */
const STARTS = ["payment_intent.", "refund."];

/**
 * Reads a webhook.
 * @param secret the signing secret of the endpoint, `whsec_…`
 * @param headers with lower-case names
 * @param rawBody the body as it came, because the signature is over its bytes
 * @param nowMs epoch milliseconds
 * @returns the id of the charge or refund, in payrail's request; none if it is not payrail's
 * @throws Error if Stripe did not sign the webhook, or more than five minutes ago
 */
export function readNotification(
  secret: string,
  headers: Record<string, string>,
  rawBody: string,
  nowMs: number,
): string[] {
  const signature = headers["stripe-signature"];
  if (typeof signature !== "string") throw new Error("The webhook has no signature");
  const { type, data } = verified(secret, signature, rawBody, nowMs);
  if (!STARTS.some((start) => type.startsWith(start))) return [];
  const { metadata } = data.object as { metadata?: Stripe.Metadata | null };
  const id = metadata?.[PAYRAIL_ID];
  return id === undefined ? [] : [id];
}

function verified(secret: string, signature: string, rawBody: string, nowMs: number): Stripe.Event {
  try {
    const args = [rawBody, signature, secret, TOLERANCE_S, undefined, nowMs] as const;
    return Stripe.webhooks.constructEvent(...args);
  } catch (error) {
    const isUnsigned = error instanceof Stripe.errors.StripeSignatureVerificationError;
    // oxlint-disable-next-line preserve-caught-error -- the library's error has the whole body
    throw new Error(isUnsigned ? "The webhook's signature is wrong" : "The webhook is no JSON");
  }
}
