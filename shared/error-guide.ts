// The guide of errors: the cause of each error, and the caller's remedy. npm run docs makes the
// tables of docs/integrate/errors.md from it.

import type { ErrorType } from "./errors.ts";

export interface Guidance {
  cause: string;
  remedy: string;
}

/** The guidance for an id that does not exist, or that belongs to another business or end user. */
function absent(thing: string): Guidance {
  return {
    cause: `The ${thing} does not exist, or belongs to another business or end user.`,
    remedy: "Check the id, and the token with which you ask.",
  };
}

/** The guidance for what an operator has frozen. */
function frozen(thing: string): Guidance {
  return {
    cause: `An operator has frozen the ${thing}. What is on its way is still ended.`,
    remedy: "Ask the operator of payrail, and send the request again afterwards.",
  };
}

const WAIT = "Wait for the seconds in `Retry-After`, then send the request again.";
const SAME_KEY =
  "Send the same request with the same `Idempotency-Key`; without a key, ask for its state.";

export const ERROR_GUIDE: Record<ErrorType, Guidance> = {
  VALIDATION: {
    cause: "Fields, query parameters, headers or the body as a whole are wrong.",
    remedy: "Correct every field in `errors`, then send the request again.",
  },
  MALFORMED_REQUEST: {
    cause: "The amount of the withdrawal is not the amount of its application token.",
    remedy: "Withdraw exactly the amount of the token.",
  },
  INSUFFICIENT_FUNDS: {
    cause: "The wallet or collection account holds less than the amount and its fee.",
    remedy: "Add money, or send a smaller amount.",
  },
  WALLET_DISABLED: {
    cause: "The wallet that would be debited is disabled. Reversals still credit it.",
    remedy: "Enable the wallet, or use another one.",
  },
  BUSINESS_FROZEN: frozen("business"),
  WALLET_FROZEN: frozen("wallet"),
  ENTITY_FROZEN: frozen("end user"),
  LIMIT_EXCEEDED: {
    cause:
      "The payout, or all payouts of its day or month with it, are above a limit. `limit` says which, what is used of it, and when it begins anew.",
    remedy: "Pay less, wait until `resetsAt`, or ask who has set the limit.",
  },
  PAYOUTS_PAUSED: {
    cause: "An operator has paused the payouts of the business. Those that no bank has yet wait.",
    remedy: "Ask the operator of payrail, and send the request again afterwards.",
  },
  COLLECTIONS_PAUSED: {
    cause: "An operator has paused what customers pay to the business.",
    remedy: "Try again later; nothing was charged.",
  },
  BALANCE_BOUND: {
    cause: "The balance would exceed 9,007,199,254,740,991 minor units.",
    remedy: "Move money out of the account first, or send a smaller amount.",
  },
  APPLICATION_TOKEN_INVALID: {
    cause:
      "The application token is unknown, expired or spent, or has another type, end user or currency.",
    remedy: "Create a new application token for this user, type and currency.",
  },
  NO_COLLECTION_ACCOUNT: {
    cause: "The business has no collection account in the link's currency.",
    remedy: "Open one with `POST /v1/business/:businessId/collection-accounts`.",
  },
  NOT_REFUNDABLE: {
    cause: "The refund is more than the rest of the payment, or the payment has not succeeded.",
    remedy: "Read the payment, and refund at most what is left of it.",
  },
  BUSINESS_LOOKUP_FAILED: {
    cause: "The business in the path does not exist, or the token belongs to another one.",
    remedy: "Use the id of the business of your token.",
  },
  MALFORMED_HTTP: {
    cause:
      "The bytes that arrived are not HTTP, or their head breaks its rules: no `Host`, two of them, a transfer coding other than `chunked`. The connection is closed.",
    remedy: "Check the client, and any proxy between it and payrail.",
  },
  INVALID_REQUEST: {
    cause: "A parameter is missing or repeated, or the client authenticates in two ways.",
    remedy: "Send `grant_type` and the credentials once.",
  },
  INVALID_GRANT: {
    cause: "`subject` is not an end user of the client's business.",
    remedy: "Send the entity id of an end user of this business, or no `subject`.",
  },
  INVALID_SCOPE: {
    cause: "A scope does not exist, or the client does not have it.",
    remedy: "Ask for scopes of the client, or for none to get all of them.",
  },
  UNSUPPORTED_GRANT_TYPE: {
    cause: "`grant_type` is not `client_credentials`.",
    remedy: "Send `grant_type=client_credentials`.",
  },
  INVALID_CLIENT: {
    cause: "The client is unknown or disabled, or its secret is wrong.",
    remedy: "Check id and secret; rotate the secret if it is lost.",
  },
  UNAUTHORIZED: {
    cause:
      "The token is missing, malformed or expired, its role may not use the endpoint, or its API client may not be used from this address.",
    remedy: "Get a new token for the right role, and send it as `Authorization: Bearer`.",
  },
  INSUFFICIENT_SCOPE: {
    cause: "The token lacks the scope that `WWW-Authenticate` names.",
    remedy: "Get a token with that scope, or with `external.apis`.",
  },
  NOT_FOUND: {
    cause: "No endpoint has this path.",
    remedy: "Compare the path with the document at `/openapi.json`. Paths do not end with a slash.",
  },
  BUSINESS_NOT_FOUND: absent("business"),
  CLIENT_NOT_FOUND: absent("API client"),
  ENTITY_NOT_FOUND: absent("entity"),
  WALLET_NOT_FOUND: absent("wallet"),
  LINKED_ACCOUNT_NOT_FOUND: absent("linked account"),
  LINKED_ACCOUNT_NOT_YOURS: {
    cause:
      "The token of a business withdraws to an account of its end user. Only the end user's token may.",
    remedy: "Pay the account with `POST /v1/business/:businessId/payouts`.",
  },
  APPLICATION_TOKEN_NOT_FOUND: absent("application token"),
  TRANSACTION_NOT_FOUND: absent("transaction"),
  TRANSFER_NOT_FOUND: absent("transfer"),
  WEBHOOK_NOT_FOUND: absent("webhook"),
  EVENT_NOT_FOUND: absent("event"),
  DELIVERY_NOT_FOUND: absent("delivery"),
  PAYMENT_LINK_NOT_FOUND: absent("payment link"),
  PAYMENT_NOT_FOUND: absent("payment"),
  ATTEMPT_NOT_FOUND: {
    cause:
      "No payment or set-up at this link has this key. A request under way may still make one.",
    remedy: "Send the request again under the same key.",
  },
  SUBSCRIPTION_NOT_FOUND: absent("subscription"),
  INVOICE_NOT_FOUND: absent("invoice"),
  COLLECTION_ACCOUNT_NOT_FOUND: absent("collection account"),
  METHOD_NOT_ALLOWED: {
    cause: "The path exists, but does not have this method.",
    remedy: "Use a method of the `Allow` header.",
  },
  SLOW_REQUEST: {
    cause: "The headers took more than 10 s to arrive, or the whole request more than 30 s.",
    remedy: "Send the request again on a new connection.",
  },
  CONFLICT: {
    cause: "An earlier request used the `reference` with other values.",
    remedy: "Send the earlier values to get its result, or choose a new reference.",
  },
  DUPLICATE_EXTERNAL_ID: {
    cause: "The business has an entity with this `externalIdentifier`.",
    remedy: "Find it with `GET /v1/business/:businessId/entities?externalId=`.",
  },
  DUPLICATE_ACCOUNT: {
    cause: "The wallet has a linked account with the same numbers.",
    remedy: "Use the account that is linked, or unlink it first.",
  },
  LINK_NOT_PAYABLE: {
    cause:
      "The link is used, expired or disabled, or takes the other kind of payment (once, recurring).",
    remedy: "Read the link's status; create a new link if it has ended.",
  },
  USED_RECENTLY: {
    cause:
      "The request says `once`, and the customer has paid or subscribed at this open link in the last ten minutes.",
    remedy: "Ask the customer, and send the request without `once` if a further payment is meant.",
  },
  LINK_BUSY: {
    cause:
      "The link takes one payment, or the request says `once`, and the outcome of an earlier attempt is not known yet.",
    remedy: "Ask for the state of that payment, and try again if it has failed.",
  },
  STILL_RUNNING: {
    cause: "The first request with this `Idempotency-Key` has no answer yet.",
    remedy: "Send the same request again after a few seconds.",
  },
  SUBSCRIPTION_CANCELLED: {
    cause: "The subscription has ended.",
    remedy: "Create a new recurring link for a new subscription.",
  },
  NOT_BILLED_BY_USAGE: {
    cause: "The subscription is not of the type `consumption`.",
    remedy: "Report usage only for subscriptions of that type.",
  },
  NOT_BILLED_BY_SEATS: {
    cause: "The subscription is not of the type `seating`.",
    remedy: "Change seats only of subscriptions of that type.",
  },
  USAGE_NOT_TAKEN: {
    cause: "The time of the usage lies in the trial, or after the subscription's end.",
    remedy: "Report usage within a period of the subscription.",
  },
  CHARGE_BOUND: {
    cause: "With this usage or these seats an invoice would exceed what can be charged.",
    remedy: "Report fewer units or seats.",
  },
  TOO_MANY_CHANGES: {
    cause: "The seats of this period were changed as often as one invoice can show.",
    remedy: "Change the seats in the next period.",
  },
  NO_NEXT_INVOICE: {
    cause: "The subscription ends before another invoice.",
    remedy: "Read the subscription and the invoices that it has.",
  },
  NOT_CANCELLABLE: {
    cause: "The payout is not `PENDING`, its rail does not cancel it, or it is no payout.",
    remedy: "Wait for its final status.",
  },
  NOT_RESOLVABLE: {
    cause:
      "The transaction has no flag `needsAttention`, or it cannot have ended so; the message says which.",
    remedy:
      "Resolve only flagged transactions, with what the partner says. With `Retry-After`, repeat the request.",
  },
  NOT_RETRYABLE: {
    cause: "The transaction has ended, and no bank or card processor is asked about it any more.",
    remedy: "Read the transaction: it has its final status.",
  },
  NOT_IN_REVIEW: {
    cause: "The payout is decided already, has ended, or was never held for a review.",
    remedy: "Read `GET /v1/admin/reviews`: it lists what waits.",
  },
  ERASURE_REFUSED: {
    cause:
      "Money of the person is under way, a wallet is not empty, or a saved card would be charged; the message has all reasons.",
    remedy:
      "Resolve every reason in the message, then send the request again ([personal data](personal-data.md)).",
  },
  ERASURE_RUNNING: {
    cause: "Another request is erasing the end user.",
    remedy: "Wait for its answer, or send the request again after a minute.",
  },
  WEBHOOK_DISABLED: {
    cause: "The webhook endpoint is disabled.",
    remedy: "Enable it with `PATCH`, then send the request again.",
  },
  WEBHOOK_REPLAY_RUNNING: {
    cause: "An earlier replay of the endpoint has not ended.",
    remedy: "Send the request again after that replay has ended.",
  },
  BODY_TOO_LARGE: {
    cause: "The body is larger than 256 KB.",
    remedy: "Send less in one request.",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    cause: "The body is declared as another type than JSON.",
    remedy: "Send JSON with `Content-Type: application/json`.",
  },
  EXPECTATION_FAILED: {
    cause: "The header `Expect` asks for something other than `100-continue`.",
    remedy: "Leave the header out.",
  },
  NOT_A_WITHDRAWAL: {
    cause: "The transaction is a payment or a funding, and only payouts have this payload.",
    remedy: "Read the transaction itself.",
  },
  KEY_REUSED: {
    cause: "The `Idempotency-Key` was sent with another body.",
    remedy: "Use a new key for each new request, and the same body for a repeat.",
  },
  RATE_LIMITED: {
    cause: "A limit of requests, payments or declines is used up.",
    remedy: WAIT,
  },
  HEADERS_TOO_LARGE: {
    cause:
      "Path, query and headers together exceed 16 KB, or there are more than 1,000 headers. The connection is closed.",
    remedy: "Send fewer or shorter headers.",
  },
  INTERNAL: {
    cause: "payrail failed. Its log has the cause under the `requestId`.",
    remedy: "Check whether the request took effect, then send it again. Report the `requestId`.",
  },
  OUTCOME_UNKNOWN: {
    cause: "The outcome of the withdrawal was not known in time. It may be paid.",
    remedy:
      "Repeat it with its `Idempotency-Key`, or ask `GET /v1/ext/withdrawals/:id` for the id in `data`.",
  },
  PAYMENT_OUTCOME_UNKNOWN: {
    cause: "The outcome of the payment was not known in time. The card may be charged.",
    remedy: SAME_KEY,
  },
  SETUP_OUTCOME_UNKNOWN: {
    cause: "The outcome of the setup was not known in time. The subscription may exist.",
    remedy: SAME_KEY,
  },
  UNREADABLE: {
    cause: "A key of `ENCRYPTION_KEYS` that encrypted the data is missing.",
    remedy: "The operator adds the old key to `ENCRYPTION_KEYS`.",
  },
  NOT_CONFIGURED: {
    cause: "Another system issues the tokens of this installation.",
    remedy: "Get the token from that system.",
  },
  TOO_BROAD: {
    cause: "The search, the statistics or the attention list took more than four seconds.",
    remedy:
      "Search for more characters, or add a filter. Ask for the statistics of fewer days, and for one kind of what needs attention.",
  },
  UNAVAILABLE: {
    cause:
      "A service, its database, a rail or an acquirer is away, or the gateway stops. Nothing was begun, except where the endpoint takes a `reference` or the request has an `Idempotency-Key`.",
    remedy: `${WAIT} Send the same \`reference\` where the endpoint takes one.`,
  },
};
