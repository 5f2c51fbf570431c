// Contracts of accounts about application tokens, with which an end user pays out once or links an
// account.

import { object } from "./compound-fields.ts";
import { action, businessId, currency, money, page, paging } from "./contract.ts";
import { nullable, optional } from "./field.ts";
import { amount, boolean, integer, oneOf, text, timestamp, uuid } from "./fields.ts";

/** Replaces an application token between services, so that no service has to store the token. */
const tokenHash = text({ note: "SHA-256 of the application token, base64url" });

const tokenType = oneOf(["PAYOUT", "ACCOUNT"], {
  note: "PAYOUT: the end user may withdraw once. ACCOUNT: the end user may link an account",
});
const withdrawalSource = optional(
  oneOf(["MERCHANT_WALLET"], {
    note: "The payout debits the business's own wallet, not the end user's",
  }),
);

const applicationToken = {
  id: uuid({ note: "The id of the token" }),
  token: text({
    note: "The token itself on creation; later masked to its last four",
    example: "o8Jq2vZc5mYt1kWb7h3uS9nEr6xLpAiDgFyHdUaKM04",
  }),
  tokenType,
  entityId: uuid({ note: "The end user that may use the token" }),
  currency,
  amount: optional(money("The required amount of the withdrawal, if there is one")),
  withdrawalSource,
  walletId: optional(uuid({ note: "Of `MERCHANT_WALLET` tokens only" })),
  expiredAt: timestamp({ note: "When it expires" }),
  valid: boolean({ note: "Whether it can be used" }),
};
const shownToken = object(applicationToken, {
  name: "ApplicationToken",
  note: "A token with which an end user pays out once, or links an account",
});

export const applicationTokens = {
  "accounts.createApplicationToken": action({
    does: "Creates an application token for an end user. With it the user pays out once, or links an account",
    params: {
      businessId,
      tokenType,
      entityId: uuid({ note: "The end user that may use the token" }),
      currency,
      amount: optional(amount({ note: "The required amount of the withdrawal", example: 25 })),
      withdrawalSource,
      walletId: optional(uuid({ note: "The business's own wallet that is debited" })),
      expiredAt: optional(
        timestamp({
          note: "When it expires: in the future, 24 hours from now if left out",
          example: "2099-01-05T09:30:00.000Z",
        }),
      ),
    },
    result: shownToken,
    meta: ["creation"],
    errors: ["ENTITY_NOT_FOUND", "WALLET_NOT_FOUND"],
  }),

  "accounts.applicationTokens": action({
    does: "Lists the application tokens of a business",
    params: { businessId, ...paging },
    result: page(shownToken),
    errors: ["BUSINESS_NOT_FOUND"],
  }),

  "accounts.claimToken": action({
    does: "Checks an application token and spends it for a payout, in one conditional update; a repeated call for the same payout has the same result",
    params: {
      tokenHash,
      payoutId: uuid(),
      entityId: uuid({ note: "The end user that may use the token" }),
      currency,
      amountMinor: integer({ min: 1 }),
    },
    result: object({
      walletId: nullable(
        uuid({ note: "The business's wallet to debit; null: the end user's own" }),
      ),
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
