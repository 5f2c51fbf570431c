// Contracts of accounts: businesses, entities, API clients. Application tokens and linked accounts
// have files of their own.

import { readRange } from "../security/address-ranges.ts";
import { either, list, object } from "./compound-fields.ts";
import { action, businessId, created, page, paging, ready } from "./contract.ts";
import { nullable, optional } from "./field.ts";
import {
  anything,
  boolean,
  email,
  id,
  integer,
  normalised,
  number,
  oneOf,
  storedEmail,
  text,
  timestamp,
  uuid,
} from "./fields.ts";
import { whereAreAction, whereIsAction } from "./find.ts";

export const ENTITY_TYPES = ["USER", "BUSINESS"] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

/**
 * The scope that implies all others, and the default (docs/integrate/authentication.md, Scopes).
 */
export const ALL_SCOPES = "external.apis";

/**
 * The rights of an access token beyond reading: to move money, or to change the destination of
 * money or events. The table of routes has the scope of each route;
 * docs/integrate/authentication.md lists them.
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

const businessName = text({ note: "The name of the business", example: "Acme" });
const businessEmail = email({
  note: "Where the business is reached",
  example: "payments@acme.example",
});

const business = object(
  {
    id: uuid({ note: "The businessId" }),
    name: businessName,
    email: businessEmail,
    createdAt: created,
  },
  { name: "Business", note: "A business" },
);

/** Of an API client. */
const allowedAddresses = list(
  normalised(readRange, "an address or a range such as 203.0.113.0/24 or 2001:db8::/32"),
  {
    max: 50,
    note: "The IPv4 and IPv6 ranges (CIDR) from which the client and its tokens, its end users' too, may be used; an empty list allows any address",
    example: ["203.0.113.0/24"],
  },
);
const client = {
  id: uuid({ note: "The client_id" }),
  name: nullable(
    text({ note: "Distinguishes it from the business's other clients", example: "Back office" }),
  ),
  scopes: list(oneOf(SCOPES), { max: SCOPES.length, note: "Allowed scopes of its tokens" }),
  // A node of the previous release leaves it out.
  allowedAddresses: optional(allowedAddresses),
  disabled: boolean({
    note: "A disabled client gets no tokens, and its earlier tokens are refused",
  }),
  createdAt: created,
  rotatedAt: nullable(timestamp({ note: "Time of the last rotation of its secret" })),
};
const tokensFromS = number({
  min: 0,
  note: "Epoch seconds; null while the client is disabled, 0 for an unknown client",
});
const clientSecret = text({
  note: "The client_secret; shown only once",
  example: "4u1jJQbX0mYt2kWc7h3vS9oEr8nZqLpAiDgFyHxUaKM",
});
const shownClient = object(client, {
  name: "RegisteredApiClient",
  note: "The credentials of a server, without the secret",
});
/** The only answer that contains the secret. */
const clientWithSecret = object(
  {
    ...client,
    clientSecret,
  },
  { name: "ApiClientWithSecret", note: "The credentials of a server" },
);

/** The fields of an entity that its linked accounts show too. */
export const owner = {
  id: uuid({ note: "The entityId" }),
  email: email({ note: "Where the end user is reached" }),
  externalIdentifier: nullable(
    text({ note: "The id that the end user has in your system", example: "customer-1" }),
  ),
  entityType: oneOf(ENTITY_TYPES, { note: "An end user, or the business itself" }),
};
export const entity = object(
  {
    ...owner,
    // A node of the previous release leaves it out.
    frozen: optional(
      boolean({ note: "Whether an operator has frozen it, so that nothing is paid out to it" }),
    ),
    createdAt: created,
    erasedAt: optional(timestamp({ note: "When its personal data was erased; else left out" })),
  },
  { name: "Entity", note: "An end user, or the business itself" },
);

export const accounts = {
  "accounts.ready": ready,

  "accounts.createBusiness": action({
    does: "Creates a business with its first API client. The secret is shown only in this answer",
    params: { name: businessName, email: businessEmail },
    result: object(
      {
        id: uuid({ note: "The businessId" }),
        name: businessName,
        email: businessEmail,
        clientId: uuid({ note: "The client_id of its first API client" }),
        clientSecret,
        createdAt: created,
      },
      { name: "BusinessWithClient", note: "A new business with its first API client" },
    ),
    meta: ["creation"],
  }),

  "accounts.businesses": action({
    does: "Lists all businesses",
    params: paging,
    result: page(business),
  }),

  "accounts.whereIs": whereIsAction("a business, an end user, an API client or a linked account"),

  "accounts.whereAre": whereAreAction("businesses, end users and linked accounts", "their email"),

  "accounts.business": action({
    does: "Shows a business",
    params: { businessId },
    result: business,
    errors: ["BUSINESS_NOT_FOUND"],
    callers: ["gateway", "payment-links"],
  }),

  "accounts.createClient": action({
    does: "Creates an API client of a business. The secret is shown only in this answer",
    params: {
      businessId,
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
      allowedAddresses: optional(allowedAddresses),
    },
    result: clientWithSecret,
    meta: ["creation"],
    errors: ["BUSINESS_NOT_FOUND"],
  }),

  "accounts.clients": action({
    does: "Lists the API clients of a business",
    params: { businessId, ...paging },
    result: page(shownClient),
    errors: ["BUSINESS_NOT_FOUND"],
  }),

  "accounts.client": action({
    does: "Shows an API client of a business",
    params: { businessId, clientId: id({ note: "The id of the API client" }) },
    result: shownClient,
    errors: ["CLIENT_NOT_FOUND"],
  }),

  "accounts.updateClient": action({
    does: "Disables or enables an API client, and sets its allowed addresses. Both hold for its earlier tokens (its users' too) within 5 seconds. A disabled client gets no tokens, and its earlier ones end for good: an enabled client has to get new ones",
    params: {
      businessId,
      clientId: id({ note: "The id of the API client" }),
      disabled: optional(boolean({ note: "Whether it is to get no tokens" })),
      allowedAddresses: optional(allowedAddresses),
    },
    result: shownClient,
    errors: ["CLIENT_NOT_FOUND"],
  }),

  "accounts.rotateClientSecret": action({
    does: "Gives an API client another secret. It is shown only in this answer. The previous secret stops immediately, and tokens that were issued with it (its users' too) are refused within 5 seconds. To change secrets without a gap, create a second client and disable the first",
    params: { businessId, clientId: id({ note: "The id of the API client" }) },
    result: clientWithSecret,
    meta: ["creation"],
    errors: ["CLIENT_NOT_FOUND"],
  }),

  "accounts.tokensFrom": action({
    does: "The least value of client_tokens_from for valid tokens of each API client, in order. A token has the client's value at its issue as client_tokens_from, and is refused if that is lower",
    params: {
      clientIds: list(uuid(), { max: 256 }),
      withAddresses: optional(
        boolean({ note: "Whether the addresses of clients that have any are to stand beside it" }),
      ),
    },
    // A node of the previous release leaves the addresses out.
    result: list(nullable(either(tokensFromS, object({ tokensFromS, allowedAddresses }))), {
      max: 256,
    }),
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
      // A gateway of the previous release leaves it out.
      exactAddress: optional(text({ note: "The same, of an IPv6 address not its network alone" })),
    },
    result: object(
      {
        access_token: text({
          max: 4096,
          note: "Send it as Authorization: Bearer",
          example: "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIwMTk4In0.c2lnbmF0dXJl",
        }),
        token_type: oneOf(["Bearer"], { note: "How the token is used" }),
        expires_in: integer({
          min: 1,
          note: "The seconds for which the token is valid",
          example: 3_600,
        }),
        scope: optional(
          text({
            note: "The scopes of the token, separated by spaces; absent if the client has none",
            example: "external.apis",
          }),
        ),
      },
      { name: "AccessToken", note: "An access token (RFC 6749, 5.1)" },
    ),
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
    params: {
      businessId,
      email: email({ note: "Where the end user is reached" }),
      externalIdentifier: optional(
        text({ note: "The id that the end user has in your system", example: "customer-1" }),
      ),
    },
    result: entity,
    meta: ["creation"],
    errors: ["BUSINESS_NOT_FOUND", "DUPLICATE_EXTERNAL_ID"],
  }),

  "accounts.entities": action({
    does: "Lists the end users of a business",
    params: {
      businessId,
      externalId: optional(text({ note: "Exact external identifier" })),
      search: optional(
        text({
          min: 0,
          max: 64,
          note: "Only end users with this text in their email or external identifier, in any case",
        }),
      ),
      ...paging,
    },
    result: page(entity),
    errors: ["BUSINESS_NOT_FOUND", "TOO_BROAD"],
  }),

  "accounts.entity": action({
    does: "Shows an end user of a business, or the business itself",
    params: {
      businessId,
      entityId: id({ note: "The id of the end user, or of the business itself" }),
    },
    result: entity,
    errors: ["ENTITY_NOT_FOUND"],
    callers: ["gateway", "wallet-ledger"],
  }),

  "accounts.endUsersWith": action({
    does: "The end users of a business that have an email",
    params: { businessId, email: storedEmail() },
    result: object({ ids: list(uuid(), { max: 1_000 }) }),
    callers: ["payment-links"],
  }),

  "accounts.businessOf": action({
    does: "The business that an end user belongs to; a business is its own",
    params: { entityId: uuid() },
    result: object({ businessId: uuid() }),
    errors: ["ENTITY_NOT_FOUND"],
    callers: ["gateway", "payment-links", "payouts"],
  }),
};
