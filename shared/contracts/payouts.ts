// Contracts of payouts: withdrawals, their transactions and the payload of their webhooks.

import { EVENT_METHOD_NAMES, PAYOUT_METHODS } from "../config/payout-methods.ts";
import { ENTITY_TYPES } from "./accounts.ts";
import { attentionAction, byState } from "./attention.ts";
import { list, object } from "./compound-fields.ts";
import {
  action,
  businessId,
  changed,
  created,
  currency,
  cursored,
  cursorPage,
  idempotencyKey,
  money,
  ready,
} from "./contract.ts";
import { leftOfLimit } from "./controls.ts";
import { nullable, optional } from "./field.ts";
import {
  amount,
  anything,
  boolean,
  forbidden,
  id,
  integer,
  number,
  oneOf,
  text,
  timestamp,
  uuid,
} from "./fields.ts";
import { whereAreAction, whereIsAction } from "./find.ts";
import { byParties } from "./parties.ts";
import { partnersAction } from "./partners.ts";
import { statisticsAction } from "./statistics.ts";
import {
  PAYOUT_FLOWS,
  payoutMetadata,
  payoutReference,
  STATUSES,
  screening,
  screeningReasons,
  shownParties,
  timeline,
  transaction,
  transactionFilter,
} from "./transactions.ts";

/** The six merchant-safe reasons (docs/integrate/rest-api.md, Payout states). */
const REASONS = [
  "Recipient account not found.",
  "Duplicate transaction detected.",
  "Transaction declined for compliance reasons.",
  "Payment could not be processed.",
  "Your payment could not be processed. Please try a different card.",
  "Payment was cancelled.",
] as const;
export type Reason = (typeof REASONS)[number];

/** The body of a payout's webhook (docs/integrate/rest-api.md, Webhook payload). */
export const webhookPayload = object(
  {
    eventType: oneOf(["WITHDRAWAL"], { note: "The type of the event" }),
    status: oneOf(STATUSES, { note: "The status of the payout" }),
    payload: object(
      {
        description: text({
          note: "What has happened, for people",
          example: "Payment delivered: bank account ending in 6789",
        }),
        method: oneOf(EVENT_METHOD_NAMES, { note: "How the money travels" }),
        transactionId: uuid({ note: "The id of the payout" }),
        walletId: uuid({ note: "The wallet that was debited" }),
        entityId: uuid({ note: "The end user or business whose wallet was debited" }),
        entityType: oneOf(ENTITY_TYPES, { note: "An end user, or the business itself" }),
        summary: text({ max: 1024, note: "The reason of the request", example: "Payout" }),
        entry: oneOf(["DEBIT", "CREDIT"], { note: "The side of the wallet that the payout is on" }),
        amount: number({
          note: "The amount that is paid out, without fees, in major units",
          example: 25,
        }),
        currency,
        timestamp: integer({
          note: "When it happened, in milliseconds since 1970",
          example: 1_763_757_600_000,
        }),
        feeCharged: money("The fee", "0.50"),
        reason: oneOf(["", ...REASONS], { note: "Why the payout failed; otherwise empty" }),
      },
      { name: "WithdrawalPayload", note: "The payout" },
    ),
  },
  { name: "WithdrawalEvent", note: "A payout has entered a status" },
);

/** The fields of every request for a payout. */
const payoutRequest = {
  amount: amount({ note: "The amount to pay out, without fees", example: 25 }),
  reason: text({ max: 512, note: "The reason or reference of the payout", example: "Payout" }),
  routingType: optional(
    oneOf(["ACH", "RTP", "WIRE", "BANK"], {
      note: "The network of a payout to a bank account; ACH if left out. Cards ignore it",
    }),
  ),
  reference: optional(payoutReference),
  metadata: optional(payoutMetadata),
};

/**
 * The body of a withdrawal, checked after the rate limit (docs/integrate/rest-api.md, Withdrawals).
 */
export const withdrawalBody = {
  walletType: oneOf(["SPEND"], { note: "The type of the debited wallet" }),
  ...payoutRequest,
  transactionType: optional(
    text({
      min: 0,
      note: 'With "payout", in any case, the flow of the transaction is PAYMENT; otherwise it is PAYOUT',
      example: "payout",
    }),
  ),
  mfaCode: forbidden({ note: "Must not be sent; MFA is not required" }),
};

/** The request of a withdrawal, in the path and in the body. */
export const withdrawalRequest = { currency: oneOf(["USD"]), ...withdrawalBody };

/** A withdrawal as its own caller sees it. */
const withdrawal = object(
  {
    id: uuid({ note: "The id of the transaction" }),
    status: oneOf(STATUSES, { note: "The status of the payout" }),
    amount: money("What the wallet was debited with: payout and fee", "25.25"),
    fees: money("The fee", "0.25"),
    currency,
    method: oneOf(EVENT_METHOD_NAMES, { note: "How the money travels" }),
    linkedAccountId: uuid({ note: "The linked account that is paid" }),
    walletId: uuid({ note: "The wallet that was debited" }),
    reason: text({ max: 512, note: "The reason of the request", example: "Payout" }),
    failureReason: nullable(oneOf(REASONS, { note: "Why the payout failed" })),
    createdAt: created,
    updatedAt: changed,
  },
  { name: "Withdrawal", note: "A withdrawal, as its own caller sees it" },
);

/** An accepted payout, in the answer to its request. */
const accepted = {
  id: uuid({ note: "The id of the transaction" }),
  status: oneOf(STATUSES, { note: "The status of the payout; the final one comes later" }),
  fees: money("The fee", "0.25"),
  amount: money("What the wallet is debited with: payout and fee", "25.25"),
};

/** The state of the withdrawal's rate limit. A RATE_LIMITED error has it as `data.rateLimit`. */
const rateLimit = object({
  limit: integer(),
  remaining: integer(),
  windowS: integer(),
  resetS: integer({ note: "Seconds until a withdrawal is possible again" }),
});
export type RateLimitState = NonNullable<typeof rateLimit.type>;

/** A rail is asked about its problem, and for its yes to the decision, before money goes back. */
const RESOLVED_WITHIN_MS = 12_000;

/** What keeps a payout from being accepted: stops of the operator, and limits. */
const STOPPED = [
  "BUSINESS_FROZEN",
  "ENTITY_FROZEN",
  "WALLET_FROZEN",
  "PAYOUTS_PAUSED",
  "LIMIT_EXCEEDED",
] as const;

const transactionId = id({ note: "The id of the transaction" });

/** A payout of a business. */
export const payoutKey = { businessId, id: transactionId };

const unaccepted = optional(
  boolean({
    note: "As an operator sees it: also a payout that is not accepted yet, and the problem of one that has one",
  }),
);

export const payouts = {
  "payouts.ready": ready,

  "payouts.withdraw": action({
    does: "Withdraws from a wallet to a linked account. The wallet is that of the linked account, which has to belong to the subject of the token. The payout is accepted, and its final status comes later, by webhook",
    params: {
      // The service itself checks it, because the rate limit comes before all validation.
      currency: anything<unknown>({
        note: "The currency: USD",
        example: "USD",
        keywords: { type: "string", enum: ["USD"] },
      }),
      linkedAccountId: id({ note: "The id of the linked account" }),
      applicationToken: optional(
        anything<string>({ note: "Of type PAYOUT; spent with the payout" }),
      ),
      body: anything<unknown>({
        note: `The body of createWithdrawal in the REST API, as the caller sent it: ${Object.keys(
          withdrawalBody,
        )
          .filter((name) => name !== "mfaCode")
          .join(", ")}`,
      }),
    },
    result: object({
      message: text({ note: "The next steps, for people", example: "Payment queued" }),
      ...accepted,
      rateLimit: nullable(rateLimit),
    }),
    meta: ["actor", "deadline", "idempotency"],
    errors: [
      "KEY_REUSED",
      "CONFLICT",
      "STILL_RUNNING",
      "RATE_LIMITED",
      "LINKED_ACCOUNT_NOT_FOUND",
      "LINKED_ACCOUNT_NOT_YOURS",
      ...STOPPED,
      "WALLET_DISABLED",
      "APPLICATION_TOKEN_INVALID",
      "MALFORMED_REQUEST",
      "INSUFFICIENT_FUNDS",
      "BALANCE_BOUND",
      "OUTCOME_UNKNOWN",
    ],
  }),

  "payouts.pay": action({
    does: "Pays any linked account of a business, its own or of its end users. The payout is accepted, and its final status comes later, by webhook. The same reference pays once. Limits of withdrawals do not count it",
    params: {
      businessId,
      linkedAccountId: uuid({ note: "The linked account that is paid, in USD" }),
      walletId: optional(
        uuid({
          note: "The wallet of the business itself that is debited; the linked account's own if left out",
        }),
      ),
      ...payoutRequest,
    },
    result: object(
      {
        ...accepted,
        reference: nullable(payoutReference),
      },
      { name: "BusinessPayout", note: "An accepted payout of the business" },
    ),
    meta: ["deadline", "idempotency"],
    errors: [
      "KEY_REUSED",
      "CONFLICT",
      "STILL_RUNNING",
      "LINKED_ACCOUNT_NOT_FOUND",
      "WALLET_NOT_FOUND",
      ...STOPPED,
      "WALLET_DISABLED",
      "INSUFFICIENT_FUNDS",
      "BALANCE_BOUND",
      "OUTCOME_UNKNOWN",
    ],
  }),

  "payouts.withdrawal": action({
    does: "Shows a withdrawal to the end user or business that made it, or to the end user's business",
    params: { id: transactionId },
    result: withdrawal,
    meta: ["actor"],
    errors: ["TRANSACTION_NOT_FOUND"],
  }),

  "payouts.withdrawalLimits": action({
    does: "Shows the limits of what the caller can pay out, those of its business too, with what is left of each",
    params: {},
    result: list(leftOfLimit, { max: 400 }),
    meta: ["actor"],
  }),

  "payouts.limitsOf": action({
    does: "Shows the limits of what an owner of wallets can pay out, those of its business too, with what is left of each",
    params: { businessId, entityId: uuid({ note: "The end user, or the business itself" }) },
    result: list(leftOfLimit, { max: 400 }),
  }),

  "payouts.withdrawals": action({
    does: "Lists the withdrawals that the subject of the token has made, newest first",
    params: {
      status: optional(oneOf(STATUSES, { note: "Only withdrawals in this status" })),
      linkedAccountId: optional(uuid({ note: "Only withdrawals to this linked account" })),
      idempotencyKey: optional(idempotencyKey),
      ...cursored,
    },
    result: cursorPage(withdrawal),
    meta: ["actor"],
  }),

  "payouts.transactions": action({
    does: "Lists the payouts of a business, newest first",
    params: { ...transactionFilter(PAYOUT_FLOWS), parties: byParties },
    result: cursorPage(transaction),
    errors: ["TOO_BROAD"],
    callers: ["gateway", "accounts"],
  }),

  "payouts.statistics": statisticsAction("payouts"),

  "payouts.whereIs": whereIsAction("a payout"),

  "payouts.whereAre": whereAreAction("payouts", "their reference"),

  "payouts.attention": attentionAction("payouts", byState),

  "payouts.reviews": action({
    does: "Lists the payouts of all businesses that the screening holds for a review, oldest first",
    params: cursored,
    result: cursorPage(
      object(
        {
          id: uuid({ note: "The id of the transaction" }),
          businessId: uuid({ note: "The business that it belongs to" }),
          entityId: uuid({ note: "The end user or business whose wallet was debited" }),
          linkedAccountId: uuid({ note: "The linked account that it pays" }),
          ...shownParties,
          amount: money("What the wallet was debited with: payout and fee", "25.25"),
          currency,
          method: nullable(text({ note: "How the money travels", example: "BANK_TRANSFER_ACH" })),
          reasons: screeningReasons,
          since: timestamp({ note: "Since when it waits" }),
          history: screening,
        },
        { name: "Review", note: "A payout that waits for a review" },
      ),
    ),
  }),

  "payouts.review": action({
    does: "Decides about a payout that the screening holds. ALLOW lets it be submitted, DENY ends it and gives the money back",
    params: {
      id: transactionId,
      decision: oneOf(["ALLOW", "DENY"], { note: "Whether it may leave" }),
      note: text({
        max: 512,
        note: "Why, for its history",
        example: "Another person of that name",
      }),
    },
    result: transaction,
    meta: ["actor", "creation"],
    errors: ["TRANSACTION_NOT_FOUND", "NOT_IN_REVIEW"],
  }),

  "payouts.partners": partnersAction("rails"),

  "payouts.transaction": action({
    does: "Shows a payout of a business",
    params: { ...payoutKey, unaccepted },
    result: transaction,
    errors: ["TRANSACTION_NOT_FOUND"],
  }),

  "payouts.timeline": action({
    does: "The history of a payout: its states, statement entries and deliveries",
    params: { ...payoutKey, unaccepted },
    result: timeline,
    errors: ["TRANSACTION_NOT_FOUND"],
  }),

  "payouts.webhookPayload": action({
    does: "Shows the body of a payout's webhook for its current state",
    params: { businessId, transactionId },
    result: webhookPayload,
    errors: ["TRANSACTION_NOT_FOUND"],
  }),

  "payouts.cancel": action({
    does: "Cancels a payout that is still pending. A repeated call has the same result",
    params: payoutKey,
    result: transaction,
    meta: ["creation"],
    errors: ["TRANSACTION_NOT_FOUND", "NOT_CANCELLABLE"],
  }),

  "payouts.resolve": action({
    does: "Ends a payout that needs attention, or that its rail has a problem with. A rail with a problem stores the decision first; any other one is asked to cancel before FAILED",
    params: {
      id: transactionId,
      outcome: oneOf(["SUCCESS", "FAILED"], {
        note: "How it has ended: SUCCESS: it was paid; FAILED: it was not paid, or after SUCCESS the money came back",
      }),
      note: text({ max: 512, note: "How you know, for the timeline", example: "Asked the bank" }),
    },
    result: transaction,
    meta: ["actor", "creation"],
    errors: ["TRANSACTION_NOT_FOUND", "NOT_RESOLVABLE"],
    timeoutMs: RESOLVED_WITHIN_MS,
  }),

  "payouts.retry": action({
    does: "Makes the next step of a payout due now. Its rail is asked immediately, by the same id, and nothing else changes",
    params: { id: transactionId },
    result: transaction,
    meta: ["creation"],
    errors: ["TRANSACTION_NOT_FOUND", "NOT_RETRYABLE"],
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
    sent: "A payout has entered a status and webhooks has stored the event for the business",
    payload: {
      id: uuid({ note: "The payout's id; payouts.transaction returns the whole payout" }),
      businessId: uuid(),
      status: oneOf(STATUSES),
      at: integer({ note: "Epoch milliseconds at which the payout entered the status" }),
    },
  },
};
