// A world for tests: all services and the gateway on a free port, a database of its own, and
// builders that set it up over HTTP as a merchant does.
//
//   const world = await startWorld();                       // { environment?, overNats? }
//   const business = await world.business();               // { id, token, clientId, clientSecret }
//   const user = await world.user(business);                // { id, token, email }
//   const payer = await world.payer(100);   // { business, user, wallet }, all new, with 100.00
//   const wallet = await world.wallet(business, user, 100); // funded with 100.00
//   const bank = await world.bank(business, wallet, "0008"); // last four decide at the sandbox
//   const card = await world.card(business, wallet);           // anything else succeeds
//   const link = await world.paymentLink(business);         // { id, token, url }, over 25.00
//   const paid = await world.pay(link, await world.cardToken("0002"));   // last four decide
//   const plan = await world.recurringLink(business, { recurringCharge: { type: "seating" } });
//   const set = await world.setup(plan, await world.cardToken());        // an answer, as pay's
//   await world.testClock(business, "2030-02-01");          // bills up to that moment
//   const hook = await world.hook(business);                // { id, secret, url, received: [...] }
//   const answer = await world.withdraw(user, bank, { amount: 25, routingType: "RTP" });
//   await world.status(business, answer.body.data.id, "SUCCESS");   // waits for that status
//   await world.balance(business, wallet);                  // "74.50"
//   await world.verifyBooks();                              // in every test that moves money
//   await world.stop();
//
// Also `http` (every answer is checked against the OpenAPI document), `tokens`, and all of System
// (config, brokers, call). The withdrawal limit is off unless the environment sets it.

import { randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import passesLuhn from "fast-luhn";
import type { Service } from "moleculer";
import mongoose from "mongoose";
import accounts from "../../services/accounts/accounts.service.ts";
import gateway from "../../services/gateway/gateway.service.ts";
import type { Route } from "../../services/gateway/http/route.ts";
import { createReadiness } from "../../services/gateway/readiness.ts";
import { routes } from "../../services/gateway/routes/routes.ts";
import paymentLinks from "../../services/payment-links/payment-links.service.ts";
import type { Environment as PayoutsEnvironment } from "../../services/payouts/deps.ts";
import payouts from "../../services/payouts/payouts.service.ts";
import walletLedger from "../../services/wallet-ledger/wallet-ledger.service.ts";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import { type Clock, systemClock } from "../../shared/clock.ts";
import type { Config } from "../../shared/config/config.ts";
import { verify } from "../../tools/verify/verify.ts";
import { type Answer, type Http, httpClient, tokenMaker } from "./http.ts";
import { keptHead } from "./kept-head.ts";
import { type System, startSystem, until } from "./system.ts";

export interface TestBusiness {
  id: string;
  token: string;
  clientId: string;
  clientSecret: string;
}

export interface TestUser {
  id: string;
  token: string;
  email: string;
}

export interface TestWallet {
  id: string;
  currency: string;
}

export interface TestAccount {
  id: string;
  currency: string;
}

export interface TestLink {
  id: string;
  /** The secret in its URL. */
  token: string;
  url: string;
}

export interface ReceivedEvent {
  headers: IncomingHttpHeaders;
  /** The body as sent, for signatures. */
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of every shape
  body: any;
}

export interface TestHook {
  id: string;
  secret: string;
  url: string;
  received: ReceivedEvent[];
  /** Sets the receiver's answers from now on; 200 at first. */
  answerWith(status: number): void;
}

export type World = Awaited<ReturnType<typeof startWorld>>;

interface WorldOptions {
  environment?: Record<string, string>;
  /** Gives each service its own broker. */
  overNats?: boolean;
  extraRoutes?: Route[];
  /** Whether erasures find nothing under way, so that they need not wait. */
  erasesAtOnce?: boolean;
  /** Replaces the clock of accounts. */
  accountsClock?: Clock;
  /** Replacements of parts of the payouts service; one process per entry, one by default. */
  payoutsInstead?: Partial<
    Pick<PayoutsEnvironment, "clock" | "rails" | "screening" | "unsubmittedAtMost" | "reached">
  >[];
  /** The same for webhooks. */
  webhooksInstead?: WebhooksInstead[];
  /** The same for the payment-links service. */
  paymentLinksInstead?: PaymentLinksInstead[];
}

type WebhooksInstead = Parameters<typeof webhooks>[1];
type PaymentLinksInstead = Parameters<typeof paymentLinks>[1];

/** The system's clock, without its waits. */
const SLEEPLESS: Clock = { ...systemClock, sleep: async () => {} };

/** Starts all services; the comment at the top of this file describes the builders. */
export async function startWorld({
  environment = {},
  overNats = false,
  extraRoutes = [],
  erasesAtOnce = false,
  accountsClock: clock = erasesAtOnce ? SLEEPLESS : systemClock,
  payoutsInstead = [{}],
  webhooksInstead = [{}],
  paymentLinksInstead = [{}],
}: WorldOptions = {}) {
  const system = await startSystem(
    [
      walletLedger,
      (config: Config) => accounts(config, { clock }),
      ...webhooksInstead.map((instead) => (config: Config) => webhooks(config, instead)),
      ...payoutsInstead.map((instead) => (config: Config) => payouts(config, instead)),
      ...paymentLinksInstead.map((instead) => (config: Config) => paymentLinks(config, instead)),
      (config) => {
        const readiness = createReadiness();
        const table = [...routes(config, readiness), ...extraRoutes];
        return gateway({ ...config, port: 0 }, { readiness, table });
      },
    ],
    { WITHDRAWAL_LIMIT: "off", ...environment },
    { overNats },
  );
  // The routes, and so the document, depend on nothing else.
  const document = extraRoutes.length === 0 ? `sandbox: ${system.config.sandbox}` : undefined;
  const http = await httpClient(gatewayPort(system), document);
  const { close, ...builders } = buildersOver(system, http);
  return {
    ...system,
    ...builders,
    async stop(): Promise<void> {
      close();
      await system.stop();
    },
  };
}

export type Builders = Omit<ReturnType<typeof buildersOver>, "close">;

/** The builders for any running gateway. */
export function buildersOver(system: Pick<System, "config">, http: Http) {
  const tokens = tokenMaker(system.config);
  const closers = [() => http.close()];

  return {
    ...moneyBuilders(system, http),
    ...accountBuilders(http),
    http,
    tokens,
    hook: hookBuilder(http, closers),

    async business(): Promise<TestBusiness> {
      const admin = tokens.admin(randomUUID());
      const fields = { name: "Acme", email: `acme-${randomUUID()}@example.com` };
      const answer = await http.post("/v1/admin/businesses", fields, { token: admin });
      const { id, clientId, clientSecret } = dataOf(answer, 201);
      return { id, clientId, clientSecret, token: tokens.merchant(id) };
    },

    async user(
      business: TestBusiness,
      fields: { email?: string; externalIdentifier?: string } = {},
    ): Promise<TestUser> {
      const body = { email: `user-${randomUUID()}@example.com`, ...fields };
      const path = `/v1/business/${business.id}/entities`;
      const answer = await http.post(path, body, { token: business.token });
      const { id, email } = dataOf(answer, 201);
      return { id, email, token: tokens.user(id) };
    },

    /** A user of a new business, with a wallet that has `amount` major units. */
    async payer(amount = 0, fields: { externalIdentifier?: string } = {}) {
      const business = await this.business();
      const user = await this.user(business, fields);
      return { business, user, wallet: await this.wallet(business, user, amount) };
    },

    /** Closes the client and the receivers. */
    close(): void {
      for (const close of closers) close();
    },
  };
}

/** The port of a system's gateway. */
function gatewayPort({ brokers }: System): number {
  const services = brokers.flatMap((broker) => broker.services);
  const found: unknown = services.find(({ name }) => name === "gateway");
  return (found as Service<{ port: number }>).settings.port;
}

/** The data of an answer, which must have that status. */
// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
export function dataOf({ status, body, text }: Answer, expected: number): any {
  if (status !== expected) throw new Error(`Expected ${expected}, got ${status}: ${text}`);
  return body.data;
}

function moneyBuilders(system: Pick<System, "config">, http: Http) {
  const wallets = (business: TestBusiness) => `/v1/business/${business.id}/wallets`;
  const atCheckout =
    (resource: "payments" | "setup") =>
    (
      link: { token: string },
      cardToken: string,
      body: Record<string, unknown> = {},
      headers: Record<string, string> = {},
    ): Promise<Answer> => {
      const whole = { ...paymentBody(cardToken), ...body };
      return http.post(`/v1/checkout/${link.token}/${resource}`, whole, { headers });
    };

  return {
    /** A wallet of an entity (a user, or the business itself), funded with `amount` major units. */
    async wallet(
      business: TestBusiness,
      owner: { id: string },
      amount = 0,
      currency = "USD",
    ): Promise<TestWallet> {
      const { token } = business;
      const body = { entityId: owner.id, currency };
      const answer = await http.post(wallets(business), body, { token });
      const { id } = dataOf(answer, answer.status === 200 ? 200 : 201);
      if (amount > 0) {
        const funding = { amount, reference: randomUUID() };
        dataOf(await http.post(`${wallets(business)}/${id}/fund`, funding, { token }), 201);
      }
      return { id, currency };
    },

    /** The collection account of a business, funded by a customer's payment of that amount. */
    async collectionAccount(business: TestBusiness, amount = 0, currency = "USD"): Promise<string> {
      const { token } = business;
      const path = `/v1/business/${business.id}/collection-accounts`;
      const answer = await http.post(path, { currency }, { token });
      const { id } = dataOf(answer, answer.status === 200 ? 200 : 201);
      if (amount > 0) {
        const link = await this.paymentLink(business, { amount, currency });
        const { status } = dataOf(await this.pay(link, await this.cardToken()), 200);
        if (status !== "SUCCEEDED") throw new Error(`The payment of ${amount} is ${status}`);
      }
      return id;
    },

    /** A payment link of a business, which also opens the collection account. */
    async paymentLink(
      business: TestBusiness,
      fields: Record<string, unknown> = {},
    ): Promise<TestLink> {
      const { token } = business;
      const body = linkBody(fields);
      const path = `/v1/business/${business.id}/collection-accounts`;
      await http.post(path, { currency: body.currency }, { token });
      const answer = await http.post("/v1/ext/collections/payment-link", body, { token });
      const { url, application } = dataOf(answer, 200);
      return { id: application.id, token: application.token, url };
    },

    /** A card in the sandbox's vault; its last four digits decide the acquirer's answers. */
    async cardToken(lastFour = "4242"): Promise<string> {
      const body = { number: cardNumber(lastFour), expMonth: 12, expYear: 2099, cvc: "123" };
      return dataOf(await http.post("/v1/sandbox/card-tokens", body), 201).token;
    },

    /** Pays a link with a card of the vault; the test checks the answer. */
    pay: atCheckout("payments"),

    /**
     * A recurring link of a business: 25.00 a month from 2030 on, with the fee deducted from it.
     * `recurringCharge` replaces parts of the charge; the details of its type have defaults.
     */
    async recurringLink(
      business: TestBusiness,
      { recurringCharge = {}, ...fields }: RecurringFields = {},
    ): Promise<TestLink> {
      return this.paymentLink(business, {
        checkoutType: "recurring",
        customerPays: false,
        expiredAt: "2999-01-01T00:00:00.000Z",
        ...fields,
        recurringCharge: chargeBody(recurringCharge),
      });
    },

    /** Saves a card of the vault at a recurring link, or at the link of a payment method. */
    setup: atCheckout("setup"),

    /** A subscription to a new recurring link, with a card chosen by its last four digits. */
    async subscription(
      business: TestBusiness,
      fields: RecurringFields = {},
      lastFour = "4242",
    ): Promise<string> {
      const link = await this.recurringLink(business, fields);
      const answer = await this.setup(link, await this.cardToken(lastFour));
      return dataOf(answer, 200).subscriptionId;
    },

    /** Sets the business's test clock; when it answers, everything up to that moment is billed. */
    async testClock(business: TestBusiness, now: string | number): Promise<void> {
      const { id, token } = business;
      const body = { now: new Date(now).toISOString() };
      dataOf(await http.post(`/v1/business/${id}/test-clock`, body, { token }), 200);
    },

    /** The answer to GET of the path below a subscription; the subscription itself by default. */
    async ofSubscription(business: TestBusiness, subscriptionId: string, path = "") {
      const { id, token } = business;
      const whole = `/v1/business/${id}/subscriptions/${subscriptionId}${path}`;
      return dataOf(await http.get(whole, { token }), 200);
    },

    /** Posts to the path below a subscription; the test checks the answer. */
    toSubscription(
      business: TestBusiness,
      subscriptionId: string,
      path: "usage" | "seats" | "cancel" | "payment-method-link",
      body?: object,
    ): Promise<Answer> {
      const { id, token } = business;
      const whole = `/v1/business/${id}/subscriptions/${subscriptionId}/${path}`;
      return http.post(whole, body, { token });
    },

    /** The balance of a wallet or a collection account. */
    async balance(business: TestBusiness, account: { id: string }): Promise<string> {
      const { token } = business;
      const collected = await http.get(`/v1/business/${business.id}/collection-accounts`, {
        token,
      });
      const found = dataOf(collected, 200).find(({ id }: { id: string }) => id === account.id);
      if (found) return found.balance;
      const answer = await http.get(`${wallets(business)}/${account.id}`, { token });
      return dataOf(answer, 200).balance;
    },

    /** Sends a withdrawal; the test checks the answer. */
    withdraw(
      user: { token: string },
      account: TestAccount,
      body: Record<string, unknown> = {},
      headers: Record<string, string> = {},
    ): Promise<Answer> {
      const path = `/v1/ext/linked-accounts/${account.currency}/${account.id}/withdrawal`;
      const whole = { amount: 25, walletType: "SPEND", reason: "Payout", ...body };
      return http.post(path, whole, { token: user.token, headers });
    },

    /** Waits until the transaction has that status, and returns it. */
    status(business: TestBusiness, transactionId: string, status: string) {
      const { token } = business;
      const ask = () => http.get(`/v1/transactions/${transactionId}`, { token });
      const probe = async () => {
        const transaction = dataOf(await ask(), 200);
        return transaction.status === status && transaction;
      };
      return until(probe, { awaited: `${transactionId} at ${status}` });
    },

    /** Checks that the books are right; a failure shows the violations. */
    /** @param heads signed heads of the ledger, which the books have to agree with */
    async verifyBooks(heads: string[] = []): Promise<void> {
      const url = system.config.mongoUrl as string;
      const connection = await mongoose.createConnection(url, { autoIndex: false }).asPromise();
      try {
        const { ok, violations } = await verify(connection, { heads: heads.map(keptHead) });
        if (!ok) throw new Error(`The books are wrong: ${JSON.stringify(violations)}`);
      } finally {
        await connection.close();
      }
    },
  };
}

/** The body of 4.4: a valid one-time link over 25.00. */
export function linkBody(fields: Record<string, unknown> = {}) {
  return {
    currency: "USD",
    amount: 25,
    itemDeliveryAddress: "1 Main St, New York",
    cartItems: [{ name: "Tulips", description: "A dozen, red" }],
    ...fields,
  };
}

interface RecurringFields {
  recurringCharge?: Record<string, unknown>;
  [field: string]: unknown;
}

/** The `recurringCharge` of 4.4: valid, from 2030-01-01 on, every month. */
export function chargeBody(charge: Record<string, unknown> = {}) {
  const { type = "subscription" } = charge;
  return {
    type,
    startDate: "2030-01-01T00:00:00.000Z",
    interval: { type: "month", count: 1 },
    ...(type === "consumption" && {
      consumptionDetails: {
        unit: "API call",
        costPerUnit: 0.0125,
        minimumUnits: 1000,
        baseFee: 10,
      },
    }),
    ...(type === "seating" && {
      seatDetails: { baseFee: 10, costPerSeat: 5, newSeatBillingType: "prorate" },
    }),
    ...charge,
  };
}

/** The body of a customer's payment. */
export function paymentBody(cardToken: string) {
  return {
    customer: {
      email: "ada@example.com",
      firstName: "Ada",
      lastName: "Lovelace",
      phone: "+1 555 0100",
    },
    paymentMethod: { type: "card", token: cardToken },
  };
}

/** A card number with these last four digits that passes Luhn's check. */
export function cardNumber(lastFour: string): string {
  const numbers = [...Array(10).keys()].map((digit) => `42424242424${digit}${lastFour}`);
  return numbers.find(passesLuhn) as string;
}

/** The body of 4.6: valid, with a new account each time. */
export function internationalBody(data: Record<string, unknown> = {}) {
  return {
    label: "Main account",
    data: {
      recipientType: "personal",
      firstName: "Ada",
      lastName: "Lovelace",
      email: "ada@example.com",
      accountNumber: `${uniqueDigits(12)}6789`,
      swiftOrBic: "CHASUS33",
      bankName: "Chase",
      recipientAddress: "1 Main St",
      recipientCity: "New York",
      recipientState: "NY",
      recipientCountry: "US",
      recipientPostalCode: "10001",
      ...data,
    },
  };
}

function accountBuilders(http: Http) {
  async function link(business: TestBusiness, wallet: TestWallet, body: object) {
    const path = `/v1/business/${business.id}/linked-accounts/${wallet.currency}`;
    const whole = { walletId: wallet.id, ...body };
    const { id } = dataOf(await http.post(path, whole, { token: business.token }), 201);
    return { id, currency: wallet.currency };
  }

  return {
    /** An application token of an entity, as shown once. */
    async applicationToken(
      business: TestBusiness,
      owner: { id: string },
      fields: Record<string, unknown> = {},
    ): Promise<string> {
      const path = `/v1/business/${business.id}/application-tokens`;
      const body = { tokenType: "ACCOUNT", entityId: owner.id, currency: "USD", ...fields };
      return dataOf(await http.post(path, body, { token: business.token }), 201).token;
    },

    /** Sends a body of 4.6; the test checks the answer. */
    linkInternational(
      bearer: { token: string },
      applicationToken: string,
      body: unknown = internationalBody(),
      { currency = "USD", step = "1" } = {},
    ): Promise<Answer> {
      const end = `linked-accounts/${currency}/link/international_bank/${step}`;
      const path = `/v1/ext/application-token/${applicationToken}/${end}`;
      return http.post(path, body, { token: bearer.token });
    },

    /** A bank account with these last four digits, which decide the sandbox rail's answers. */
    bank(
      business: TestBusiness,
      wallet: TestWallet,
      lastFour = "6789",
      fields: Record<string, unknown> = {},
    ): Promise<TestAccount> {
      const data = {
        firstName: "Ada",
        lastName: "Lovelace",
        email: "ada@example.com",
        bankName: "First Bank",
        accountNumber: `${uniqueDigits(8)}${lastFour}`,
        routingNumber: "021000021",
        accountType: "CHECKING",
        recipientAddress: "1 Main St",
        recipientCity: "New York",
        recipientState: "NY",
        recipientPostalCode: "10001",
        ...fields,
      };
      return link(business, wallet, { optionType: "bank", data });
    },

    /** A card or prepaid card with these last four digits. */
    card(
      business: TestBusiness,
      wallet: TestWallet,
      lastFour = "4242",
      optionType: "card" | "prepaid_card" = "card",
    ): Promise<TestAccount> {
      const data = {
        name: "Ada Lovelace",
        email: "ada@example.com",
        encryptedCardNumber: `vault_${randomUUID()}`,
        lastFourDigits: lastFour,
        cardBrand: "Visa",
        cardType: "debit",
        cardExpirationDate: "12/40",
      };
      return link(business, wallet, { optionType, data });
    },
  };
}

let digits = 10_000_000;

function uniqueDigits(length: number): string {
  digits += 1;
  return String(digits).padStart(length, "0");
}

/** A local receiver, registered as a webhook endpoint of a business. */
function hookBuilder(http: Http, closers: (() => void)[]) {
  return async (
    business: TestBusiness,
    fields: { eventTypes?: string[] } = {},
  ): Promise<TestHook> => {
    const received: ReceivedEvent[] = [];
    let status = 200;
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        received.push({ headers: request.headers, text, body: JSON.parse(text) });
        response.writeHead(status).end();
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    closers.push(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const path = `/v1/business/${business.id}/webhooks`;
    const answer = await http.post(path, { url, ...fields }, { token: business.token });
    const { id, secret } = dataOf(answer, 201);
    const answerWith = (next: number) => {
      status = next;
    };
    return { id, secret, url, received, answerWith };
  };
}
