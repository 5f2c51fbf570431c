// Contracts of accounts about linked accounts: payout destinations, each tied to a wallet.

import { list, object, variants } from "../compound-fields.ts";
import { nullable, optional } from "../field.ts";
import { anyText, anything, boolean, email, id, oneOf, text, uuid } from "../fields.ts";
import { bankData, cardData, prepaidCardData } from "./account-data.ts";
import { ENTITY_TYPES } from "./accounts.ts";
import { action, created, currency, currencyInPath } from "./contract.ts";

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

const linkedAccount = object({
  id: uuid(),
  currency,
  optionType: oneOf(OPTION_TYPES),
  walletId: uuid(),
  counterPartyName: text({ max: 513 }),
  counterPartyEmail: email(),
  nickName: nullable(text()),
  lastFourDigits: text({ max: 4 }),
  createdAt: created,
  updatedAt: created,
});

export const linkedAccounts = {
  "accounts.linkAccount": action({
    does: "Links a bank account, a card or a prepaid card to a wallet, as a payout destination",
    params: {
      businessId: id(),
      currency: currencyInPath,
      optionType: oneOf(["bank", "card", "prepaid_card"]),
      walletId: uuid(),
      label: optional(text()),
      nickName: optional(text()),
      data: variants(
        "optionType",
        { bank: bankData, card: cardData, prepaid_card: prepaidCardData },
        { note: "By optionType: of a bank account, of a card, of a prepaid card" },
      ),
    },
    result: linkedAccount,
    meta: ["making"],
    errors: ["WALLET_NOT_FOUND", "DUPLICATE_ACCOUNT"],
  }),

  // Token, currency and body are checked in this order, after the token's owner is known.
  "accounts.linkInternational": action({
    does: "Links an international bank account to the wallet of an application token's entity",
    params: {
      token: anyText({ note: "Application token of type PAYOUT or ACCOUNT; it is not spent" }),
      currency: anyText({ note: "The token's, in any case", example: "USD" }),
      step: oneOf(["1"]),
      body: anything(),
    },
    result: object({ id: uuid({ note: "The linkedAccountId of withdrawals" }) }),
    meta: ["actor", "making"],
    errors: ["APPLICATION_TOKEN_NOT_FOUND", "APPLICATION_TOKEN_INVALID", "DUPLICATE_ACCOUNT"],
  }),

  "accounts.renameLinkedAccount": action({
    does: "Changes the nickname of a linked account",
    params: {
      businessId: id(),
      currency: currencyInPath,
      linkedAccountId: id(),
      nickName: text(),
    },
    result: linkedAccount,
    errors: ["LINKED_ACCOUNT_NOT_FOUND"],
  }),

  "accounts.unlinkAccount": action({
    does: "Unlinks an account; payouts under way still finish",
    params: { businessId: id(), currency: currencyInPath, linkedAccountId: id() },
    result: object({ id: uuid() }),
    errors: ["LINKED_ACCOUNT_NOT_FOUND"],
  }),

  "accounts.payoutDestinations": action({
    does: "Finds the linked accounts to pay out to; null for one that is not the entity's",
    params: {
      // Ids of any form: a malformed one finds nothing and does not affect the others.
      requests: list(object({ entityId: id(), linkedAccountId: id(), currency }), { max: 1_000 }),
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
