import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Item, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const LIST = "GET /v1/business/{businessId}/subscriptions";
const GET = "GET /v1/business/{businessId}/subscriptions/{id}";
const INVOICES = "GET /v1/business/{businessId}/subscriptions/{id}/invoices";
const INVOICE = "GET /v1/business/{businessId}/subscriptions/{id}/invoices/{invoiceId}";
const PREVIEW = "GET /v1/business/{businessId}/subscriptions/{id}/preview";
const RECORD_USAGE = "POST /v1/business/{businessId}/subscriptions/{id}/usage";
const USAGE = "GET /v1/business/{businessId}/subscriptions/{id}/usage";
const SEATS = "POST /v1/business/{businessId}/subscriptions/{id}/seats";
const CANCEL = "POST /v1/business/{businessId}/subscriptions/{id}/cancel";
const CARD_LINK = "POST /v1/business/{businessId}/subscriptions/{id}/payment-method-link";

export type Subscription = Data<typeof GET>;
export type Invoice = Data<typeof INVOICE>;
export type ListedInvoice = Item<typeof INVOICES>;
export type InvoicePreview = Data<typeof PREVIEW>;
export type UsageRecord = Data<typeof RECORD_USAGE>;
export type PaymentMethodLink = Data<typeof CARD_LINK>;

/** Subscriptions of customers. A subscription begins when a customer saves a card at its link. */
export class Subscriptions {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  get(id: string, options?: CallOptions): Promise<Subscription> {
    return this.#api.call(GET, { id }, options);
  }

  list(filter: Params<typeof LIST> = {}, options?: CallOptions): List<Subscription> {
    return this.#api.list(LIST, filter, options);
  }

  /** Records used units. payrail counts each `reference` of a subscription once. */
  recordUsage(params: Params<typeof RECORD_USAGE>, options?: WriteOptions): Promise<UsageRecord> {
    return this.#api.call(RECORD_USAGE, params, options);
  }

  /** The recorded usage of a subscription. */
  usage(id: string, options?: CallOptions): List<UsageRecord> {
    return this.#api.list(USAGE, { id }, options);
  }

  /** Changes the number of seats. */
  setSeats(params: Params<typeof SEATS>, options?: WriteOptions): Promise<Subscription> {
    return this.#api.call(SEATS, params, options);
  }

  /** Cancels a subscription, immediately or at the end of its period. */
  cancel(params: Params<typeof CANCEL>, options?: WriteOptions): Promise<Subscription> {
    return this.#api.call(CANCEL, params, options);
  }

  invoices(id: string, options?: CallOptions): List<ListedInvoice> {
    return this.#api.list(INVOICES, { id }, options);
  }

  invoice(params: Params<typeof INVOICE>, options?: CallOptions): Promise<Invoice> {
    return this.#api.call(INVOICE, params, options);
  }

  /**
   * The next invoice, from the usage and the seats that are recorded so far.
   * @throws PayrailError `no_next_invoice` and others
   */
  preview(id: string, options?: CallOptions): Promise<InvoicePreview> {
    return this.#api.call(PREVIEW, { id }, options);
  }

  /** Creates a link at which the customer can replace the saved card once. */
  paymentMethodLink(id: string, options?: WriteOptions): Promise<PaymentMethodLink> {
    return this.#api.call(CARD_LINK, { id }, options);
  }
}
