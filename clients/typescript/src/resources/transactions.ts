import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const ALL = "/v1/business/{businessId}/transactions";
const ONE = "/v1/transactions/{id}";
const TIMELINE = "/v1/transactions/{id}/timeline";
const CANCEL = "/v1/transactions/{id}/cancel";
const PAYLOAD = "/v1/transactions/{transactionId}/webhook-payload";

export type Transaction = Data<"get", typeof ONE>;
export type Timeline = Data<"get", typeof TIMELINE>;
export type WithdrawalPayload = Data<"get", typeof PAYLOAD>;

/** Payouts, fundings and payments of the business and of its end users. */
export class Transactions {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  get(id: string, options?: CallOptions): Promise<Transaction> {
    return this.#api.get(ONE, { id }, options);
  }

  /** Newest first. */
  list(filter: Params<"get", typeof ALL> = {}, options?: CallOptions): List<Transaction> {
    return this.#api.list(ALL, filter, options);
  }

  /** Its states, statement entries and webhook deliveries. */
  timeline(id: string, options?: CallOptions): Promise<Timeline> {
    return this.#api.get(TIMELINE, { id }, options);
  }

  /**
   * Cancels a payout that is still pending.
   * @throws PayrailError `not_cancellable`
   */
  cancel(id: string, options?: WriteOptions): Promise<Transaction> {
    return this.#api.post(CANCEL, { id }, options);
  }

  /** The body of a payout's webhook for its state now. */
  webhookPayload(transactionId: string, options?: CallOptions): Promise<WithdrawalPayload> {
    return this.#api.get(PAYLOAD, { transactionId }, options);
  }
}
