import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Item, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const ALL = "/v1/business/{businessId}/subscriptions";
const ONE = "/v1/business/{businessId}/subscriptions/{id}";
const INVOICES = "/v1/business/{businessId}/subscriptions/{id}/invoices";
const INVOICE = "/v1/business/{businessId}/subscriptions/{id}/invoices/{invoiceId}";
const PREVIEW = "/v1/business/{businessId}/subscriptions/{id}/preview";
const USAGE = "/v1/business/{businessId}/subscriptions/{id}/usage";
const SEATS = "/v1/business/{businessId}/subscriptions/{id}/seats";
const CANCEL = "/v1/business/{businessId}/subscriptions/{id}/cancel";
const CARD_LINK = "/v1/business/{businessId}/subscriptions/{id}/payment-method-link";

export type Subscription = Data<"get", typeof ONE>;
export type Invoice = Data<"get", typeof INVOICE>;
export type ListedInvoice = Item<typeof INVOICES>;
export type InvoicePreview = Data<"get", typeof PREVIEW>;
export type UsageRecord = Data<"post", typeof USAGE>;
export type PaymentMethodLink = Data<"post", typeof CARD_LINK>;

/** What customers pay period by period; one begins with a card saved at a recurring link. */
export class Subscriptions {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  get(id: string, options?: CallOptions): Promise<Subscription> {
    return this.#api.get(ONE, { id }, options);
  }

  list(filter: Params<"get", typeof ALL> = {}, options?: CallOptions): List<Subscription> {
    return this.#api.list(ALL, filter, options);
  }

  /** Records units that were used; the same `reference` counts once, for good. */
  recordUsage(params: Params<"post", typeof USAGE>, options?: WriteOptions): Promise<UsageRecord> {
    return this.#api.post(USAGE, params, options);
  }

  usage(id: string, options?: CallOptions): List<UsageRecord> {
    return this.#api.list(USAGE, { id }, options);
  }

  setSeats(params: Params<"post", typeof SEATS>, options?: WriteOptions): Promise<Subscription> {
    return this.#api.post(SEATS, params, options);
  }

  /** Now, or with the end of the period. */
  cancel(params: Params<"post", typeof CANCEL>, options?: WriteOptions): Promise<Subscription> {
    return this.#api.post(CANCEL, params, options);
  }

  invoices(id: string, options?: CallOptions): List<ListedInvoice> {
    return this.#api.list(INVOICES, { id }, options);
  }

  invoice(params: Params<"get", typeof INVOICE>, options?: CallOptions): Promise<Invoice> {
    return this.#api.get(INVOICE, params, options);
  }

  /** The next invoice, computed from what is known now. */
  preview(id: string, options?: CallOptions): Promise<InvoicePreview> {
    return this.#api.get(PREVIEW, { id }, options);
  }

  /** A link at which the customer saves another card, once. */
  paymentMethodLink(id: string, options?: WriteOptions): Promise<PaymentMethodLink> {
    return this.#api.post(CARD_LINK, { id }, options);
  }
}
