// A business in the cluster under test, with customers that withdraw and one that pays.

import { randomInt, randomUUID } from "node:crypto";
import { ask, succeed, tokenOf } from "./http.ts";

const CUSTOMERS = 8;
const FUNDS = 100_000;

export interface Customer {
  token: string;
  walletId: string;
  accountId: string;
}

export interface Shop {
  businessId: string;
  token: string;
  customers: Customer[];
}

/** @param hook the URL at which the shop receives events */
export async function openShop(hook: string): Promise<Shop> {
  const admin = tokenOf("admin", randomUUID());
  const business = { name: "Acme", email: "acme@example.com" };
  const { id: businessId } = await succeed("POST", "/v1/admin/businesses", {
    token: admin,
    body: business,
  });
  const token = tokenOf("merchant", businessId);
  const root = `/v1/business/${businessId}`;
  await succeed("POST", `${root}/webhooks`, { token, body: { url: hook } });
  await succeed("POST", `${root}/collection-accounts`, { token, body: { currency: "USD" } });
  const customers: Customer[] = [];
  while (customers.length < CUSTOMERS) customers.push(await addCustomer(root, token));
  return { businessId, token, customers };
}

async function addCustomer(root: string, token: string): Promise<Customer> {
  const make = async (path: string, body: object) =>
    (await succeed("POST", `${root}${path}`, { token, body })).id as string;
  const entityId = await make("/entities", { email: `${randomUUID()}@example.com` });
  const walletId = await make("/wallets", { entityId, currency: "USD" });
  await make(`/wallets/${walletId}/fund`, { amount: FUNDS, reference: randomUUID() });
  const data = {
    firstName: "Ada",
    lastName: "Lovelace",
    email: "ada@example.com",
    bankName: "First Bank",
    accountNumber: `${randomInt(10_000_000, 99_999_999)}6789`,
    routingNumber: "021000021",
    accountType: "CHECKING",
    recipientAddress: "1 Main St",
    recipientCity: "New York",
    recipientState: "NY",
    recipientPostalCode: "10001",
  };
  const accountId = await make("/linked-accounts/USD", { optionType: "bank", walletId, data });
  return { token: tokenOf("user", entityId), walletId, accountId };
}

export function withdraw({ token, accountId }: Customer, reason: string) {
  const body = { amount: 1, walletType: "SPEND", reason, routingType: "ACH" };
  return ask("POST", `/v1/ext/linked-accounts/USD/${accountId}/withdrawal`, { token, body });
}

/** Pays a new link with a card of the sandbox. @returns the payment's status */
export async function pay({ token }: Shop): Promise<string> {
  const link = {
    currency: "USD",
    amount: 25,
    name: "Spring sale",
    itemDeliveryAddress: "1 Main St, New York",
    cartItems: [{ name: "Tulips", description: "A dozen, red" }],
  };
  const made = await succeed("POST", "/v1/ext/collections/payment-link", { token, body: link });
  const number = "4242424242424242";
  const card = { number, expMonth: 12, expYear: new Date().getUTCFullYear() + 5, cvc: "123" };
  const { token: cardToken } = await succeed("POST", "/v1/sandbox/card-tokens", { body: card });
  const customer = {
    email: "ada@example.com",
    firstName: "Ada",
    lastName: "L",
    phone: "+1 555 0100",
  };
  const body = { customer, paymentMethod: { type: "card", token: cardToken } };
  const paid = await succeed("POST", `/v1/checkout/${made.application.token}/payments`, { body });
  return paid.status;
}

export interface Transaction {
  id: string;
  status: string;
  /** With the fee. */
  amount: string;
  walletId: string;
  reason: string | null;
}

/** All withdrawals of the shop. */
export async function withdrawals({ businessId, token }: Shop): Promise<Transaction[]> {
  const found: Transaction[] = [];
  for (let cursor = ""; ; ) {
    const query = `?flow=PAYOUT&limit=100${cursor && `&cursor=${cursor}`}`;
    const path = `/v1/business/${businessId}/transactions${query}`;
    const { text } = await ask("GET", path, { token });
    const { data, meta } = JSON.parse(text);
    found.push(...data);
    if (!meta.nextCursor) return found;
    cursor = meta.nextCursor;
  }
}

const minor = (decimal: string) => Math.round(Number(decimal) * 100);

/** The wallets with a wrong balance: a balance is the funds minus the withdrawals. */
export async function wrongBalances(shop: Shop, made: Transaction[]): Promise<string[]> {
  const { businessId, token, customers } = shop;
  const wrong: string[] = [];
  for (const { walletId } of customers) {
    const own = made.filter((one) => one.walletId === walletId && one.status === "SUCCESS");
    const out = own.reduce((sum, { amount }) => sum + minor(amount), 0);
    const path = `/v1/business/${businessId}/wallets/${walletId}`;
    const { balance } = await succeed("GET", path, { token });
    const expected = FUNDS * 100 - out;
    if (minor(balance) !== expected)
      wrong.push(`${walletId} has ${balance}, not ${expected / 100}`);
  }
  return wrong;
}
