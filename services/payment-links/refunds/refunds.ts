// Refunds (docs/payment-links.md, Refunds): collected money goes back to the customer, the fee in
// proportion. The document is stored before anything moves; its lifecycle is in lifecycle.ts.

import type { Model, mongo } from "mongoose";
import type { Params, Result } from "../../../shared/contracts.ts";
import { isDuplicate, MAJORITY } from "../../../shared/database.ts";
import { fail } from "../../../shared/errors.ts";
import { idOfName } from "../../../shared/ids.ts";
import { toMinor } from "../../../shared/money.ts";
import { oldestFirst } from "../../../shared/paging.ts";
import { createMachine, type Machine } from "../../../shared/resumable/machine.ts";
import { LEASE_MS } from "../../../shared/resumable/transitions.ts";
import { isConfigured, keyOf } from "../acquirers/acquirer.ts";
import type { Deps, World } from "../deps.ts";
import type { Payment } from "../payments/payment.model.ts";
import { noteLost, refundChangeFor } from "./lifecycle.ts";
import type { Refund } from "./refund.model.ts";
import { shareOf } from "./refund-allocation.ts";
import { refundBytesOf, refundEventOf, refundView } from "./refund-views.ts";

/** Named points of the lifecycle, at which a test can stop whoever comes by. */
export const REFUND_POINTS = [
  "refund-inserted",
  "refund-allocated",
  "refund-posted",
  "refund-answered",
  "refund-reversed",
  "refund-published",
] as const;
export type RefundPoint = (typeof REFUND_POINTS)[number];

/** What refunds need of the world, beside what payments do. */
export interface RefundWorld
  extends Pick<
    Deps,
    "clock" | "newId" | "payments" | "acquirer" | "formerAcquirers" | "log" | "post"
  > {
  refunds: mongo.Collection<Refund>;
  publish: World["services"]["publish"];
  at(point: RefundPoint, refund: Refund): Promise<void> | void;
}

export interface RefundDeps extends RefundWorld {
  machine: Machine<Refund>;
}

export function createRefundDeps(world: RefundWorld): RefundDeps {
  const deps: RefundDeps = {
    ...world,
    machine: createMachine<Refund>({
      ...world,
      documents: world.refunds,
      async changeFor(refund, isFresh) {
        const change = await refundChangeFor(deps, refund, isFresh);
        return { ...change, lost: () => noteLost(deps, refund, change) };
      },
      outlet: {
        publish: world.publish,
        eventOf: refundEventOf,
        bytesOf: refundBytesOf,
        published: (refund) => world.at("refund-published", refund),
      },
    }),
  };
  return deps;
}

type Asked = Pick<Params<"payment-links.refund">, "amount" | "reference">;

/** How long a merchant waits; less than the contract says. */
const ANSWERED_WITHIN_MS = 8_000;
const LOOK_AGAIN_AFTER_MS = 50;

/**
 * Refunds a payment, the rest of it where no amount is given; the same reference has the same result.
 * @returns PENDING where the acquirer does not say in time
 * @throws CONFLICT the reference stands for another amount; NOT_REFUNDABLE it has not succeeded, or
 *   that is more than what is left; INSUFFICIENT_FUNDS, WALLET_DISABLED, BALANCE_BOUND; UNAVAILABLE
 *   nothing was begun, or the outcome is not known yet: the same call answers it
 */
export async function refundPayment(
  deps: RefundDeps,
  payment: Payment,
  { amount, reference }: Asked,
): Promise<Result<"payment-links.refund">> {
  const askedMinor = amount === undefined ? null : (toMinor(amount) as number);
  const until = deps.clock.now() + ANSWERED_WITHIN_MS;
  const key = { paymentId: payment._id, reference };
  const known = await deps.refunds.findOne(key, MAJORITY);
  const { stored, isNew } = known
    ? { stored: known, isNew: false }
    : await insert(deps, payment, askedMinor, reference);
  if (!isAsked(stored, askedMinor)) return fail("CONFLICT");
  if (!isNew) return answerFor(await lookUntil(deps, stored, until));
  await deps.at("refund-inserted", stored);
  const driven = deps.machine.drive(stored).catch((error: unknown) => {
    deps.log.warn("A refund is gone on with later", { id: stored._id, error });
  });
  await deps.clock.within(driven, ANSWERED_WITHIN_MS);
  return answerFor(await lookUntil(deps, stored, until));
}

/** Whether that is what it was asked for; the rest may be named by its amount later. */
function isAsked({ askedMinor: first, amountMinor }: Refund, askedMinor: number | null): boolean {
  return first === askedMinor || (first === null && askedMinor === amountMinor);
}

async function insert(
  deps: RefundDeps,
  payment: Payment,
  askedMinor: number | null,
  reference: string,
): Promise<{ stored: Refund; isNew: boolean }> {
  // Nothing is stored that can be told at once; a stale read costs no more than asking again. Whether
  // the refund fits is decided by the allocation.
  if (!shareOf(payment, askedMinor)) return fail("NOT_REFUNDABLE");
  if (!isConfigured(deps, payment.acquirer)) return fail("UNAVAILABLE");
  const { refunds, clock, newId } = deps;
  const { _id: paymentId, businessId, linkId, collectionAccountId, currency } = payment;
  const stored: Refund = {
    _id: newId(),
    key: idOfName("refund", keyOf(payment), reference),
    chargeKey: keyOf(payment),
    v: 1,
    writtenBy: newId(),
    step: "allocate",
    status: "PENDING",
    states: [],
    relayed: 0,
    businessId,
    needsAttention: false,
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
  };
  try {
    await refunds.insertOne(stored);
    return { stored, isNew: true };
  } catch (error) {
    const key = { paymentId, reference };
    const raced = isDuplicate(error) ? await refunds.findOne(key, MAJORITY) : null;
    // What is not known to be in is found by its reference.
    return raced ? { stored: raced, isNew: false } : fail("UNAVAILABLE");
  }
}

/** The refund once there is something to answer, or as it is when the time is over. */
async function lookUntil(
  { refunds, clock }: RefundDeps,
  stored: Refund,
  until: number,
): Promise<Refund> {
  for (;;) {
    // Somebody else's may be on its way to a majority.
    const refund = (await refunds.findOne({ _id: stored._id }, MAJORITY)) ?? stored;
    if (isAnswerable(refund) || clock.now() >= until) return refund;
    await clock.sleep(LOOK_AGAIN_AFTER_MS);
  }
}

/** It has ended, or the acquirer was asked and did not say. */
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

/** A refund of any business that others may see; null where there is none. */
export function findRefund({ refunds }: RefundDeps, id: string): Promise<Refund | null> {
  return refunds.findOne({ _id: id, visible: true }, MAJORITY);
}

/** The refunds of a payment, oldest first; those that were declined moved nothing. */
export async function listRefunds(
  refunds: Model<Refund>,
  paymentId: string,
  paging: { page?: number; limit?: number },
): Promise<Result<"payment-links.refunds">> {
  const { documents, meta } = await oldestFirst(refunds, { paymentId, visible: true }, paging);
  return { items: documents.map(refundView), meta };
}
