// The confirmation of a charge by its customer (3-D Secure). The acquirer answers a charge with an
// action, which the checkout page gives to the vault's field. While the customer confirms, the
// payment stays PENDING and keeps its link. Its outcome comes from the acquirer: when the page asks
// for it, or the sweeper does, because the customer may never come back. After its time a void ends
// the charge.
//
// Invariant: a confirmation charges nothing anew. Only `outcome` is asked, and it only tells.

import type { ActionRequired } from "../../../partners/types.ts";
import type { Result } from "../../../shared/contracts/contracts.ts";
import { fail } from "../../../shared/errors.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import { findAcquirer } from "../acquirers/acquirer.ts";
import type { PaymentLink } from "../links/link.model.ts";
import type { PaymentDeps } from "./deps.ts";
import { afterOutcome, askOutcome, isConfirmable } from "./lifecycle.ts";
import type { Payment } from "./payment.model.ts";
import { outcomeView } from "./payment-views.ts";

/** A payment as its request leaves it; with an action, the customer has to confirm it. */
export interface PaymentOutcome {
  payment: Payment;
  action?: string;
}

/** The time that a customer has for the confirmation: an issuer's own page gives ten minutes. */
const CONFIRMED_WITHIN_MS = 15 * 60_000;

/**
 * Stores that the customer may confirm the charge. If another driver was quicker, or the acquirer
 * cannot tell the outcome later, there is nothing to confirm, and a void decides.
 */
export async function awaitConfirmation(
  deps: PaymentDeps,
  payment: Payment,
  { action }: ActionRequired,
): Promise<PaymentOutcome> {
  if (!findAcquirer(deps, payment.acquirer)?.outcome) {
    return { payment: await deps.payments.machine.drive(payment, { isFresh: false }) };
  }
  const confirmUntil = deps.clock.now() + CONFIRMED_WITHIN_MS;
  const change = { set: { confirmUntil }, next: FIRST_ASKED_AFTER_MS };
  const waiting = await deps.payments.machine.transition(payment, change);
  return waiting ? { payment: waiting, action } : { payment };
}

/** The sweeper leaves the first question to the page. */
const FIRST_ASKED_AFTER_MS = 60_000;

/**
 * Tells the outcome of a payment after its customer has confirmed it, or the action once more.
 * @param findLink reads the link, or fails
 * @throws PAYMENT_LINK_NOT_FOUND, PAYMENT_NOT_FOUND
 */
export async function continuePayment(
  deps: PaymentDeps,
  id: string,
  findLink: () => Promise<PaymentLink>,
): Promise<Result<"payment-links.continuePayment">> {
  const link = await findLink();
  const stored = await deps.payments.documents.findOne({ _id: id, linkId: link._id }, MAJORITY);
  const payment = stored ?? fail("PAYMENT_NOT_FOUND");
  if (!isConfirmable(payment, deps.clock.now())) return outcomeView(link, payment);
  const answer = await askOutcome(deps, payment);
  if (answer.kind === "action") return outcomeView(link, payment, answer.action);
  if (answer.kind === "unknown") return outcomeView(link, payment);
  const change = await afterOutcome(deps, payment, answer);
  return outcomeView(link, await deps.payments.machine.drive(payment, { change }));
}
