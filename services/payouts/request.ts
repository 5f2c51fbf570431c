// The request of a withdrawal (docs/integrate/rest-api.md, Withdrawals), and the payout made of it.
// Pure.

import type { Config } from "../../shared/config/config.ts";
import type { PayoutMethod } from "../../shared/config/payout-methods.ts";
import { checker } from "../../shared/contracts/checker.ts";
import { type Infer, isObject } from "../../shared/contracts/field.ts";
import type { OptionType } from "../../shared/contracts/linked-accounts.ts";
import { withdrawalRequest } from "../../shared/contracts/payouts.ts";
import { failField } from "../../shared/errors.ts";
import { computeFee } from "../../shared/fees.ts";
import { creationTime } from "../../shared/ids.ts";
import { toMinor } from "../../shared/money.ts";
import { newResumable } from "../../shared/resumable/document.ts";
import type { PayoutDestination } from "./deps.ts";
import type { Payout } from "./payout.model.ts";

type Request = Infer<typeof withdrawalRequest>;
/** What a payout is made of; a merchant's own payout has no transactionType. */
export type PayoutRequest = Pick<
  Request,
  "currency" | "amount" | "reason" | "routingType" | "transactionType" | "metadata"
>;
const check = checker(withdrawalRequest);

/** The request, or its error, which is thrown only after the check of the rate limit. */
export function readRequest(
  currency: unknown,
  body: unknown,
): { isValid: true; request: Request } | { isValid: false; error: unknown } {
  try {
    return { isValid: true, request: check(isObject(body) ? { ...body, currency } : body) };
  } catch (error) {
    return { isValid: false, error };
  }
}

/**
 * The payout method (docs/integrate/rest-api.md, Withdrawals).
 * @throws VALIDATION if the account cannot be paid by that routing
 */
export function choosePayoutMethod(
  optionType: OptionType,
  routingType: Request["routingType"],
): PayoutMethod {
  switch (optionType) {
    case "card":
    case "prepaid_card":
      return "PUSH_TO_CARD";
    case "international_bank":
      if (routingType === undefined || routingType === "WIRE") return "WIRE";
      return failField("routingType", "must be WIRE for an international bank account");
    case "bank":
      return routingType === undefined || routingType === "BANK" ? "ACH" : routingType;
  }
}

/** The linked account that is paid, and the wallet that is debited. */
export type PaidDestination = PayoutDestination & Pick<Payout, "byMerchant" | "payeeId">;

/** The document of a new payout; the claim of its application token is next, if it has one. */
export function newPayout(
  { fees }: Pick<Config, "fees">,
  id: string,
  request: PayoutRequest,
  destination: PaidDestination,
  { method, deadline }: Pick<Payout, "method" | "deadline">,
): Payout {
  const amountMinor = toMinor(request.amount) as number;
  const fee = fees[method][request.currency];
  const feesMinor = computeFee(fee, amountMinor);
  const isPayment = request.transactionType?.toLowerCase() === "payout";
  return {
    ...newResumable(id),
    step: "claim",
    visible: false,
    status: "PENDING",
    states: [{ status: "PENDING", at: creationTime(id) }],
    ...destination,
    method,
    // It looks inverted, but the API promises it this way round (docs/integrate/rest-api.md,
    // Withdrawals).
    flow: isPayment ? "PAYMENT" : "PAYOUT",
    amountMinor,
    feesMinor,
    totalMinor: amountMinor + feesMinor,
    fee,
    reason: request.reason,
    ...(request.metadata && { metadata: request.metadata }),
    deadline,
    nextAttemptAt: voidedAt({ deadline }),
  };
}

/** How long after its deadline the sweeper leaves a payout in `debit` to its request's driver. */
const GRACE_MS = 2_000;

/** When the sweeper voids a payout that is neither accepted nor declined; epoch ms. */
export function voidedAt({ deadline }: Pick<Payout, "deadline">): number {
  return deadline + GRACE_MS;
}
