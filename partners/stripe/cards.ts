// Cards: tokens of Stripe's vault, and their description.
//
// A token is the id of a PaymentMethod, `pm_…`, which is charged once. The token of a saved card,
// which is charged again later, is `pm_….cus_…`: Stripe charges a PaymentMethod again only together
// with the Customer that it is attached to.

import type { Stripe } from "stripe";
import type { Card } from "../types.ts";
import { isMissing, within } from "./client.ts";

const WITHIN_MS = 3_800;

const TOKEN = /^(pm_\w{1,200})(?:\.(cus_\w{1,200}))?$/;

/** The parts of a token. A text of another form is no PaymentMethod, and Stripe refuses it. */
export function parseToken(token: string): { method: string; customer?: string } {
  const [, method, customer] = TOKEN.exec(token) ?? [];
  return { method: method ?? token, ...(customer !== undefined && { customer }) };
}

/** Stripe's card brands as customers know them (docs.stripe.com/api/payment_methods/object). */
const BRANDS: Readonly<Record<string, string>> = {
  amex: "American Express",
  cartes_bancaires: "Cartes Bancaires",
  diners: "Diners Club",
  discover: "Discover",
  eftpos_au: "Eftpos",
  jcb: "JCB",
  mastercard: "Mastercard",
  unionpay: "UnionPay",
  visa: "Visa",
};

/**
 * Describes the card of a token.
 * @returns null if Stripe has no such card, or if the token does not name the card's own customer,
 *   so that a charge of it would fail
 */
export async function describeCard(stripe: Stripe, token: string): Promise<Card | null> {
  if (!TOKEN.test(token)) return null;
  const { method, customer } = parseToken(token);
  try {
    const found = await stripe.paymentMethods.retrieve(method, {}, within(WITHIN_MS)());
    const owner = typeof found.customer === "string" ? found.customer : found.customer?.id;
    if (!found.card || owner !== customer) return null;
    const { brand, last4 } = found.card;
    return { brand: (Object.hasOwn(BRANDS, brand) && BRANDS[brand]) || "Card", last4 };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
