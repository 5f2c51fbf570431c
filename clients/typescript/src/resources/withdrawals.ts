import type { Api, WriteOptions } from "../api.ts";
import type { Data, Params } from "../endpoint.ts";

const CREATE = "POST /v1/ext/linked-accounts/{currency}/{linkedAccountId}/withdrawal";

/** `amount` is the debit, the fee included. */
export type Withdrawal = Data<typeof CREATE>;

export type WithdrawalParams = Omit<Params<typeof CREATE>, "walletType"> & {
  /** Spent with the withdrawal. */
  applicationToken?: string;
};

/** Payouts from the caller's wallet to a linked account. */
export class Withdrawals {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Pays out once, however often it has to be asked. The final status arrives by webhook.
   * @throws PayrailError `insufficient_funds`, `linked_account_not_found`, `rate_limited` and others
   */
  create(
    { applicationToken, ...params }: WithdrawalParams,
    options?: WriteOptions,
  ): Promise<Withdrawal> {
    return this.#api.call(CREATE, { walletType: "SPEND", ...params }, options, {
      headers: applicationToken === undefined ? {} : { "x-application-token": applicationToken },
    });
  }
}
