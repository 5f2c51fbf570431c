// Refunds (docs/integrate/payment-links.md, Refunds): collected money goes back to the customer,
// the fee in proportion. The document is stored before anything moves; its lifecycle is in
// lifecycle.ts.

import type { Model } from "mongoose";
import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { fail } from "../../../shared/errors.ts";
import { idOfName } from "../../../shared/ids.ts";
import { toMinor } from "../../../shared/money.ts";
import { LEASE_MS } from "../../../shared/resumable/change.ts";
import { newResumable } from "../../../shared/resumable/document.ts";
import { isDuplicate, MAJORITY } from "../../../shared/storage/database.ts";
import { type Paging, readPage } from "../../../shared/storage/paging.ts";
import { acquirerKey, isConfigured } from "../acquirers/acquirer.ts";
import type { Payment } from "../payments/payment.model.ts";
import type { RefundDeps } from "./deps.ts";
import type { Refund } from "./refund.model.ts";
import { computeShare } from "./refund-allocation.ts";
import { refundView } from "./refund-views.ts";

type Asked = Pick<Params<"payment-links.refund">, "amount" | "reference">;

/** How long a merchant waits; less than the timeout in the contract. */
const MERCHANT_WAITS_MS = 8_000;
const LOOK_AGAIN_AFTER_MS = 50;

/**
 * Refunds a payment; without an amount the rest of it. The same reference has the same result.
 * @returns a PENDING refund if the acquirer does not answer in time
 * @throws CONFLICT if the reference stands for another amount; NOT_REFUNDABLE if the payment has
 *   not succeeded, or has too little left; INSUFFICIENT_FUNDS, WALLET_DISABLED, BALANCE_BOUND;
 *   UNAVAILABLE if nothing was begun, or if the outcome is not known yet: the same call answers it
 *   later
 */
export async function refundPayment(
  deps: RefundDeps,
  payment: Payment,
  { amount, reference }: Asked,
): Promise<Result<"payment-links.refund">> {
  const askedMinor = amount === undefined ? null : (toMinor(amount) as number);
  const until = deps.clock.now() + MERCHANT_WAITS_MS;
  const key = { paymentId: payment._id, reference };
  const known = await deps.refunds.documents.findOne(key, MAJORITY);
  const { stored, isNew } = known
    ? { stored: known, isNew: false }
    : await insert(deps, payment, askedMinor, reference);
  if (!isAsked(stored, askedMinor)) return fail("CONFLICT");
  if (!isNew) return answerFor(await lookUntil(deps, stored, until));
  await deps.reached("refund-inserted", stored);
  const driven = deps.refunds.machine.drive(stored, { isFresh: true }).catch((error: unknown) => {
    deps.log.warn("A refund goes on later", { id: stored._id, error });
  });
  await deps.clock.within(driven, MERCHANT_WAITS_MS);
  return answerFor(await lookUntil(deps, stored, until));
}

/** Whether the refund is of that sum; a repeat may name the amount of the rest. */
function isAsked({ askedMinor: first, amountMinor }: Refund, askedMinor: number | null): boolean {
  return first === askedMinor || (first === null && askedMinor === amountMinor);
}

async function insert(
  deps: RefundDeps,
  payment: Payment,
  askedMinor: number | null,
  reference: string,
): Promise<{ stored: Refund; isNew: boolean }> {
  // An early answer without a write. The read may be stale, so the caller may have to ask again;
  // the allocation decides whether the refund fits.
  if (!computeShare(payment, askedMinor)) return fail("NOT_REFUNDABLE");
  if (!isConfigured(deps, payment.acquirer)) return fail("UNAVAILABLE");
  const { clock, newId } = deps;
  const { documents: refunds } = deps.refunds;
  const { _id: paymentId, businessId, linkId, collectionAccountId, currency, fee } = payment;
  const stored: Refund = {
    ...newResumable(newId()),
    key: idOfName("refund", acquirerKey(payment), reference),
    chargeKey: acquirerKey(payment),
    step: "allocate",
    status: "PENDING",
    businessId,
    nextAttemptAt: clock.now() + LEASE_MS,
    visible: false,
    paymentId,
    acquirer: payment.acquirer,
    linkId,
    collectionAccountId,
    currency,
    reference,
    askedMinor,
    amountMinor: 0,
    feesMinor: 0,
    ...(fee && { fee }),
  };
  try {
    await refunds.insertOne(stored);
    return { stored, isNew: true };
  } catch (error) {
    const key = { paymentId, reference };
    const raced = isDuplicate(error) ? await refunds.findOne(key, MAJORITY) : null;
    // After an unknown outcome the caller's repeat finds the refund by its reference.
    return raced ? { stored: raced, isNew: false } : fail("UNAVAILABLE");
  }
}

/** The refund once it can be answered, or as it is at the deadline. */
async function lookUntil(
  { refunds: { documents }, clock }: RefundDeps,
  stored: Refund,
  until: number,
): Promise<Refund> {
  for (;;) {
    // Another request's refund may not have reached a majority yet.
    const refund = (await documents.findOne({ _id: stored._id }, MAJORITY)) ?? stored;
    if (isAnswerable(refund) || clock.now() >= until) return refund;
    await clock.sleep(LOOK_AGAIN_AFTER_MS);
  }
}

/** The refund has ended, or the acquirer did not answer in time. */
function isAnswerable({ step, unknownSince }: Refund): boolean {
  return step === "closed" || step === "declined" || (step === "ask" && unknownSince !== undefined);
}

function answerFor(refund: Refund): Result<"payment-links.refund"> {
  if (refund.visible) return refundView(refund);
  switch (refund.declined) {
    case "exceeds":
      return fail("NOT_REFUNDABLE");
    case "funds":
      return fail("INSUFFICIENT_FUNDS");
    case "disabled":
      return fail("WALLET_DISABLED");
    case "bound":
      return fail("BALANCE_BOUND");
    case "other":
      return fail("INTERNAL");
    case undefined:
      return fail("UNAVAILABLE");
  }
}

/** A visible refund of a business, or of any one; null if there is none. */
export function findRefund(
  { refunds }: RefundDeps,
  id: string,
  businessId?: string,
): Promise<Refund | null> {
  const owned = businessId === undefined ? {} : { businessId };
  return refunds.documents.findOne({ _id: id, visible: true, ...owned }, MAJORITY);
}

/** The refunds of a payment, without the declined ones, which moved no money. */
export async function listRefunds(
  refunds: Model<Refund>,
  paymentId: string,
  paging: Paging,
): Promise<Result<"payment-links.refunds">> {
  const { documents, meta } = await readPage(refunds, { paymentId, visible: true }, paging);
  return { items: documents.map(refundView), meta };
}
