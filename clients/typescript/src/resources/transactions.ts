import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const LIST = "GET /v1/business/{businessId}/transactions";
const GET = "GET /v1/transactions/{id}";
const TIMELINE = "GET /v1/transactions/{id}/timeline";
const CANCEL = "POST /v1/transactions/{id}/cancel";
const PAYLOAD = "GET /v1/transactions/{transactionId}/webhook-payload";

export type Transaction = Data<typeof GET>;
export type Timeline = Data<typeof TIMELINE>;
export type WithdrawalPayload = Data<typeof PAYLOAD>;

/** Payouts, fundings and payments of the business and of its end users. */
export class Transactions {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  get(id: string, options?: CallOptions): Promise<Transaction> {
    return this.#api.call(GET, { id }, options);
  }

  /** The transactions, newest first. */
  list(filter: Params<typeof LIST> = {}, options?: CallOptions): List<Transaction> {
    return this.#api.list(LIST, filter, options);
  }

  /** The states, statement entries and webhook deliveries of a transaction. */
  timeline(id: string, options?: CallOptions): Promise<Timeline> {
    return this.#api.call(TIMELINE, { id }, options);
  }

  /**
   * Cancels a pending payout.
   * @throws PayrailError `payout_not_cancellable`
   */
  cancel(id: string, options?: WriteOptions): Promise<Transaction> {
    return this.#api.call(CANCEL, { id }, options);
  }

  /** The webhook body for the current state of a payout. */
  webhookPayload(transactionId: string, options?: CallOptions): Promise<WithdrawalPayload> {
    return this.#api.call(PAYLOAD, { transactionId }, options);
  }
}
