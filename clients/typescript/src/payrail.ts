// The client of a business, and the same on behalf of one of its end users.

import { Api, type CallOptions } from "./api.ts";
import type { Endpoint, ListEndpoint } from "./endpoint.ts";
import type { Connection } from "./exchange.ts";
import type { List } from "./list.ts";
import { ApiClients } from "./resources/api-clients.ts";
import { ApplicationTokens } from "./resources/application-tokens.ts";
import { Checkout } from "./resources/checkout.ts";
import { CollectionAccounts } from "./resources/collection-accounts.ts";
import { Entities } from "./resources/entities.ts";
import { Events } from "./resources/events.ts";
import { Ledger } from "./resources/ledger.ts";
import { Limits } from "./resources/limits.ts";
import { LinkedAccounts, OwnLinkedAccounts } from "./resources/linked-accounts.ts";
import { PaymentLinks } from "./resources/payment-links.ts";
import { Payments } from "./resources/payments.ts";
import { Payouts } from "./resources/payouts.ts";
import { Reports } from "./resources/reports.ts";
import { Sandbox } from "./resources/sandbox.ts";
import { Subscriptions } from "./resources/subscriptions.ts";
import { Transactions } from "./resources/transactions.ts";
import { Transfers } from "./resources/transfers.ts";
import { Wallets } from "./resources/wallets.ts";
import { Webhooks } from "./resources/webhooks.ts";
import { Withdrawals } from "./resources/withdrawals.ts";
import { type Credentials, fixedToken, issuedTokens, type Tokens } from "./tokens.ts";

const TIMEOUT_MS = 30_000;
const RETRIES = 4;

interface ConnectionOptions {
  /** The address of payrail, such as `https://api.example.com`. */
  baseUrl: string;
  /** The limit of each attempt, in ms; 30,000 by default. */
  timeoutMs?: number;
  /** The greatest number of attempts of a call after the first one; 4 by default. */
  retries?: number;
  /** The function that sends requests; by default the global `fetch`. */
  fetch?: typeof fetch;
}

/** The credentials of an API client, or an access token that you renew yourself. */
export type PayrailOptions = ConnectionOptions & (Credentials | { token: string });

/** The API of payrail on behalf of an end user. */
export class EndUser {
  readonly withdrawals: Withdrawals;
  readonly wallets: Pick<Wallets, "own">;
  readonly linkedAccounts: OwnLinkedAccounts;
  readonly paymentLinks: Pick<PaymentLinks, "create">;

  constructor(api: Api) {
    this.withdrawals = new Withdrawals(api);
    this.wallets = new Wallets(api);
    this.linkedAccounts = new OwnLinkedAccounts(api);
    this.paymentLinks = new PaymentLinks(api);
  }
}

/**
 * The API of payrail for a business. A call rejects with PayrailError, or with the reason of its
 * signal. Amounts are decimals in the currency's major unit; times are in ISO 8601.
 */
export class Payrail {
  readonly apiClients: ApiClients;
  readonly applicationTokens: ApplicationTokens;
  readonly checkout: Checkout;
  readonly collectionAccounts: CollectionAccounts;
  readonly entities: Entities;
  readonly events: Events;
  readonly ledger: Ledger;
  readonly linkedAccounts: LinkedAccounts;
  readonly limits: Limits;
  readonly paymentLinks: PaymentLinks;
  readonly payments: Payments;
  readonly payouts: Payouts;
  readonly reports: Reports;
  readonly sandbox: Sandbox;
  readonly subscriptions: Subscriptions;
  readonly transactions: Transactions;
  readonly transfers: Transfers;
  readonly wallets: Wallets;
  readonly webhooks: Webhooks;
  /** Payouts from the business's own wallet; `as(userId).withdrawals` pays from an end user's. */
  readonly withdrawals: Withdrawals;

  readonly #api: Api;
  readonly #connection: Connection;
  readonly #tokensOf: (subject?: string) => Tokens;

  /** @throws TypeError if `baseUrl` is not a URL */
  constructor(options: PayrailOptions) {
    const { baseUrl, timeoutMs = TIMEOUT_MS, retries = RETRIES } = options;
    this.#connection = {
      baseUrl: new URL(baseUrl).href.replace(/\/+$/, ""),
      fetch: options.fetch ?? fetch,
      timeoutMs,
      retries,
    };
    this.#tokensOf =
      "token" in options ? onlyToken(options.token) : issuedTokens(this.#connection, options);
    const api = new Api(this.#connection, this.#tokensOf());
    this.#api = api;
    this.apiClients = new ApiClients(api);
    this.applicationTokens = new ApplicationTokens(api);
    this.checkout = new Checkout(api);
    this.collectionAccounts = new CollectionAccounts(api);
    this.entities = new Entities(api);
    this.events = new Events(api);
    this.ledger = new Ledger(api);
    this.linkedAccounts = new LinkedAccounts(api);
    this.limits = new Limits(api);
    this.paymentLinks = new PaymentLinks(api);
    this.payments = new Payments(api);
    this.payouts = new Payouts(api);
    this.reports = new Reports(api);
    this.sandbox = new Sandbox(api);
    this.subscriptions = new Subscriptions(api);
    this.transactions = new Transactions(api);
    this.transfers = new Transfers(api);
    this.wallets = new Wallets(api);
    this.webhooks = new Webhooks(api);
    this.withdrawals = new Withdrawals(api);
  }

  /**
   * Reads a path that this client has no method for: `get("/v1/business/{businessId}")`. The client
   * fills `businessId` in; the other parameters are those of the path and the query.
   * @returns the `data` of the answer
   * @throws PayrailError
   */
  get(path: string, params: Record<string, string> = {}, options?: CallOptions): Promise<unknown> {
    return this.#api.call(`GET ${path}` as Endpoint, params, options);
  }

  /** Reads the list at such a path page by page. */
  list(
    path: string,
    params: Record<string, string> = {},
    options?: CallOptions,
  ): List<Record<string, unknown>> {
    const found: unknown = this.#api.list(`GET ${path}` as ListEndpoint, params, options);
    return found as List<Record<string, unknown>>;
  }

  /**
   * The API on behalf of an end user. Its calls use access tokens for this user alone.
   * @param userId the id of the end user's entity
   * @throws TypeError if the client has a token in place of credentials, because only credentials
   *   get tokens for end users
   */
  as(userId: string): EndUser {
    return new EndUser(new Api(this.#connection, this.#tokensOf(userId)));
  }
}

function onlyToken(token: string) {
  return (subject?: string): Tokens => {
    if (subject === undefined) return fixedToken(token);
    throw new TypeError("as(userId) needs clientId and clientSecret");
  };
}
