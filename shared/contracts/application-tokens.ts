// Contracts of accounts about application tokens, with which an end user pays out once or links an
// account.

import { object } from "../compound-fields.ts";
import { nullable, optional } from "../field.ts";
import { amount, boolean, id, integer, oneOf, text, timestamp, uuid } from "../fields.ts";
import { action, created, currency, page, paging } from "./contract.ts";

/** Replaces an application token between services, so that no service has to store the token. */
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

export const applicationTokens = {
  "accounts.createApplicationToken": action({
    does: "Creates an application token for an end user: to pay out once, or to link an account",
    params: {
      businessId: id(),
      tokenType: oneOf(["PAYOUT", "ACCOUNT"]),
      entityId: uuid(),
      currency,
      amount: optional(amount({ note: "The required amount of the withdrawal" })),
      withdrawalSource: optional(oneOf(["MERCHANT_WALLET"])),
      walletId: optional(uuid({ note: "The business's own wallet that is debited" })),
      expiredAt: optional(timestamp({ note: "24 hours from now by default" })),
    },
    result: object(applicationToken),
    meta: ["making"],
    errors: ["ENTITY_NOT_FOUND", "WALLET_NOT_FOUND"],
  }),

  "accounts.applicationTokens": action({
    does: "Lists the application tokens of a business",
    params: { businessId: id(), ...paging },
    result: page(object(applicationToken)),
    errors: ["BUSINESS_NOT_FOUND"],
  }),

  "accounts.claimToken": action({
    does: "Checks an application token and spends it for a payout, in one conditional update; a repeated call for the same payout has the same result",
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
    callers: ["payouts"],
  }),

  "accounts.releaseToken": action({
    does: "Releases an application token after its payout was declined; that payout cannot claim it any more, even if its claim arrives later",
    params: { tokenHash, payoutId: uuid() },
    result: object({}),
    callers: ["payouts"],
  }),
};
