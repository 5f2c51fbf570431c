// Withdrawals over HTTP (docs/integrate/rest-api.md, Withdrawals), and payouts that a merchant makes.
// The whole body of a withdrawal goes to payouts, because payouts checks it after the rate limit;
// headers carry the limit.

import { object } from "../../../shared/contracts/compound-fields.ts";
import { contractFor, type Result } from "../../../shared/contracts/contracts.ts";
import { type Field, type Fields, optional } from "../../../shared/contracts/field.ts";
import { text } from "../../../shared/contracts/fields.ts";
import { withdrawalBody } from "../../../shared/contracts/payouts.ts";
import { rateLimitHeaders } from "../http/refusal.ts";
import {
  type AnswerForm,
  EXTERNAL_APIS,
  envelope,
  ownBusinessWith,
  type Route,
  route,
} from "../http/route.ts";

const applicationToken = text({
  max: 4096,
  note: "An application token of type PAYOUT, which is spent with the payout",
});

const fields = contractFor("payouts.withdraw").result.fields as Fields;
const { message: messageField, rateLimit: _, ...dataFields } = fields;
const { schema: result } = object(dataFields, {
  name: "WithdrawalResult",
  note: "An accepted withdrawal",
});

const withdrawalAnswer: AnswerForm<Result<"payouts.withdraw">> = {
  statuses: [200],
  headers: {
    RateLimit: text({
      note: "What is left of the limit (draft-ietf-httpapi-ratelimit-headers)",
      example: '"withdrawals";r=0;t=60',
    }),
    "RateLimit-Policy": text({
      note: "The limit (draft-ietf-httpapi-ratelimit-headers)",
      example: '"withdrawals";q=1;w=60',
    }),
  },
  schema: envelope({ message: (messageField as Field).schema, data: result }),
  of: ({ message, rateLimit, ...data }) => ({
    status: 200,
    body: { success: true, message, data },
    headers: rateLimit ? rateLimitHeaders(rateLimit) : {},
  }),
};

const ID = "0198c0de-7a51-7000-8000-3f1d5a2b9c01";

const withdrawalExample = {
  request: { amount: 25, walletType: "SPEND", reason: "Payout", routingType: "ACH" },
  response: {
    success: true,
    message: `Payment queued. Its final status arrives by webhook, or ask GET /v1/ext/withdrawals/${ID}.`,
    data: {
      id: ID,
      status: "PENDING",
      fees: "0.25",
      amount: "25.25",
    },
  },
};

const shown = {
  id: ID,
  status: "SUCCESS",
  amount: "25.25",
  fees: "0.25",
  currency: "USD",
  method: "BANK_TRANSFER_ACH",
  linkedAccountId: "0198c0de-7a50-7000-8000-5b0c7d1e2f34",
  walletId: "0198c0de-7a4f-7000-8000-9a8b7c6d5e4f",
  reason: "Payout",
  failureReason: null,
  createdAt: "2026-11-20T09:30:00.000Z",
  updatedAt: "2026-11-20T09:30:02.000Z",
};

const withdraw: Route = route(
  "POST /v1/ext/linked-accounts/:currency/:linkedAccountId/withdrawal",
  EXTERNAL_APIS,
  "createWithdrawal",
  "payouts.withdraw",
  {
    from: {
      body: ({ body }) => body,
      applicationToken: ({ headers }) => headers["x-application-token"],
    },
    body: withdrawalBody,
    headers: { "X-Application-Token": optional(applicationToken) },
    answer: withdrawalAnswer,
    unknownAs: "OUTCOME_UNKNOWN",
    example: withdrawalExample,
  },
);

const pay: Route = route(
  "POST /v1/business/:businessId/payouts",
  ownBusinessWith("payouts"),
  "createPayout",
  "payouts.pay",
  {
    status: 201,
    unknownAs: "OUTCOME_UNKNOWN",
    example: {
      request: {
        linkedAccountId: shown.linkedAccountId,
        amount: 25,
        reason: "Sales of November",
        reference: "payroll-2026-11-ada",
        metadata: { invoice: "1042" },
      },
      response: {
        success: true,
        data: {
          id: ID,
          status: "PENDING",
          fees: "0.25",
          amount: "25.25",
          reference: "payroll-2026-11-ada",
        },
      },
    },
  },
);

export const withdrawalRoutes: Route[] = [
  withdraw,
  pay,
  route("GET /v1/ext/withdrawals", EXTERNAL_APIS, "listWithdrawals", "payouts.withdrawals", {
    example: { response: { success: true, data: [shown], meta: { nextCursor: null } } },
  }),
  route(
    "GET /v1/ext/withdrawal-limits",
    EXTERNAL_APIS,
    "listWithdrawalLimits",
    "payouts.withdrawalLimits",
  ),
  route("GET /v1/ext/withdrawals/:id", EXTERNAL_APIS, "getWithdrawal", "payouts.withdrawal", {
    example: { response: { success: true, data: shown } },
  }),
];
