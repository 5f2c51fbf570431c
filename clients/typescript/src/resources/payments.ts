import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Item, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const LIST = "GET /v1/business/{businessId}/payments";
const GET = "GET /v1/business/{businessId}/payments/{id}";
const REFUND = "POST /v1/business/{businessId}/payments/{id}/refunds";
const REFUNDS = "GET /v1/business/{businessId}/payments/{id}/refunds";

export type Payment = Data<typeof GET>;
export type ListedPayment = Item<typeof LIST>;
export type Refund = Data<typeof REFUND>;

/** Payments of customers, at links and for subscriptions. */
export class Payments {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  get(id: string, options?: CallOptions): Promise<Payment> {
    return this.#api.call(GET, { id }, options);
  }

  list(filter: Params<typeof LIST> = {}, options?: CallOptions): List<ListedPayment> {
    return this.#api.list(LIST, filter, options);
  }

  /**
   * Refunds a payment.
   * @param params `amount`: by default the rest of the payment; `reference`: payrail executes one
   *   refund for each reference of a payment
   * @throws PayrailError `not_refundable`, `insufficient_funds`, `reference_reused` and others
   */
  refund(params: Params<typeof REFUND>, options?: WriteOptions): Promise<Refund> {
    return this.#api.call(REFUND, params, options);
  }

  /** The refunds of a payment. */
  refunds(id: string, options?: CallOptions): List<Refund> {
    return this.#api.list(REFUNDS, { id }, options);
  }
}
