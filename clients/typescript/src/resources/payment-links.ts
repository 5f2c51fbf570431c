import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Item, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const CREATE = "/v1/ext/collections/payment-link";
const ALL = "/v1/business/{businessId}/payment-links";
const ONE = "/v1/business/{businessId}/payment-links/{id}";
const DISABLE = "/v1/business/{businessId}/payment-links/{id}/disable";

/** `url` is what customers open; `application` has the link's id and the token in its URL. */
export type CreatedPaymentLink = Data<"post", typeof CREATE>;
export type PaymentLink = Data<"get", typeof ONE>;
export type ListedPaymentLink = Item<typeof ALL>;

/** Links at which customers pay once, or subscribe. */
export class PaymentLinks {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Creates a link; open a collection account in the currency first. */
  create(
    params: Params<"post", typeof CREATE>,
    options?: WriteOptions,
  ): Promise<CreatedPaymentLink> {
    return this.#api.post(CREATE, params, options);
  }

  get(id: string, options?: CallOptions): Promise<PaymentLink> {
    return this.#api.get(ONE, { id }, options);
  }

  list(filter: Params<"get", typeof ALL> = {}, options?: CallOptions): List<ListedPaymentLink> {
    return this.#api.list(ALL, filter, options);
  }

  /** For good. */
  disable(id: string, options?: WriteOptions): Promise<PaymentLink> {
    return this.#api.post(DISABLE, { id }, options);
  }
}
