// Builders for the accounts service: a business, its end users, their wallets and accounts, each
// with the simplest valid values; a test sets only the fields that it is about.

import { randomInt } from "node:crypto";
import type { BankData, CardData } from "../../shared/contracts/account-data.ts";
import type { Params, Result } from "../../shared/contracts/contracts.ts";
import type { Currency } from "../../shared/money.ts";
import type { System } from "./system.ts";

export type Business = Result<"accounts.createBusiness">;

export function createBusiness(system: System): Promise<Business> {
  return system.call("accounts.createBusiness", { name: "Shop", email: "owner@shop.test" });
}

/** An end user with a wallet. */
export async function createUser(
  system: System,
  businessId: string,
  {
    currency = "USD",
    externalIdentifier,
  }: { currency?: Currency; externalIdentifier?: string } = {},
): Promise<{ id: string; walletId: string }> {
  const { id } = await system.call("accounts.createEntity", {
    businessId,
    email: "ada@users.test",
    externalIdentifier,
  });
  return { id, walletId: await openWallet(system, businessId, id, currency) };
}

export async function openWallet(
  system: System,
  businessId: string,
  entityId: string,
  currency: Currency = "USD",
): Promise<string> {
  const params = { businessId, entityId, currency };
  return (await system.call("wallet-ledger.openWallet", params)).wallet.id;
}

export function bankData(overrides: Partial<BankData> = {}): BankData {
  return {
    firstName: "Ada",
    lastName: "Lovelace",
    email: "ada@users.test",
    bankName: "First Bank",
    accountNumber: String(randomInt(10 ** 11, 10 ** 12)),
    routingNumber: "021000021",
    accountType: "CHECKING",
    recipientAddress: "1 Main St",
    recipientCity: "Springfield",
    recipientState: "IL",
    recipientPostalCode: "62701",
    ...overrides,
  };
}

export function cardData(overrides: Partial<CardData> = {}): CardData {
  return {
    name: "Ada Lovelace",
    email: "ada@users.test",
    encryptedCardNumber: `tok_${randomInt(10 ** 11, 10 ** 12)}`,
    lastFourDigits: "4242",
    cardBrand: "Visa",
    cardType: "debit",
    cardExpirationDate: `12/${(new Date().getUTCFullYear() + 3) % 100}`,
    ...overrides,
  };
}

/** Links a bank account; a test may replace its fields. */
export function linkAccount(
  system: System,
  account: Pick<Params<"accounts.linkAccount">, "businessId" | "walletId"> &
    Partial<Params<"accounts.linkAccount">>,
): Promise<Result<"accounts.linkAccount">> {
  const bank = { currency: "USD", optionType: "bank", data: bankData() } as const;
  return system.call("accounts.linkAccount", { ...bank, ...account });
}

/** An error of that type, with that message if one is given. */
export function failure(type: string, message?: string): Error {
  return expect.objectContaining({ type, ...(message !== undefined && { message }) }) as Error;
}
