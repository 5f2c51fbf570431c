// The customer's request to pay a link, and the payment that is made of it. The amounts come from
// the link, never from the customer. Pure.

import type { Card } from "../../../partners/types.ts";
import type { ConfigOf } from "../../../shared/config/config.ts";
import type { Params } from "../../../shared/contracts/contracts.ts";
import { comparedEmail } from "../../../shared/email.ts";
import { newResumable } from "../../../shared/resumable/document.ts";
import { fingerprint } from "../../../shared/security/seal.ts";
import { digest } from "../../../shared/security/secrets.ts";
import { copyTerms, type PaymentLink } from "../links/link.model.ts";
import type { Customer, Payment } from "./payment.model.ts";

type Request = Params<"payment-links.pay">;
/** Every request to pay has the fields of a request to set up. */
type SetupRequest = Params<"payment-links.setup">;

/** The marks by which a repeated request and the payments of one address are recognized. */
export interface Marks {
  /** The customer's network address at this link. */
  address: string;
  /** The Idempotency-Key at this link, if the request has one. */
  idempotencyKey?: string;
  /** A fingerprint of the request's content. */
  requestHash: string;
  /**
   * The claim that only one payment or subscription has at a time: on the link, if it is used once;
   * on the customer at an open link, if the request asks for it.
   */
  holds?: string;
}

/** For a payment-method link, at which the known customer sends only a card. */
const NO_CUSTOMER: Customer = { email: "", firstName: "", lastName: "", phone: "" };

/** An Idempotency-Key as it is stored: it counts at one link, or at one payment-method link. */
export function keyMark({ _id: at }: { _id: string }, key: string): string {
  return `${at}:${digest(key)}`;
}

/** The stored key of a request to set up, which may have the key of a payment. */
export function setupKeyMark(link: { _id: string }, key: string): string {
  return `setup:${keyMark(link, key)}`;
}

/** The marks of a request at a link. */
export function marksAtLink(
  config: ConfigOf<"payment-links">,
  link: Pick<PaymentLink, "_id" | "terms">,
  request: SetupRequest,
): Marks {
  const { _id: linkId, terms } = link;
  const { customer, once = false } = request;
  const email = once && customer ? comparedEmail(customer.email) : null;
  const ofCustomer = email && fingerprint(config, ["checkout-customer", linkId, email]);
  return {
    ...makeMarks(config, link, request),
    ...(ofCustomer && { holds: `${linkId}:${ofCustomer}` }),
    ...(!terms.isOpenLink && { holds: linkId }),
  };
}

/** @param at the link, or the subscription of a payment-method link */
export function makeMarks(
  config: ConfigOf<"payment-links">,
  at: { _id: string },
  { address, idempotencyKey: key, customer, fields = {}, paymentMethod }: SetupRequest,
): Marks {
  const { email, firstName, lastName, phone } = customer ?? NO_CUSTOMER;
  const filled = Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const asked = [email, firstName, lastName, phone, JSON.stringify(filled), paymentMethod.token];
  return {
    address: fingerprint(config, ["checkout-address", at._id, address]),
    ...(key !== undefined && { idempotencyKey: keyMark(at, key) }),
    requestHash: fingerprint(config, ["checkout-request", ...asked]),
  };
}

/** How long after its deadline the sweeper leaves a payment at `charge` to its request. */
const GRACE_MS = 5_000;

/**
 * The document of a new payment; its charge is next.
 * @param deadline epoch ms until which its customer waits
 */
export function newPayment(
  link: PaymentLink,
  { customer, fields = {} }: Request,
  {
    id,
    card,
    acquirer,
    marks,
    deadline,
  }: { id: string; card: Card; acquirer: string; marks: Marks; deadline: number },
): Payment {
  const { _id: linkId, businessId, collectionAccountId, terms } = link;
  const { totalMinor, fee, feesMinor, amountMinor } = link;
  return {
    ...newResumable(id),
    key: id,
    step: "charge",
    status: "PENDING",
    businessId,
    nextAttemptAt: deadline + GRACE_MS,
    linkId,
    collectionAccountId,
    currency: terms.currency,
    totalMinor,
    fee,
    feesMinor,
    amountMinor,
    card,
    acquirer,
    customer,
    fields: askedFor(terms, fields),
    ...copyTerms(terms),
    notifyPayee: terms.notifyPayee,
    ...(link.payee && { payee: link.payee }),
    ...(isNamed(terms.agent) && { agent: terms.agent }),
    ...marks,
    deadline,
    refundedMinor: 0,
    refundedFeesMinor: 0,
  };
}

/** An agent without a text names no recipient. */
function isNamed(agent: PaymentLink["terms"]["agent"]): boolean {
  return agent !== undefined && Object.keys(agent).length > 0;
}

/** The fields that the link asks for; any other field of the request is not stored. */
export function askedFor(
  { dataCollections, customFields }: PaymentLink["terms"],
  fields: Record<string, string>,
): Record<string, string> {
  const names = new Set([...dataCollections, ...customFields]);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.has(name)));
}
