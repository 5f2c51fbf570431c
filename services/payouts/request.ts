// The request of a withdrawal (docs/rest-api.md, Withdrawals), and the payout made of it. Pure.

import type { OptionType } from "../../shared/contracts/linked-accounts.ts";
import { withdrawalRequest } from "../../shared/contracts/payouts.ts";
import type { Config } from "../../shared/env.ts";
import { fail } from "../../shared/errors.ts";
import { feeOf, type Method } from "../../shared/fees.ts";
import { checker, type Infer } from "../../shared/fields.ts";
import { toMinor } from "../../shared/money.ts";
import type { Destination } from "./deps.ts";
import type { Payout } from "./payout.model.ts";

type Request = Infer<typeof withdrawalRequest>;
const check = checker(withdrawalRequest);

/** The request, or what is wrong with it, which is not said before the rate limit. */
export function readRequest(
  currency: unknown,
  body: unknown,
): { right: true; request: Request } | { right: false; error: unknown } {
  const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
  try {
    return { right: true, request: check(isObject ? { ...body, currency } : body) };
  } catch (error) {
    return { right: false, error };
  }
}

/**
 * The payout method (docs/rest-api.md, Withdrawals).
 * @throws VALIDATION where the account cannot be paid that way
 */
export function methodFor(optionType: OptionType, routingType: Request["routingType"]): Method {
  switch (optionType) {
    case "card":
    case "prepaid_card":
      return "PUSH_TO_CARD";
    case "international_bank":
      if (routingType === undefined || routingType === "WIRE") return "WIRE";
      return fail("VALIDATION", "routingType must be WIRE for an international bank account");
    case "bank":
      return routingType === undefined || routingType === "BANK" ? "ACH" : routingType;
  }
}

/** The document of a payout that is to be debited next. */
export function payoutOf(
  { fees }: Pick<Config, "fees">,
  {
    id,
    destination,
    method,
    request,
    deadline,
  }: { id: string; destination: Destination; method: Method; request: Request; deadline: number },
): Payout {
  const amountMinor = toMinor(request.amount) as number;
  const fee = fees[method][request.currency];
  const isPayment = request.transactionType?.toLowerCase() === "payout";
  return {
    _id: id,
    v: 0,
    writtenBy: id,
    step: "debit",
    visible: false,
    status: "PENDING",
    states: [],
    relayed: 0,
    ...destination,
    method,
    // It looks inverted, but the API promises it this way round (docs/rest-api.md, Withdrawals).
    flow: isPayment ? "PAYMENT" : "PAYOUT",
    amountMinor,
    feesMinor: feeOf(fee, amountMinor),
    fee,
    reason: request.reason,
    deadline,
    needsAttention: false,
    nextAttemptAt: voidedAt({ deadline }),
  };
}

/** After its deadline a payout in `debit` is left to its request for so long. */
const GRACE_MS = 2_000;

/** When a payout that is neither accepted nor declined is voided; epoch ms. */
export function voidedAt({ deadline }: Pick<Payout, "deadline">): number {
  return deadline + GRACE_MS;
}
