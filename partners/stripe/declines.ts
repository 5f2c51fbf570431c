// The codes of declines: Stripe's reasons in payrail's words.

import type { Stripe } from "stripe";

/**
 * payrail's code for a decline code of Stripe (docs.stripe.com/declines/codes). The customer is
 * told no more than a general decline where Stripe's table says so: lost_card, stolen_card,
 * fraudulent and their like would warn a thief.
 */
const CODES: Readonly<Record<string, string>> = {
  insufficient_funds: "insufficient_funds",
  withdrawal_count_limit_exceeded: "insufficient_funds",
  card_velocity_exceeded: "insufficient_funds",
  expired_card: "expired_card",
  call_issuer: "card_declined",
  card_declined: "card_declined",
  card_not_supported: "card_declined",
  do_not_honor: "card_declined",
  do_not_try_again: "card_declined",
  fraudulent: "card_declined",
  generic_decline: "card_declined",
  invalid_account: "card_declined",
  issuer_not_available: "card_declined",
  lost_card: "card_declined",
  merchant_blacklist: "card_declined",
  new_account_information_available: "card_declined",
  no_action_taken: "card_declined",
  not_permitted: "card_declined",
  pickup_card: "card_declined",
  reenter_transaction: "card_declined",
  restricted_card: "card_declined",
  revocation_of_all_authorizations: "card_declined",
  revocation_of_authorization: "card_declined",
  security_violation: "card_declined",
  service_not_allowed: "card_declined",
  stolen_card: "card_declined",
  stop_payment_order: "card_declined",
  transaction_not_allowed: "card_declined",
  try_again_later: "card_declined",
};

type Refusal = Pick<Stripe.PaymentIntent.LastPaymentError, "code" | "decline_code" | "type">;

/**
 * payrail's code for an error of Stripe: of its own words one that customers read, otherwise
 * Stripe's code.
 * @param refusal an error of the API, or the last payment error of an intent
 */
export function declineCode({ decline_code: reason, code, type }: Refusal): string {
  const specific = reason || code || type;
  return (Object.hasOwn(CODES, specific) && CODES[specific]) || specific;
}
