// Contracts of accounts: businesses, entities, API clients. Application tokens and linked accounts
// have files of their own.

import { list, object } from "../compound-fields.ts";
import { nullable, optional } from "../field.ts";
import {
  anything,
  boolean,
  email,
  id,
  integer,
  number,
  oneOf,
  text,
  timestamp,
  uuid,
} from "../fields.ts";
import { action, created, page, paging, ready } from "./contract.ts";

export const ENTITY_TYPES = ["USER", "BUSINESS"] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

/** The scope that implies all others, and the default (docs/authentication.md, Scopes). */
export const ALL_SCOPES = "external.apis";

/**
 * The rights of an access token beyond reading: to move money, or to change the destination of
 * money or events. The table of routes has the scope of each route; docs/authentication.md lists
 * them.
 */
export const SCOPES = [
  ALL_SCOPES,
  "wallets",
  "transfers",
  "payouts",
  "linked-accounts",
  "payment-links",
  "refunds",
  "subscriptions",
  "webhooks",
] as const;
export type Scope = (typeof SCOPES)[number];

const business = object({
  id: uuid({ note: "The businessId" }),
  name: text({ example: "Acme" }),
  email: email(),
  createdAt: created,
});

const client = {
  id: uuid({ note: "The client_id" }),
  name: nullable(text({ note: "Distinguishes it from the business's other clients" })),
  scopes: list(oneOf(SCOPES), { max: SCOPES.length, note: "Allowed scopes of its tokens" }),
  disabled: boolean({
    note: "A disabled client gets no tokens, and its earlier tokens are refused",
  }),
  createdAt: created,
  rotatedAt: nullable(timestamp({ note: "Time of the last rotation of its secret" })),
};
/** The only answer that contains the secret. */
const clientWithSecret = object({
  ...client,
  clientSecret: text({ note: "The client_secret; shown only once" }),
});

/** The fields of an entity that its linked accounts show too. */
export const owner = {
  id: uuid(),
  email: email(),
  externalIdentifier: nullable(text()),
  entityType: oneOf(ENTITY_TYPES),
};
export const entity = object({
  ...owner,
  createdAt: created,
  erasedAt: optional(timestamp({ note: "Set for an erased end user (docs/personal-data.md)" })),
});

export const accounts = {
  "accounts.ready": ready,

  "accounts.createBusiness": action({
    does: "Creates a business with its first API client; the secret is shown only once",
    params: { name: text(), email: email() },
    result: object({
      id: uuid(),
      name: text(),
      email: email(),
      clientId: uuid(),
      clientSecret: text(),
      createdAt: created,
    }),
    meta: ["making"],
  }),

  "accounts.businesses": action({
    does: "Lists all businesses, oldest first",
    params: paging,
    result: page(business),
  }),

  "accounts.business": action({
    does: "Shows a business",
    params: { businessId: id() },
    result: business,
    errors: ["BUSINESS_NOT_FOUND"],
    callers: ["gateway", "payment-links"],
  }),

  "accounts.createClient": action({
    does: "Creates an API client of a business; the secret is shown only once",
    params: {
      businessId: id(),
      name: optional(
        text({
          note: "Distinguishes it from the business's other clients",
          example: "Back office",
        }),
      ),
      scopes: optional(
        list(oneOf(SCOPES), {
          max: SCOPES.length,
          note: `Allowed scopes of its tokens; ${ALL_SCOPES}, which implies all, by default`,
        }),
      ),
    },
    result: clientWithSecret,
    meta: ["making"],
    errors: ["BUSINESS_NOT_FOUND"],
  }),

  "accounts.clients": action({
    does: "Lists the API clients of a business, oldest first",
    params: { businessId: id(), ...paging },
    result: page(object(client)),
    errors: ["BUSINESS_NOT_FOUND"],
  }),

  "accounts.client": action({
    does: "Shows an API client of a business",
    params: { businessId: id(), clientId: id() },
    result: object(client),
    errors: ["CLIENT_NOT_FOUND"],
  }),

  "accounts.updateClient": action({
    does: "Disables or enables an API client. A disabled client gets no tokens, and its earlier tokens (its users' too) are refused within 5 seconds, for good: an enabled client has to get new ones",
    params: { businessId: id(), clientId: id(), disabled: boolean() },
    result: object(client),
    errors: ["CLIENT_NOT_FOUND"],
  }),

  "accounts.rotateClientSecret": action({
    does: "Gives an API client another secret, shown only once. The previous secret stops at once, and tokens that were issued with it (its users' too) are refused within 5 seconds. To change secrets without a gap, create a second client and disable the first",
    params: { businessId: id(), clientId: id() },
    result: clientWithSecret,
    meta: ["making"],
    errors: ["CLIENT_NOT_FOUND"],
  }),

  "accounts.tokensFrom": action({
    does: "The least value of client_tokens_from for valid tokens of each API client, in order. A token has the client's value at its issue as client_tokens_from, and is refused if that is lower",
    params: { clientIds: list(uuid(), { max: 256 }) },
    result: list(
      nullable(
        number({
          min: 0,
          note: "Epoch seconds; null while the client is disabled, 0 for an unknown client",
        }),
      ),
      { max: 256 },
    ),
    // Together with the time for which a gateway caches the answer, this adds up to the 5 seconds
    // of updateClient and rotateClientSecret.
    timeoutMs: 2_000,
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
      scope: optional(text({ note: "Absent if the client has no scopes" })),
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
    meta: ["making"],
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
    callers: ["gateway", "wallet-ledger"],
  }),

  "accounts.businessOf": action({
    does: "The business that an end user belongs to; a business is its own",
    params: { entityId: uuid() },
    result: object({ businessId: uuid() }),
    errors: ["ENTITY_NOT_FOUND"],
    callers: ["payment-links"],
  }),
};
