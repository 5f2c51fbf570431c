// Contracts of accounts about linked accounts: payout destinations, each tied to a wallet.

import { bankData, cardData, prepaidCardData } from "./account-data.ts";
import { ENTITY_TYPES } from "./accounts.ts";
import { list, object, unionBy } from "./compound-fields.ts";
import { action, businessId, changed, created, currency, currencyInPath } from "./contract.ts";
import { nullable, optional } from "./field.ts";
import { anyText, anything, boolean, email, id, oneOf, text, uuid } from "./fields.ts";

export const OPTION_TYPES = ["bank", "card", "international_bank", "prepaid_card"] as const;
export type OptionType = (typeof OPTION_TYPES)[number];

/** The destination of a payout; the instrument itself stays in accounts. */
const payoutDestination = object({
  linkedAccountId: uuid(),
  businessId: uuid(),
  entityId: uuid(),
  entityType: oneOf(ENTITY_TYPES),
  walletId: uuid(),
  currency,
  optionType: oneOf(OPTION_TYPES),
  lastFour: text({ max: 4 }),
  fingerprint: optional(
    text({
      note: "Keyed; equal for the same account or card. A payout keeps it, for verification",
    }),
  ),
  unreadable: optional(boolean({ note: "The key that encrypted its data is missing" })),
});

const linkedAccount = object(
  {
    id: uuid({ note: "The linkedAccountId of withdrawals" }),
    currency,
    optionType: oneOf(OPTION_TYPES, { note: "The type of the account" }),
    walletId: uuid({ note: "The wallet that pays out to it" }),
    counterPartyName: text({ max: 513, note: "Name of the holder", example: "Ada Lovelace" }),
    counterPartyEmail: email({ note: "Email address of the holder" }),
    nickName: nullable(text({ note: "Your name for the account", example: "Rent" })),
    lastFourDigits: text({
      max: 4,
      note: "The last four digits of the account or card number",
      example: "6789",
    }),
    createdAt: created,
    updatedAt: changed,
  },
  { name: "LinkedAccountSummary", note: "A linked account in short" },
);

export const linkedAccounts = {
  "accounts.linkAccount": action({
    does: "Links a bank account, a card or a prepaid card to a wallet, as a payout destination",
    params: {
      businessId,
      currency: currencyInPath,
      optionType: oneOf(["bank", "card", "prepaid_card"], { note: "The type of the account" }),
      walletId: uuid({ note: "The wallet that will pay out to it" }),
      label: optional(text({ note: "Display name of the account", example: "Main account" })),
      nickName: optional(text({ note: "Your name for the account", example: "Rent" })),
      data: unionBy(
        "optionType",
        { bank: bankData, card: cardData, prepaid_card: prepaidCardData },
        { note: "The account and its holder" },
      ),
    },
    result: linkedAccount,
    meta: ["creation"],
    errors: ["WALLET_NOT_FOUND", "DUPLICATE_ACCOUNT"],
  }),

  // Token, currency and body are checked in this order, after the token's owner is known.
  "accounts.linkInternational": action({
    does: "Links an international bank account. The application token in the path names the end user, whose wallet will pay out to the account",
    params: {
      token: anyText({ note: "An application token of type PAYOUT or ACCOUNT; it is not spent" }),
      currency: anyText({ note: "The currency of the token, in any case", example: "USD" }),
      step: oneOf(["1"], { note: "The step of linking; there is one" }),
      body: anything({
        note: "The body of linkInternationalAccount in the REST API, as the caller sent it: label, data",
      }),
    },
    result: object({ id: uuid({ note: "The linkedAccountId of withdrawals" }) }),
    meta: ["actor", "creation"],
    errors: ["APPLICATION_TOKEN_NOT_FOUND", "APPLICATION_TOKEN_INVALID", "DUPLICATE_ACCOUNT"],
  }),

  "accounts.renameLinkedAccount": action({
    does: "Changes the nickname of a linked account",
    params: {
      businessId,
      currency: currencyInPath,
      linkedAccountId: id({ note: "The id of the linked account" }),
      nickName: text({ note: "Your name for the account", example: "Rent" }),
    },
    result: linkedAccount,
    errors: ["LINKED_ACCOUNT_NOT_FOUND"],
  }),

  "accounts.unlinkAccount": action({
    does: "Unlinks an account. Payouts under way still finish",
    params: {
      businessId,
      currency: currencyInPath,
      linkedAccountId: id({ note: "The id of the linked account" }),
    },
    result: object({ id: uuid({ note: "The id of the unlinked account" }) }),
    errors: ["LINKED_ACCOUNT_NOT_FOUND"],
  }),

  "accounts.payoutDestinations": action({
    does: "Finds the linked accounts to pay out to; null for one that is not the entity's",
    params: {
      // Ids of any form: a malformed one finds nothing and does not affect the others.
      requests: list(
        object({
          entityId: id(),
          linkedAccountId: id({ note: "The id of the linked account" }),
          currency,
          ofBusiness: optional(
            boolean({ note: "Also an account of an end user of the business that the entity is" }),
          ),
        }),
        { max: 1_000 },
      ),
    },
    result: list(nullable(payoutDestination), { max: 1_000 }),
    callers: ["payouts"],
  }),

  "accounts.instrument": action({
    does: "Opens the data of a linked account for a rail (numbers in clear text), also of an unlinked one",
    params: { linkedAccountId: uuid() },
    result: object({ optionType: oneOf(OPTION_TYPES), data: anything<Record<string, string>>() }),
    errors: ["LINKED_ACCOUNT_NOT_FOUND", "UNREADABLE"],
    callers: ["payouts"],
  }),
};
