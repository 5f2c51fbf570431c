// The transactions of any business for an operator, who reads and cancels them as the business
// itself does, retries one that has a next step, and resolves a flagged one.

import { object } from "../../../shared/contracts/compound-fields.ts";
import { type Infer, optional } from "../../../shared/contracts/field.ts";
import { payments } from "../../../shared/contracts/payments.ts";
import { payouts } from "../../../shared/contracts/payouts.ts";
import { problem, screening } from "../../../shared/contracts/transactions.ts";
import { ADMIN, type Call, composed, type Route } from "../http/route.ts";
import { listOfBusiness, noted } from "./operators.ts";
import { withParties, withPartiesOf } from "./parties.ts";
import {
  cancel,
  cancelTransaction,
  find,
  findTimeline,
  findTransaction,
  IN_TURN,
  listAll,
  listTransactions,
  orNull,
  type Transaction,
  timeline,
  timelineFields,
} from "./transactions.ts";

const OF_PAYOUTS = payouts["payouts.resolve"];
const OF_PAYMENTS = payments["payment-links.resolve"];

const resolve = {
  ...OF_PAYOUTS,
  does: "Ends a payout, a payment or a refund that needs attention. A payout that its bank has a problem with needs no flag. It ends as the bank or the card processor would have said",
  timeoutMs: OF_PAYOUTS.timeoutMs + OF_PAYMENTS.timeoutMs,
};

/** Payouts come first, as in `SOURCES`. */
async function resolveFlagged(
  params: Infer<typeof resolve.params>,
  call: Call,
): Promise<Transaction> {
  const { timeoutMs } = OF_PAYOUTS;
  const payout = await orNull(call("payouts.resolve", params, { timeoutMs }));
  return withPartiesOf(call, payout ?? (await call("payment-links.resolve", params)));
}

const retry = {
  ...payouts["payouts.retry"],
  does: "Makes the next step of a payout, a payment or a refund due now. The bank or the card processor is asked immediately, by the same id, and nothing else changes",
};

async function retryTransaction(
  params: Infer<typeof retry.params>,
  call: Call,
): Promise<Transaction> {
  const payout = await orNull(call("payouts.retry", params));
  return withPartiesOf(call, payout ?? (await call("payment-links.retry", params)));
}

const operatorsTimeline = object(
  { problem: optional(problem), screening: optional(screening), ...timelineFields },
  { name: "OperatorsTimeline", note: "What became of a transaction, as an operator sees it" },
) as unknown as typeof timeline.result;

const review = payouts["payouts.review"];

const TRANSACTIONS = "/v1/admin/businesses/:businessId/transactions";
const PAYOUT = "0198c0de-7a56-7000-8000-1b7d9e4f3c20";
const AT = "2026-01-05T09:30:00.000Z";
const ADA = "0198c0de-7a53-7000-8000-9c1f7d20e3a5";
const PARTIES = {
  entityId: ADA,
  linkedAccountId: "0198c0de-7a55-7000-8000-0d4e9b6a7f58",
  recipient: {
    name: "Ada Lovelace",
    email: "ada@example.com",
    lastFour: "6789",
    bankName: "First Bank",
  },
  entity: { id: ADA, email: "ada@example.com", externalIdentifier: "customer-1" },
};
const payout = {
  id: PAYOUT,
  flow: "PAYOUT",
  status: "PENDING",
  amount: "25.25",
  fees: "0.25",
  currency: "USD",
  method: "BANK_TRANSFER_ACH",
  walletId: "0198c0de-7a54-7000-8000-6a2b8f0d1c37",
  ...PARTIES,
  reason: "Invoice 42",
  failureReason: null,
  failureCode: null,
  needsAttention: false,
  reference: null,
  metadata: null,
  createdAt: AT,
  updatedAt: AT,
};

/** An operator reads a flagged transaction before resolving it; the attention list has both ids. */
export const operatorRoutes: Route[] = [
  listOfBusiness(`GET ${TRANSACTIONS}`, "listTransactionsAsAdmin", listAll, listTransactions),
  composed(
    `GET ${TRANSACTIONS}/:id`,
    ADMIN,
    "getTransactionAsAdmin",
    { ...find, does: "Shows a transaction of a business" },
    (key, call) => findTransaction({ ...key, unaccepted: true }, call),
    {
      example: {
        response: {
          success: true,
          data: { ...payout, status: "PROCESSING_PAY_OUT", needsAttention: true },
        },
      },
    },
  ),
  composed(
    `GET ${TRANSACTIONS}/:id/timeline`,
    ADMIN,
    "getTransactionTimelineAsAdmin",
    {
      ...timeline,
      result: operatorsTimeline,
      does: "Shows the history of a transaction of a business",
    },
    (key, call) => findTimeline({ ...key, unaccepted: true }, call),
    {
      example: {
        response: {
          success: true,
          data: {
            problem: "The bank refuses the file without a reason (NARR)",
            states: [{ status: "PENDING", at: AT }],
            entries: [],
            deliveries: [],
          },
        },
      },
    },
  ),
  noted(
    `POST ${TRANSACTIONS}/:id/cancel`,
    "cancelTransactionAsAdmin",
    cancel,
    cancelTransaction,
    IN_TURN,
  ),
  noted(
    "POST /v1/admin/transactions/:id/retry",
    "retryTransaction",
    retry,
    retryTransaction,
    IN_TURN,
  ),
  composed(
    "GET /v1/admin/reviews",
    ADMIN,
    "listReviews",
    payouts["payouts.reviews"],
    async (params, call) => {
      const page = await call("payouts.reviews", params);
      return { ...page, items: await withParties(call, page.items) };
    },
    {
      example: {
        response: {
          success: true,
          data: [
            {
              id: PAYOUT,
              businessId: "0198c0de-7a51-7000-8000-3f1d5a2b9c01",
              ...PARTIES,
              amount: "25.25",
              currency: "USD",
              method: "BANK_TRANSFER_ACH",
              reasons: ["The name is on a list"],
              since: AT,
              history: [
                {
                  at: AT,
                  decision: "REVIEW",
                  reasons: ["The name is on a list"],
                  by: "screening-http",
                },
              ],
            },
          ],
          meta: { nextCursor: null },
        },
      },
    },
  ),
  composed(
    "POST /v1/admin/transactions/:id/review",
    ADMIN,
    "reviewTransaction",
    review,
    async (params, call) => withPartiesOf(call, await call("payouts.review", params)),
    { ...IN_TURN, example: { response: { success: true, data: payout } } },
  ),
  composed(
    "POST /v1/admin/transactions/:id/resolve",
    ADMIN,
    "resolveTransaction",
    resolve,
    resolveFlagged,
    IN_TURN,
  ),
];
