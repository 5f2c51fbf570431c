import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Item, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const CREATE = "POST /v1/ext/collections/payment-link";
const LIST = "GET /v1/business/{businessId}/payment-links";
const GET = "GET /v1/business/{businessId}/payment-links/{id}";
const DISABLE = "POST /v1/business/{businessId}/payment-links/{id}/disable";

/** `url` is what customers open; `application` has the link's id and the token in its URL. */
export type CreatedPaymentLink = Data<typeof CREATE>;
export type PaymentLink = Data<typeof GET>;
export type ListedPaymentLink = Item<typeof LIST>;

/** Links at which customers pay once, or subscribe. */
export class PaymentLinks {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Creates a link; open a collection account in the currency first. */
  create(params: Params<typeof CREATE>, options?: WriteOptions): Promise<CreatedPaymentLink> {
    return this.#api.call(CREATE, params, options);
  }

  get(id: string, options?: CallOptions): Promise<PaymentLink> {
    return this.#api.call(GET, { id }, options);
  }

  list(filter: Params<typeof LIST> = {}, options?: CallOptions): List<ListedPaymentLink> {
    return this.#api.list(LIST, filter, options);
  }

  /** For good. */
  disable(id: string, options?: WriteOptions): Promise<PaymentLink> {
    return this.#api.call(DISABLE, { id }, options);
  }
}
