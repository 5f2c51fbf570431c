// Contracts of the two lists of linked accounts (docs/integrate/rest-api.md, Linked account views):
// the business view, which has everything, and the external view, which masks every number.

import { address } from "./account-data.ts";
import { owner } from "./accounts.ts";
import { object, unionBy } from "./compound-fields.ts";
import {
  action,
  businessId,
  changed,
  created,
  currency,
  currencyInPath,
  money,
  numbered,
  numberedPage,
  page,
  pageLimit,
  paging,
} from "./contract.ts";
import { nullable, optional } from "./field.ts";
import { anyCaseOf, boolean, email, normalised, oneOf, text, timestamp, uuid } from "./fields.ts";
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
  optional(text({ min: 0, max: 64, note: `Only accounts with this text in ${what}, in any case` }));

export const last4 = optional(
  normalised(
    (value) => (/^\d{1,4}$/.test(value) ? value : null),
    "1 to 4 digits",
    { pattern: "^\\d{1,4}$" },
    { note: "Only accounts with an account or card number that ends in these digits" },
  ),
);

const filters = {
  currency: currencyInPath,
  accountType: optional(oneOf(OPTION_TYPES, { note: "Only accounts of this type" })),
  optionType: optional(oneOf(OPTION_TYPES, { note: "Another name of accountType" })),
  email: searched("the counterparty's email"),
  last4,
  bank: searched("the bank's name"),
  externalId: optional(
    text({ note: "Only accounts of the end user with this externalIdentifier" }),
  ),
  page: numbered.page,
  sortBy: optional(
    oneOf(SORTED_BY, { note: "The field that sorts the list", default: "createdAt" }),
  ),
  sortDirection: optional(
    anyCaseOf(["ASC", "DESC"], { note: "The direction of sorting, in any case", default: "ASC" }),
  ),
};

const label = nullable(text({ note: "Display name of the account", example: "Main account" }));
const lastFourDigits = text({
  max: 4,
  note: "The last four digits of the account or card number",
  example: "6789",
});
const bankName = text({ note: "Name of the bank", example: "First Bank" });
const swiftOrBic = text({ note: "The BIC of the bank", example: "COBADEFF" });
const routingType = text({
  note: "The network that the routing number belongs to",
  example: "ACH",
});
const accountType = nullable(text({ note: "The kind of bank account", example: "CHECKING" }));
const cardSummary = {
  label,
  lastFourDigits,
  cardBrand: text({ note: "The brand of the card", example: "visa" }),
  cardType: text({ note: "The kind of card", example: "debit" }),
};
const bankSummary = {
  routing: text({ note: "The routing number", example: "021000021" }),
  bankName,
  accountType,
  routingType,
};

/** `account` in the business view. */
const summary = unionBy(
  "optionType",
  {
    bank: { label, lastFourDigits, ...bankSummary },
    international_bank: {
      label,
      lastFourDigits,
      bankName,
      swiftOrBic,
      country: text({ note: "The country of the account", example: "DE" }),
      routingNumber: nullable(text({ note: "The routing number, where the country has them" })),
    },
    card: cardSummary,
    prepaid_card: cardSummary,
  },
  { note: "The account in short" },
);

/** `account` in the external view; a card has none of its fields. */
const externalSummary = object(
  {
    routing: optional(
      text({ note: "The routing number, masked to its last four digits", example: "****0021" }),
    ),
    bankName: optional(bankName),
    accountType: optional(accountType),
    routingType: optional(routingType),
  },
  { note: "The account in short" },
);

const ofEvery = {
  id: uuid({ note: "The id of the linked account" }),
  type: oneOf(OPTION_TYPES, { note: "The type of the account" }),
};
const held = {
  provider: text({ note: "The name of the vault that holds the numbers", example: "vault" }),
};
const written = text({
  min: 0,
  note: "Your name for the account; empty if unset",
  example: "Rent",
});

const bankRecipient = {
  ...ofEvery,
  instrumentId: text({
    note: "The same for the same account within a business",
    example: "qRZ0b8gRk2eVwHq1mT5xYc3uJ7nDfLpSaEo9iK4vXhM",
  }),
  nickName: written,
  firstName: text({ note: "First name of the holder", example: "Ada" }),
  lastName: text({ note: "Last name of the holder", example: "Lovelace" }),
  name: text({ max: 513, note: "Name of the holder", example: "Ada Lovelace" }),
  email: email({ note: "Email address of the holder" }),
  bankName,
  accountNumber: text({
    note: "The account number; the external view shows its last four",
    example: "000123456789",
  }),
  routingNumber: text({
    note: "The routing number; the external view shows its last four",
    example: "021000021",
  }),
  routingType,
  ...address,
};
const internationalRecipient = {
  ...ofEvery,
  recipientType: oneOf(["personal", "business"], {
    note: "Whether the holder is a person or a business",
  }),
  firstName: nullable(text({ note: "First name of a person", example: "Ada" })),
  lastName: nullable(text({ note: "Last name of a person", example: "Lovelace" })),
  name: text({ max: 513, note: "Name of the holder", example: "Ada Lovelace" }),
  email: email({ note: "Email address of the holder" }),
  accountNumber: text({
    note: "The account number; the external view shows its last four",
    example: "000123456789",
  }),
  swiftOrBic,
  bankName,
  ...address,
  recipientCountry: text({
    note: "The country of the recipient, by ISO 3166-1 alpha-2",
    example: "DE",
  }),
  nickName: written,
};
const cardRecipient = {
  ...ofEvery,
  name: text({ note: "Name of the cardholder", example: "Ada Lovelace" }),
  email: email({ note: "Email address of the holder" }),
};
const wholeCard = {
  ...cardRecipient,
  ...held,
  identityId: text({
    note: "The same for the same owner within a business",
    example: "Yc3uJ7nDfLpSaEo9iK4vXhMqRZ0b8gRk2eVwHq1mT5x",
  }),
  encryptedCardNumber: text({
    note: "The token of the card in its vault",
    example: "tok_4f9a2b7c",
  }),
  cardExpirationDate: text({ note: "The month in which the card expires", example: "12/49" }),
};

const recipient = unionBy(
  "optionType",
  {
    bank: bankRecipient,
    international_bank: { ...internationalRecipient, ...held },
    card: wholeCard,
    prepaid_card: wholeCard,
  },
  { note: "The holder and the numbers of the account" },
);
const externalRecipient = unionBy(
  "optionType",
  {
    bank: bankRecipient,
    international_bank: internationalRecipient,
    card: cardRecipient,
    prepaid_card: cardRecipient,
  },
  { note: "The holder and the numbers of the account, masked" },
);

const ofBothViews = {
  id: uuid({ note: "The linkedAccountId of withdrawals" }),
  currency,
  optionType: oneOf(OPTION_TYPES, { note: "The type of the account" }),
  counterPartyName: text({ max: 513, note: "Name of the holder", example: "Ada Lovelace" }),
  counterPartyEmail: email({ note: "Email address of the holder" }),
  counterPublicPartyEmail: nullable(
    email({ note: "Email address that is shown to the public instead" }),
  ),
  createdAt: created,
};

export const linkedAccountView = object(
  {
    ...ofBothViews,
    nickName: nullable(text({ note: "Your name for the account", example: "Rent" })),
    updatedAt: changed,
    account: nullable(summary),
    recipientData: nullable(recipient),
    wallet: object(
      {
        id: uuid({ note: "Its id" }),
        balance: money("The current balance", "74.50"),
        disabled: boolean({ note: "Whether the wallet is disabled, so that it cannot be debited" }),
      },
      { name: "LinkedAccountWallet", note: "The wallet that pays out to it" },
    ),
    entity: object(owner, { name: "LinkedAccountEntity", note: "The owner of the account" }),
    application: nullable(
      object(
        {
          id: uuid({ note: "Its id" }),
          token: text({ note: "The token, masked to its last four", example: "****KM04" }),
          tokenType: text({ note: "The type of the token", example: "ACCOUNT" }),
          expiredAt: timestamp({ note: "When it expires" }),
          valid: boolean({ note: "Whether it can be used" }),
        },
        {
          name: "LinkedAccountApplication",
          note: "The application token with which it was linked",
        },
      ),
    ),
  },
  { name: "LinkedAccount", note: "A linked account in full" },
);

const externalView = object(
  {
    ...ofBothViews,
    nickName: written,
    account: nullable(externalSummary),
    recipientData: nullable(externalRecipient),
  },
  { name: "ExternalLinkedAccount", note: "A linked account with masked numbers" },
);

export const linkedAccountLists = {
  "accounts.linkedAccounts": action({
    does: "Lists the linked accounts of a business in a currency, in full",
    params: {
      businessId,
      ...filters,
      search: searched("the counterparty's name"),
      entityId: optional(
        uuid({ note: "Only accounts of this end user, or of the business itself" }),
      ),
      ...paging,
    },
    result: page(linkedAccountView),
    errors: ["BUSINESS_LOOKUP_FAILED", "TOO_BROAD"],
  }),

  "accounts.externalLinkedAccounts": action({
    does: "Lists linked accounts in a currency, with masked numbers. An end user sees its own, a business those of its end users",
    params: {
      ...filters,
      limit: pageLimit(EXTERNAL_LIMIT),
    },
    result: numberedPage(externalView),
    meta: ["actor"],
    errors: ["TOO_BROAD"],
  }),
};
