// What an attempt to pay or to save a card has made, by its Idempotency-Key: for a page that was
// reloaded, and has neither the answer nor the card. An attempt without a result may still be under
// way; a further one under the same key cannot be a second payment, because the key has only one.

import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { fail } from "../../../shared/errors.ts";
import { digest } from "../../../shared/security/secrets.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import type { BillingDeps } from "../billing/deps.ts";
import { findByMethodLink, outcome } from "../billing/method-links.ts";
import { firstOutcome } from "../billing/setup.ts";
import type { PaymentLink } from "../links/link.model.ts";
import { keyMark, setupKeyMark } from "../payments/payment-request.ts";
import { outcomeView } from "../payments/payment-views.ts";

type Attempt = Result<"payment-links.attempt">;

/**
 * @throws PAYMENT_LINK_NOT_FOUND; ATTEMPT_NOT_FOUND if nothing is stored under the key
 */
export async function findAttempt(
  deps: BillingDeps,
  { token, key }: Params<"payment-links.attempt">,
): Promise<Attempt> {
  const hash = digest(token);
  const link = await deps.links.findByToken(hash);
  const found = link ? await atLink(deps, link, key) : await atMethodLink(deps, hash, key);
  return found ?? fail("ATTEMPT_NOT_FOUND");
}

async function atLink(deps: BillingDeps, link: PaymentLink, key: string): Promise<Attempt | null> {
  const { payments, subscriptions } = deps;
  if (link.terms.checkoutType === "recurring") {
    const idempotencyKey = setupKeyMark(link, key);
    const subscription = await subscriptions.documents.findOne({ idempotencyKey }, MAJORITY);
    return subscription && { setup: firstOutcome(deps, subscription) };
  }
  const payment = await payments.documents.findOne(
    { idempotencyKey: keyMark(link, key) },
    MAJORITY,
  );
  return payment && { payment: outcomeView(link, payment) };
}

async function atMethodLink(deps: BillingDeps, hash: string, key: string): Promise<Attempt | null> {
  const found = await findByMethodLink(deps, hash);
  const subscription = found ?? fail("PAYMENT_LINK_NOT_FOUND");
  const isIts = subscription.methodLink?.idempotencyKey === keyMark(subscription, key);
  return isIts ? { setup: outcome(subscription) } : null;
}
