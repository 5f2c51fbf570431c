import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Item, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const ALL = "/v1/business/{businessId}/payments";
const ONE = "/v1/business/{businessId}/payments/{id}";
const REFUNDS = "/v1/business/{businessId}/payments/{id}/refunds";

export type Payment = Data<"get", typeof ONE>;
export type ListedPayment = Item<typeof ALL>;
export type Refund = Data<"post", typeof REFUNDS>;

/** Payments of customers, at links and for subscriptions. */
export class Payments {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  get(id: string, options?: CallOptions): Promise<Payment> {
    return this.#api.get(ONE, { id }, options);
  }

  list(filter: Params<"get", typeof ALL> = {}, options?: CallOptions): List<ListedPayment> {
    return this.#api.list(ALL, filter, options);
  }

  /**
   * Refunds a payment, by default the rest of it.
   * @param params the same `reference` of a payment refunds once, for good
   */
  refund(params: Params<"post", typeof REFUNDS>, options?: WriteOptions): Promise<Refund> {
    return this.#api.post(REFUNDS, params, options);
  }

  refunds(id: string, options?: CallOptions): List<Refund> {
    return this.#api.list(REFUNDS, { id }, options);
  }
}
