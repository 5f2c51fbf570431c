// Refunds. The refunds of an intent are its own list at Stripe, which is never behind, and each has
// payrail's id in its metadata; so an id is looked for there before it is refunded. Two processes
// that look at the same time are one refund by the idempotency key, which is the refund's id.

import type { Stripe } from "stripe";
import type { RefundAnswer, RefundCharge } from "../types.ts";
import { toCurrency, voidCharge } from "./charges.ts";
import { isRefusal, type Within, within } from "./client.ts";
import { type Deps, PAYRAIL_ID } from "./intents.ts";

const WITHIN_MS = 3_800;
const NO_SUCH_CHARGE = "no_such_charge";

/**
 * Pays a part of a charge back.
 * @returns unknown while Stripe has not ended the refund
 */
export async function refundCharge(deps: Deps, asked: RefundCharge): Promise<RefundAnswer> {
  const time = within(WITHIN_MS);
  const refusal = await deps.books.findRefusal(asked.id);
  if (refusal !== null) return { kind: "refused", code: refusal };
  let record = await deps.books.find(asked.chargeId);
  if (!record?.intent) {
    // The charge was never made, or the books have lost it. A void tells which; if it was never
    // made, it must not be made later, because the refund is refused for good.
    const { kind } = await voidCharge(deps, asked.chargeId, time);
    if (kind === "unknown") return { kind };
    if (kind !== "captured") return refuse(deps, asked.id, NO_SUCH_CHARGE);
    record = await deps.books.find(asked.chargeId);
  }
  if (!record?.intent) throw new Error("The books have lost a charge during its refund");
  const { intent, terms } = record;
  const made = await findRefund(deps, asked.id, intent, time);
  if (made) return answerFor(made);
  if (terms && terms.currency !== asked.currency) return refuse(deps, asked.id, NO_SUCH_CHARGE);
  return create(deps, asked, intent, time);
}

async function create(
  deps: Deps,
  { id, amountMinor }: RefundCharge,
  intent: string,
  time: Within,
): Promise<RefundAnswer> {
  const params: Stripe.RefundCreateParams = {
    payment_intent: intent,
    amount: amountMinor,
    metadata: { [PAYRAIL_ID]: id },
  };
  try {
    const made = await deps.stripe.refunds.create(params, { ...time(), idempotencyKey: id });
    return answerFor(made);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // Another process may have made it meanwhile.
    const made = await findRefund(deps, id, intent, time);
    return made ? answerFor(made) : refuse(deps, id, error.code ?? error.type);
  }
}

async function refuse({ books }: Deps, id: string, code: string): Promise<RefundAnswer> {
  await books.refuse(id, code);
  return { kind: "refused", code };
}

async function findRefund(
  { stripe }: Deps,
  id: string,
  intent: string,
  time: Within,
): Promise<Stripe.Refund | null> {
  const refunds = stripe.refunds.list({ payment_intent: intent, limit: 100 }, time());
  for await (const made of refunds) if (made.metadata?.[PAYRAIL_ID] === id) return made;
  return null;
}

/**
 * The answer by the refund as Stripe has it, also if it is asked for another sum now. A repeated
 * creation may answer an earlier state, so only an end counts (docs.stripe.com/refunds).
 */
function answerFor({
  status,
  amount,
  currency,
  failure_reason: reason,
}: Stripe.Refund): RefundAnswer {
  if (status === "succeeded") {
    return { kind: "refunded", amountMinor: amount, currency: toCurrency(currency) };
  }
  if (status === "failed" || status === "canceled") {
    return { kind: "refused", code: reason ?? status };
  }
  return { kind: "unknown" };
}
