// Contracts of accounts: businesses, entities, API clients, application tokens. Linked accounts have
// a file of their own.

import {
  amount,
  anything,
  boolean,
  email,
  id,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  text,
  timestamp,
  uuid,
} from "../fields.ts";
import { CURRENCIES } from "../money.ts";
import { action, page, paging } from "./contract.ts";

export const ENTITY_TYPES = ["USER", "BUSINESS"] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

const currency = oneOf(CURRENCIES, { example: "USD" });
const created = timestamp({ note: "ISO 8601, UTC" });

const entity = object({
  id: uuid(),
  email: email(),
  externalIdentifier: nullable(text()),
  entityType: oneOf(ENTITY_TYPES),
  createdAt: created,
});

/** Stands for an application token between services, so that nobody has to keep the token. */
const tokenHash = text({ note: "SHA-256 of the application token, base64url" });

const applicationToken = {
  id: uuid(),
  token: text({ note: "The token itself on creation; later masked to its last four" }),
  tokenType: oneOf(["PAYOUT", "ACCOUNT"]),
  entityId: uuid(),
  currency,
  amount: optional(
    text({ note: "Decimal string; of tokens with an amount only", example: "25.00" }),
  ),
  withdrawalSource: optional(oneOf(["MERCHANT_WALLET"])),
  walletId: optional(uuid({ note: "Of MERCHANT_WALLET tokens only" })),
  expiredAt: created,
  valid: boolean(),
};

export const accounts = {
  "accounts.ready": action({
    does: "Answers while the service and its database work",
    params: {},
    result: object({}),
  }),

  "accounts.createBusiness": action({
    does: "Creates a business with its first API client; the secret is shown this once",
    params: { name: text(), email: email() },
    result: object({
      id: uuid(),
      name: text(),
      email: email(),
      clientId: uuid(),
      clientSecret: text(),
      createdAt: created,
    }),
  }),

  "accounts.issueToken": action({
    does: "Issues an access token to an API client (RFC 6749, 4.4)",
    params: {
      clientId: optional(anything<unknown>()),
      clientSecret: optional(anything<unknown>()),
      grantType: optional(anything<unknown>()),
      scope: optional(anything<unknown>()),
      subject: optional(anything<unknown>({ note: "Id of an end user of the client's business" })),
      address: text({ note: "The caller's address; guessing is limited per client and address" }),
    },
    result: object({
      access_token: text({ max: 4096 }),
      token_type: oneOf(["Bearer"]),
      expires_in: integer({ min: 1, note: "Seconds" }),
      scope: text(),
    }),
    errors: [
      "INVALID_REQUEST",
      "INVALID_CLIENT",
      "INVALID_GRANT",
      "INVALID_SCOPE",
      "UNSUPPORTED_GRANT_TYPE",
      "RATE_LIMITED",
      "NOT_CONFIGURED",
    ],
  }),

  "accounts.createEntity": action({
    does: "Creates an end user of a business",
    params: { businessId: id(), email: email(), externalIdentifier: optional(text()) },
    result: entity,
    errors: ["BUSINESS_NOT_FOUND", "DUPLICATE_EXTERNAL_ID"],
  }),

  "accounts.entities": action({
    does: "Lists the end users of a business",
    params: {
      businessId: id(),
      externalId: optional(text({ note: "Exact external identifier" })),
      ...paging,
    },
    result: page(entity),
    errors: ["BUSINESS_NOT_FOUND"],
  }),

  "accounts.entity": action({
    does: "Shows an end user of a business, or the business itself",
    params: { businessId: id(), entityId: id() },
    result: entity,
    errors: ["ENTITY_NOT_FOUND"],
  }),

  "accounts.createApplicationToken": action({
    does: "Creates an application token for an end user: to pay out once, or to link an account",
    params: {
      businessId: id(),
      tokenType: oneOf(["PAYOUT", "ACCOUNT"]),
      entityId: uuid(),
      currency,
      amount: optional(amount({ note: "What the withdrawal's amount must be" })),
      withdrawalSource: optional(oneOf(["MERCHANT_WALLET"])),
      walletId: optional(uuid({ note: "The business's own wallet that is debited" })),
      expiredAt: optional(timestamp({ note: "24 hours from now by default" })),
    },
    result: object(applicationToken),
    errors: ["ENTITY_NOT_FOUND", "WALLET_NOT_FOUND"],
  }),

  "accounts.applicationTokens": action({
    does: "Lists the application tokens of a business",
    params: { businessId: id(), ...paging },
    result: page(object(applicationToken)),
    errors: ["BUSINESS_NOT_FOUND"],
  }),

  "accounts.claimToken": action({
    does: "Checks an application token and spends it for a payout, in one conditional update; asked again for the same payout it answers the same",
    params: {
      tokenHash,
      payoutId: uuid(),
      entityId: uuid(),
      currency,
      amountMinor: integer({ min: 1 }),
    },
    result: object({
      walletId: nullable(uuid({ note: "The merchant's wallet to debit; null: the user's own" })),
    }),
    errors: ["APPLICATION_TOKEN_INVALID", "MALFORMED_REQUEST"],
  }),

  "accounts.releaseToken": action({
    does: "Gives a claimed application token back, for a payout that was declined; that payout cannot claim it any more, even where its claim arrives later",
    params: { tokenHash, payoutId: uuid() },
    result: object({}),
  }),
};
