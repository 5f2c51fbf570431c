// Contracts of wallet-ledger's heads: what a signed head says, and the keys that verify it.

import { CURRENCIES, type Currency } from "../money.ts";
import { list, object } from "./compound-fields.ts";
import { action, money } from "./contract.ts";
import { optional } from "./field.ts";
import { integer, oneOf, text, uuid } from "./fields.ts";

const sums = object(
  Object.fromEntries(CURRENCIES.map((each) => [each, optional(money("The sum"))])) as Record<
    Currency,
    ReturnType<typeof optional<string>>
  >,
  {
    name: "SumsByCurrency",
    note: "The sums by currency; a currency without money is left out",
    example: { USD: "99.50" },
  },
);

/** The type of heads in their header, so no reader of other tokens takes one (RFC 8725, 3.11). */
export const HEAD_TYPE = "payrail-head+jwt";

/** The claims of a head; verification and the client read them too. */
export const headClaims = object(
  {
    sub: optional(uuid({ note: "The business; left out for the whole ledger" })),
    iat: integer({
      min: 0,
      note: "When it was made, in seconds since 1970",
      example: 1_763_757_600,
    }),
    journal: list(
      object(
        {
          n: integer({ min: 0, note: "The number of the last block", example: 4211 }),
          hash: text({
            min: 0,
            max: 64,
            note: "The hash of the block; empty before the first block",
            example: "VhLGbVSFEEEqpr7Hk0dnbvhN0rU2ZrdhkRTOtFbnd6k",
          }),
        },
        { name: "LedgerBlock", note: "The last block of a partition" },
      ),
      { max: 10_000, note: "The last block of each partition, from partition 0" },
    ),
    sums: object(
      { SPEND: sums, COLLECTION: sums },
      { note: "The sums of the wallets and of the collection accounts" },
    ),
    accounts: optional(
      integer({ min: 0, note: "The number of the business's accounts with money", example: 2 }),
    ),
    digest: optional(
      text({
        note: "SHA-256 in base64url over the lines `<id> <currency> <balance>` of the business's accounts with money, in the order of their ids",
        example: "2jmj7l5rSw0yVb_vlWAYkK_YBwk-EwYNhIrJ3gBbIYk",
      }),
    ),
  },
  { name: "LedgerHeadClaims", note: "What a head of the ledger says" },
);

const head = object(
  {
    head: text({
      max: 100_000,
      note: "The signed head, a JWS in its compact form (RFC 7515)",
      example: "eyJhbGciOiJFUzI1NiIsInR5cCI6InBheXJhaWwtaGVhZCtqd3QifQ.eyJpYXQiOjE3NjN9.c2lnbg",
    }),
    claims: headClaims,
  },
  { name: "LedgerHead", note: "What the ledger holds at one moment, signed" },
);

const headKey = object(
  {
    kty: text({ note: "The kind of the key", example: "EC" }),
    kid: text({
      note: "Its thumbprint (RFC 7638), which heads name",
      example: "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs",
    }),
    alg: oneOf(["ES256", "RS256"], { note: "The algorithm of its signatures" }),
    use: oneOf(["sig"], { note: "It verifies signatures" }),
    crv: optional(text({ note: "The curve, of an elliptic key", example: "P-256" })),
    x: optional(
      text({ note: "A coordinate", example: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4" }),
    ),
    y: optional(
      text({ note: "A coordinate", example: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM" }),
    ),
    n: optional(text({ max: 2_048, note: "The modulus, of an RSA key", example: "0vx7agoebGc…" })),
    e: optional(text({ note: "The exponent, of an RSA key", example: "AQAB" })),
  },
  { name: "LedgerKey", note: "A public key that verifies heads (RFC 7517)" },
);

export const ledgerHeads = {
  "wallet-ledger.head": action({
    does: "Makes a signed head of the ledger. It names the last block of every partition, and the sums at that moment",
    params: {
      businessId: optional(uuid({ note: "Only the accounts of this business, with their digest" })),
    },
    result: head,
    errors: ["NOT_CONFIGURED"],
    callers: ["gateway", "webhooks"],
    // It reads all accounts.
    timeoutMs: 15_000,
  }),

  "wallet-ledger.headKeys": action({
    does: "Shows the public keys that verify heads of the ledger, as a JWKS (RFC 7517)",
    params: {},
    result: object(
      { keys: list(headKey, { max: 10, note: "The keys; none if heads are not signed" }) },
      { name: "LedgerKeys", note: "The public keys that verify heads of the ledger" },
    ),
  }),
};
