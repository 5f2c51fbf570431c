// Contracts of the two lists of linked accounts (docs/rest-api.md, Linked account views): the
// business view, which has everything, and the external view, which masks every number.

import { object, variants } from "../compound-fields.ts";
import { nullable, optional } from "../field.ts";
import {
  anyCaseOf,
  boolean,
  email,
  id,
  normalised,
  oneOf,
  queryInteger,
  text,
  timestamp,
  uuid,
} from "../fields.ts";
import { address } from "./account-data.ts";
import { owner } from "./accounts.ts";
import { action, currency, currencyInPath, page, paging } from "./contract.ts";
import { OPTION_TYPES } from "./linked-accounts.ts";

export const SORTED_BY = [
  "createdAt",
  "updatedAt",
  "counterPartyName",
  "counterPartyEmail",
  "nickName",
  "optionType",
  "currency",
] as const;

/** The default page size of the external list; other lists have 50. */
export const EXTERNAL_LIMIT = 10;

const searched = (what: string) =>
  optional(text({ min: 0, max: 64, note: `Part of ${what}, in any case; empty: no filter` }));

const filters = {
  currency: currencyInPath,
  accountType: optional(oneOf(OPTION_TYPES)),
  optionType: optional(oneOf(OPTION_TYPES, { note: "Legacy alias of accountType" })),
  email: searched("the counterparty's email"),
  last4: optional(
    normalised(
      (value) => (/^\d{1,4}$/.test(value) ? value : null),
      "1 to 4 digits",
      { pattern: "^\\d{1,4}$" },
      { note: "Last four digits of the account or card number, or the last of them" },
    ),
  ),
  bank: searched("the bank's name"),
  externalId: optional(text({ note: "The owner's external identifier, exactly" })),
  page: paging.page,
  sortBy: optional(oneOf(SORTED_BY, { note: "createdAt by default" })),
  sortDirection: optional(anyCaseOf(["ASC", "DESC"], { note: "ASC by default, in any case" })),
};

const label = nullable(text());
const lastFourDigits = text({ max: 4 });
const cardSummary = { label, lastFourDigits, cardBrand: text(), cardType: text() };
const bankSummary = {
  routing: text(),
  bankName: text(),
  accountType: nullable(text()),
  routingType: text(),
};

/** `account` in the business view. */
const summary = variants("optionType", {
  bank: { label, lastFourDigits, ...bankSummary },
  international_bank: {
    label,
    lastFourDigits,
    bankName: text(),
    swiftOrBic: text(),
    country: text(),
    routingNumber: nullable(text()),
  },
  card: cardSummary,
  prepaid_card: cardSummary,
});

/** `account` in the external view; a card has none of its fields. */
const externalSummary = object({
  routing: optional(text({ note: "****XXXX" })),
  bankName: optional(text()),
  accountType: optional(nullable(text())),
  routingType: optional(text()),
});

const ofEvery = { id: uuid(), type: oneOf(OPTION_TYPES) };
const held = { provider: text({ note: "The vault's name" }) };
const written = text({ min: 0, note: "Empty if unset" });

const bankRecipient = {
  ...ofEvery,
  instrumentId: text({ note: "Equal for the same account, within a business" }),
  nickName: written,
  firstName: text(),
  lastName: text(),
  name: text({ max: 513 }),
  email: email(),
  bankName: text(),
  accountNumber: text(),
  routingNumber: text(),
  routingType: text(),
  ...address,
};
const internationalRecipient = {
  ...ofEvery,
  recipientType: oneOf(["personal", "business"]),
  firstName: nullable(text()),
  lastName: nullable(text()),
  name: text({ max: 513 }),
  email: email(),
  accountNumber: text(),
  swiftOrBic: text(),
  bankName: text(),
  ...address,
  recipientCountry: text(),
  nickName: written,
};
const cardRecipient = { ...ofEvery, name: text(), email: email() };
const wholeCard = {
  ...cardRecipient,
  ...held,
  identityId: text({ note: "Equal for the same owner, within a business" }),
  encryptedCardNumber: text(),
  cardExpirationDate: text(),
};

const recipient = variants("optionType", {
  bank: bankRecipient,
  international_bank: { ...internationalRecipient, ...held },
  card: wholeCard,
  prepaid_card: wholeCard,
});
const externalRecipient = variants("optionType", {
  bank: bankRecipient,
  international_bank: internationalRecipient,
  card: cardRecipient,
  prepaid_card: cardRecipient,
});

const ofBothViews = {
  id: uuid({ note: "The linkedAccountId of withdrawals" }),
  currency,
  optionType: oneOf(OPTION_TYPES),
  counterPartyName: text({ max: 513 }),
  counterPartyEmail: email(),
  counterPublicPartyEmail: nullable(email()),
  createdAt: timestamp(),
};

export const linkedAccountView = object({
  ...ofBothViews,
  nickName: nullable(text()),
  updatedAt: timestamp(),
  account: nullable(summary),
  recipientData: nullable(recipient),
  wallet: object({
    id: uuid(),
    balance: text({ note: "Current balance; decimal string with two places", example: "25.00" }),
    disabled: boolean(),
  }),
  entity: object(owner),
  application: nullable(
    object({
      id: uuid(),
      token: text({ note: "Masked to its last four" }),
      tokenType: text(),
      expiredAt: timestamp(),
      valid: boolean(),
    }),
  ),
});

const externalView = object({
  ...ofBothViews,
  nickName: written,
  account: nullable(externalSummary),
  recipientData: nullable(externalRecipient),
});

export const linkedAccountLists = {
  "accounts.linkedAccounts": action({
    does: "Lists the linked accounts of a business in a currency, in full",
    params: {
      businessId: id(),
      ...filters,
      search: searched("the counterparty's name"),
      limit: paging.limit,
    },
    result: page(linkedAccountView),
    errors: ["BUSINESS_LOOKUP_FAILED", "TOO_BROAD"],
  }),

  "accounts.externalLinkedAccounts": action({
    does: "Lists the caller's linked accounts in a currency, masked: an end user's own, or those of a merchant's end users",
    params: {
      ...filters,
      limit: optional(
        queryInteger({
          min: 1,
          max: 100,
          note: `Results per page, ${EXTERNAL_LIMIT} by default`,
        }),
      ),
    },
    result: page(externalView),
    meta: ["actor"],
    errors: ["TOO_BROAD"],
  }),
};
