// Contracts of payouts: withdrawals, their transactions and the payload of their webhooks.

import { object } from "../compound-fields.ts";
import { nullable, optional } from "../field.ts";
import {
  amount,
  anything,
  forbidden,
  id,
  integer,
  number,
  oneOf,
  text,
  timestamp,
  uuid,
} from "../fields.ts";
import { CURRENCIES } from "../money.ts";
import { EVENT_METHOD_NAMES, PAYOUT_METHODS } from "../payout-methods.ts";
import { ENTITY_TYPES } from "./accounts.ts";
import { attentionAction } from "./attention.ts";
import {
  action,
  currency,
  cursored,
  cursorPage,
  decimal,
  idempotencyKey,
  ready,
} from "./contract.ts";
import {
  PAYOUT_FLOWS,
  STATUSES,
  timeline,
  transaction,
  transactionFilter,
} from "./transactions.ts";

/** The six merchant-safe reasons (docs/rest-api.md, Payout states). */
const REASONS = [
  "Recipient account not found.",
  "Duplicate transaction detected.",
  "Transaction declined for compliance reasons.",
  "Payment could not be processed.",
  "Your payment could not be processed. Please try a different card.",
  "Payment was cancelled.",
] as const;
export type Reason = (typeof REASONS)[number];

/** The body of a payout's webhook (docs/rest-api.md, Webhook payload). */
export const webhookPayload = object({
  eventType: oneOf(["WITHDRAWAL"]),
  status: oneOf(STATUSES),
  payload: object({
    description: text(),
    method: oneOf(EVENT_METHOD_NAMES),
    transactionId: uuid(),
    walletId: uuid(),
    entityId: uuid(),
    entityType: oneOf(ENTITY_TYPES),
    summary: text({ max: 1024 }),
    entry: oneOf(["DEBIT", "CREDIT"]),
    amount: number(),
    currency: oneOf(CURRENCIES),
    timestamp: integer({ note: "Epoch milliseconds" }),
    feeCharged: decimal,
    reason: oneOf(["", ...REASONS]),
  }),
});

/** The body of a withdrawal, checked after the rate limit (docs/rest-api.md, Withdrawals). */
export const withdrawalBody = {
  amount: amount({ example: 25 }),
  walletType: oneOf(["SPEND"]),
  reason: text({ max: 512, example: "Payout" }),
  routingType: optional(
    oneOf(["ACH", "RTP", "WIRE", "BANK"], { note: "Bank accounts only; cards ignore it" }),
  ),
  transactionType: optional(
    text({ min: 0, note: '"payout" in any case: flow PAYMENT; any other text: PAYOUT' }),
  ),
  mfaCode: forbidden({ note: "Must not be sent; MFA is not required" }),
};

/** The request of a withdrawal, in the path and in the body. */
export const withdrawalRequest = { currency: oneOf(["USD"]), ...withdrawalBody };

/** A withdrawal as its own caller sees it. */
const withdrawal = object({
  id: uuid(),
  status: oneOf(STATUSES),
  amount: decimal,
  fees: decimal,
  currency,
  method: oneOf(EVENT_METHOD_NAMES),
  linkedAccountId: uuid(),
  walletId: uuid({ note: "The debited wallet" }),
  reason: text({ max: 512 }),
  failureReason: nullable(oneOf(REASONS)),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** The state of the withdrawal's rate limit. A RATE_LIMITED error has it as `data.rateLimit`. */
const rateLimit = object({
  limit: integer(),
  remaining: integer(),
  windowS: integer(),
  resetS: integer({ note: "Seconds until a withdrawal is possible again" }),
});
export type RateLimitState = NonNullable<typeof rateLimit.type>;

export const payouts = {
  "payouts.ready": ready,

  "payouts.withdraw": action({
    does: "Withdraws from the acting entity's wallet to its linked account",
    params: {
      // The service itself checks it, because the rate limit comes before all validation.
      currency: anything<unknown>({ note: "USD", example: "USD" }),
      linkedAccountId: id(),
      applicationToken: optional(
        anything<string>({ note: "Of type PAYOUT; spent with the payout" }),
      ),
      body: anything<unknown>({ note: "The caller's body, unchanged" }),
    },
    result: object({
      message: text(),
      id: uuid(),
      status: oneOf(STATUSES),
      fees: decimal,
      amount: decimal,
      rateLimit: nullable(rateLimit),
    }),
    meta: ["actor", "deadline", "idempotency"],
    errors: [
      "KEY_REUSED",
      "STILL_RUNNING",
      "RATE_LIMITED",
      "LINKED_ACCOUNT_NOT_FOUND",
      "WALLET_DISABLED",
      "APPLICATION_TOKEN_INVALID",
      "MALFORMED_REQUEST",
      "INSUFFICIENT_FUNDS",
      "BALANCE_BOUND",
      "OUTCOME_UNKNOWN",
    ],
  }),

  "payouts.withdrawal": action({
    does: "Shows a withdrawal to the user that made it, or to that user's merchant",
    params: { id: id() },
    result: withdrawal,
    meta: ["actor"],
    errors: ["TRANSACTION_NOT_FOUND"],
  }),

  "payouts.withdrawals": action({
    does: "Lists the withdrawals that the acting entity itself has made, newest first",
    params: {
      status: optional(oneOf(STATUSES)),
      linkedAccountId: optional(uuid()),
      idempotencyKey: optional(idempotencyKey),
      ...cursored,
    },
    result: cursorPage(withdrawal),
    meta: ["actor"],
  }),

  "payouts.transactions": action({
    does: "Lists the payouts of a business, newest first",
    params: transactionFilter(PAYOUT_FLOWS),
    result: cursorPage(transaction),
    callers: ["gateway", "accounts"],
  }),

  "payouts.attention": attentionAction("payouts"),

  "payouts.transaction": action({
    does: "Shows a payout of a business",
    params: { businessId: id(), id: id() },
    result: transaction,
    errors: ["TRANSACTION_NOT_FOUND"],
  }),

  "payouts.timeline": action({
    does: "The history of a payout: its states, statement entries and deliveries",
    params: { businessId: id(), id: id() },
    result: timeline,
    errors: ["TRANSACTION_NOT_FOUND"],
  }),

  "payouts.webhookPayload": action({
    does: "Shows the body of a payout's webhook for its current state",
    params: { businessId: id(), transactionId: id() },
    result: webhookPayload,
    errors: ["TRANSACTION_NOT_FOUND"],
  }),

  "payouts.cancel": action({
    does: "Cancels a payout that is still pending; a repeated call has the same result",
    params: { businessId: id(), id: id() },
    result: transaction,
    meta: ["making"],
    errors: ["TRANSACTION_NOT_FOUND", "NOT_CANCELLABLE"],
  }),

  "payouts.resolve": action({
    does: "Ends a payout that needs attention; before FAILED its rail is asked to cancel",
    params: { id: id(), outcome: oneOf(["SUCCESS", "FAILED"]), note: text({ max: 512 }) },
    result: transaction,
    meta: ["actor", "making"],
    errors: ["TRANSACTION_NOT_FOUND", "NOT_RESOLVABLE"],
  }),

  "payouts.railNotified": action({
    does: "A rail's push: payrail queries the payout now instead of later",
    params: { id: uuid(), method: oneOf(PAYOUT_METHODS) },
    result: object({}),
    callers: [],
  }),
};

export const payoutEvents = {
  "payout.status.changed": {
    sender: "payouts" as const,
    sent: "A payout has entered a status and webhooks has stored the event for the merchant",
    payload: {
      id: uuid({ note: "The payout's id; payouts.transaction returns the whole payout" }),
      businessId: uuid(),
      status: oneOf(STATUSES),
      at: integer({ note: "Epoch milliseconds at which the payout entered the status" }),
    },
  },
};
