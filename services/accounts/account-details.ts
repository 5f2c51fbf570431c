// The sealed data of a linked account in the shapes of the business view and of the external view,
// which masks every number (docs/integrate/rest-api.md, Linked account views). Each shape is a list
// of allowed fields: no view shows another sealed field.

import type { ConfigOf } from "../../shared/config/config.ts";
import type { BankData, CardData, PrepaidCardData } from "../../shared/contracts/account-data.ts";
import type { Result } from "../../shared/contracts/contracts.ts";
import type { InternationalData } from "../../shared/contracts/international-data.ts";
import { fingerprint } from "../../shared/security/seal.ts";
import type { LinkedAccount } from "./linked-account.model.ts";

export type BusinessItem = Result<"accounts.linkedAccounts">["items"][number];
export type ExternalItem = Result<"accounts.externalLinkedAccounts">["items"][number];

export type Details = Pick<BusinessItem, "account" | "recipientData">;
type MaskedDetails = Pick<ExternalItem, "account" | "recipientData">;

/** The keeper of an instrument, if payrail does not have or not show its number. */
const PROVIDER = "vault";
/** Bank accounts are paid by ACH by default. */
const ROUTING_TYPE = "ACH";

/** @param data the unsealed data of the account */
export function formatDetails(
  config: ConfigOf<"accounts">,
  account: LinkedAccount,
  data: object,
): Details {
  switch (account.optionType) {
    case "bank":
      return bankDetails(config, account, data as BankData);
    case "international_bank":
      return internationalDetails(account, data as InternationalData);
    case "card":
    case "prepaid_card":
      return cardDetails(config, account, data as CardData | PrepaidCardData);
  }
}

function bankDetails(
  config: ConfigOf<"accounts">,
  account: LinkedAccount,
  data: BankData,
): Details {
  const { firstName, lastName, bankName, accountNumber, routingNumber, accountType } = data;
  const { businessId, label = null, lastFour, counterPartyName } = account;
  return {
    account: {
      label,
      lastFourDigits: lastFour,
      routing: routingNumber,
      bankName,
      accountType,
      routingType: ROUTING_TYPE,
    },
    recipientData: {
      id: account._id,
      type: account.optionType,
      instrumentId: fingerprint(config, ["instrument", businessId, account.fingerprint]),
      nickName: account.nickName ?? "",
      firstName,
      lastName,
      name: counterPartyName,
      email: data.email,
      bankName,
      accountNumber,
      routingNumber,
      routingType: ROUTING_TYPE,
      ...pickAddress(data),
    },
  };
}

function internationalDetails(account: LinkedAccount, data: InternationalData): Details {
  const { label = null, lastFour, counterPartyName } = account;
  const { bankName, swiftOrBic, recipientCountry } = data;
  const isPerson = data.recipientType === "personal";
  return {
    account: {
      label,
      lastFourDigits: lastFour,
      bankName,
      swiftOrBic,
      country: recipientCountry,
      routingNumber: null,
    },
    recipientData: {
      id: account._id,
      type: account.optionType,
      recipientType: data.recipientType,
      firstName: isPerson ? data.firstName : null,
      lastName: isPerson ? data.lastName : null,
      name: counterPartyName,
      email: data.email,
      accountNumber: data.accountNumber,
      swiftOrBic,
      bankName,
      ...pickAddress(data),
      recipientCountry,
      nickName: account.nickName ?? "",
      provider: PROVIDER,
    },
  };
}

function pickAddress(data: BankData | InternationalData) {
  const { recipientAddress, recipientCity, recipientState, recipientPostalCode } = data;
  return { recipientAddress, recipientCity, recipientState, recipientPostalCode };
}

function cardDetails(
  config: ConfigOf<"accounts">,
  account: LinkedAccount,
  data: CardData | PrepaidCardData,
): Details {
  const { optionType, label = null, lastFour, businessId, entityId } = account;
  const { name, email, cardBrand, cardType, encryptedCardNumber, cardExpirationDate } = data;
  return {
    account: {
      label,
      lastFourDigits: lastFour,
      cardBrand,
      cardType: optionType === "prepaid_card" ? "prepaid" : (cardType as string),
    },
    recipientData: {
      id: account._id,
      type: optionType,
      provider: PROVIDER,
      identityId: fingerprint(config, ["identity", businessId, entityId]),
      encryptedCardNumber,
      cardExpirationDate,
      name,
      email,
    },
  };
}

/** The same for the external view. */
export function masked({ account, recipientData }: Details): MaskedDetails {
  return {
    account: account && maskedSummary(account),
    recipientData: recipientData && maskedRecipient(recipientData),
  };
}

function maskedSummary(account: NonNullable<Details["account"]>): MaskedDetails["account"] {
  if ("routing" in account) {
    const { routing, bankName, accountType, routingType } = account;
    return { routing: maskNumber(routing), bankName, accountType, routingType };
  }
  return "bankName" in account ? { bankName: account.bankName } : {};
}

function maskedRecipient(
  recipient: NonNullable<Details["recipientData"]>,
): MaskedDetails["recipientData"] {
  if ("routingNumber" in recipient) {
    const { accountNumber, routingNumber, ...shown } = recipient;
    return {
      ...shown,
      accountNumber: maskNumber(accountNumber),
      routingNumber: maskNumber(routingNumber),
    };
  }
  if ("accountNumber" in recipient) {
    const { provider: _, accountNumber, ...shown } = recipient;
    return { ...shown, accountNumber: maskNumber(accountNumber) };
  }
  const { id, type, name, email } = recipient;
  return { id, type, name, email };
}

/** The masked form ****XXXX. */
function maskNumber(number: string): string {
  return `****${number.slice(-4)}`;
}
