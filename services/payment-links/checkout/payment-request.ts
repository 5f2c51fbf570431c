// What a customer sends to pay a link, and the payment that it makes of it. Amounts are the link's:
// nothing that a customer sends says how much. Pure.

import type { Params } from "../../../shared/contracts.ts";
import type { Config } from "../../../shared/env.ts";
import type { Card } from "../../../shared/partners/acquirer.ts";
import { fingerprint } from "../../../shared/seal.ts";
import { digest } from "../../../shared/secrets.ts";
import type { PaymentLink } from "../links/link.model.ts";
import type { Customer, Payment } from "../payments/payment.model.ts";

type Request = Params<"payment-links.pay">;
/** A request to pay is one of these, too. */
type SetupRequest = Params<"payment-links.setup">;
type Keys = Pick<Config, "fingerprintKey">;

/** What makes a payment the same one, or one of the same customer. */
export interface Marks {
  /** The customer's network address at this link. */
  address: string;
  /** The Idempotency-Key at this link, where there is one. */
  idempotencyKey?: string;
  /** What is asked for. */
  requestHash: string;
}

/** Where a customer is known already, and sends no more than a card. */
const NOBODY: Customer = { email: "", firstName: "", lastName: "", phone: "" };

/** @param at the link, or what else the customer has come to */
export function marksOf(
  config: Keys,
  { _id: at }: { _id: string },
  { address, idempotencyKey: key, customer, fields = {}, paymentMethod }: SetupRequest,
): Marks {
  const { email, firstName, lastName, phone } = customer ?? NOBODY;
  const filled = Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const asked = [email, firstName, lastName, phone, JSON.stringify(filled), paymentMethod.token];
  return {
    address: fingerprint(config, ["checkout-address", at, address]),
    ...(key !== undefined && { idempotencyKey: `${at}:${digest(key)}` }),
    requestHash: fingerprint(config, ["checkout-request", ...asked]),
  };
}

/** After its deadline a payment that is not known to be charged is left to its request for so long. */
const GRACE_MS = 5_000;

/**
 * The document of a payment that is to be charged next.
 * @param deadline epoch ms until which its customer waits
 */
export function paymentOf(
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
  const { totalMinor, feesMinor, amountMinor } = link;
  const { name, currency, itemDeliveryAddress, customData = {}, orderId, externalId } = terms;
  return {
    _id: id,
    key: id,
    v: 0,
    writtenBy: id,
    step: "charge",
    status: "PENDING",
    states: [],
    relayed: 0,
    businessId,
    needsAttention: false,
    nextAttemptAt: deadline + GRACE_MS,
    linkId,
    collectionAccountId,
    currency,
    totalMinor,
    feesMinor,
    amountMinor,
    card,
    acquirer,
    customer,
    fields: askedFor(terms, fields),
    name,
    itemDeliveryAddress,
    customData,
    ...(orderId !== undefined && { orderId }),
    ...(externalId !== undefined && { externalId }),
    notifyPayee: terms.notifyPayee,
    ...(terms.agent && { agent: terms.agent }),
    ...marks,
    deadline,
    ...(!terms.isOpenLink && { holds: linkId }),
    refundedMinor: 0,
    refundedFeesMinor: 0,
  };
}

/** What else was sent is not kept. */
export function askedFor(
  { dataCollections, customFields }: PaymentLink["terms"],
  fields: Record<string, string>,
): Record<string, string> {
  const names = new Set([...dataCollections, ...customFields]);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.has(name)));
}
