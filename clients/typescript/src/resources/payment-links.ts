import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Item, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const CREATE = "POST /v1/ext/collections/payment-link";
const LIST = "GET /v1/business/{businessId}/payment-links";
const GET = "GET /v1/business/{businessId}/payment-links/{id}";
const DISABLE = "POST /v1/business/{businessId}/payment-links/{id}/disable";

/** A new link: customers open the `url`; `application` has the link's id and its token. */
export type CreatedPaymentLink = Data<typeof CREATE>;
export type PaymentLink = Data<typeof GET>;
export type ListedPaymentLink = Item<typeof LIST>;

/** Links at which customers pay once, or subscribe. */
export class PaymentLinks {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Creates a link. The business needs a collection account in the link's currency.
   * @throws PayrailError `no_collection_account` and others
   */
  create(params: Params<typeof CREATE>, options?: WriteOptions): Promise<CreatedPaymentLink> {
    return this.#api.call(CREATE, params, options);
  }

  get(id: string, options?: CallOptions): Promise<PaymentLink> {
    return this.#api.call(GET, { id }, options);
  }

  list(filter: Params<typeof LIST> = {}, options?: CallOptions): List<ListedPaymentLink> {
    return this.#api.list(LIST, filter, options);
  }

  /** Disables a link. It cannot be enabled again. */
  disable(id: string, options?: WriteOptions): Promise<PaymentLink> {
    return this.#api.call(DISABLE, { id }, options);
  }
}
