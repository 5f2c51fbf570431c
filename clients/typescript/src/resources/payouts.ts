import type { Api, WriteOptions } from "../api.ts";
import type { Data, Params } from "../endpoint.ts";

const CREATE = "POST /v1/business/{businessId}/payouts";

/** A queued payout; `amount` is the debit with the fee. */
export type QueuedPayout = Data<typeof CREATE>;

/** Payouts that the business makes to any of its linked accounts, its own or of its end users. */
export class Payouts {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Pays from `walletId`, the business's own, or else from the account's own wallet. The final status
   * arrives by webhook; until then `transactions.get` has it.
   * @param params payrail executes one payout for each `reference` of the business
   * @throws PayrailError `insufficient_funds`, `limit_exceeded`, `payouts_paused` and others
   */
  create(params: Params<typeof CREATE>, options?: WriteOptions): Promise<QueuedPayout> {
    return this.#api.call(CREATE, params, options);
  }
}
