import { setTimeout as sleep } from "node:timers/promises";
import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const CREATE = "POST /v1/ext/linked-accounts/{currency}/{linkedAccountId}/withdrawal";
const LIST = "GET /v1/ext/withdrawals";
const GET = "GET /v1/ext/withdrawals/{id}";
const LIMITS = "GET /v1/ext/withdrawal-limits";

/** A queued withdrawal; `amount` is the debit with the fee. */
export type QueuedWithdrawal = Data<typeof CREATE>;
export type Withdrawal = Data<typeof GET>;

/** The client sends `walletType`, which has one value; payrail accepts no `mfaCode`. */
export type WithdrawalParams = Omit<Params<typeof CREATE>, "walletType" | "mfaCode"> & {
  /** The withdrawal spends this application token. */
  applicationToken?: string;
};

/** The pause between two requests for a withdrawal's status. */
const ASK_EVERY_MS = 500;

/** Payouts from the caller's wallet to a linked account. */
export class Withdrawals {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Pays out once, also if the request is repeated. The final status arrives by webhook.
   * @throws PayrailError `insufficient_funds`, `linked_account_not_found`, `rate_limited` and
   *   others
   */
  create(
    { applicationToken, ...params }: WithdrawalParams,
    options?: WriteOptions,
  ): Promise<QueuedWithdrawal> {
    return this.#api.call(CREATE, { walletType: "SPEND", ...params }, options, {
      headers: applicationToken === undefined ? {} : { "x-application-token": applicationToken },
    });
  }

  get(id: string, options?: CallOptions): Promise<Withdrawal> {
    return this.#api.call(GET, { id }, options);
  }

  /** The caller's own withdrawals, newest first; the filter `idempotencyKey` finds one. */
  list(filter: Params<typeof LIST> = {}, options?: CallOptions): List<Withdrawal> {
    return this.#api.list(LIST, filter, options);
  }

  /** The limits of what the caller can pay out, with what is left of each. */
  limits(options?: CallOptions): Promise<Data<typeof LIMITS>> {
    return this.#api.call(LIMITS, {}, options);
  }

  /**
   * Polls until the withdrawal has succeeded or failed. A server should use webhooks instead.
   * @param options `withinMs`: the limit of the polling, 60,000 ms by default, because a bank may
   *   take days
   * @returns the withdrawal with its last known status
   */
  async wait(
    id: string,
    { withinMs = 60_000, ...options }: CallOptions & { withinMs?: number } = {},
  ): Promise<Withdrawal> {
    const end = Date.now() + withinMs;
    for (;;) {
      const withdrawal = await this.get(id, options);
      const isOver = withdrawal.status === "SUCCESS" || withdrawal.status === "FAILED";
      if (isOver || Date.now() >= end) return withdrawal;
      await sleep(ASK_EVERY_MS, undefined, { signal: options.signal });
    }
  }
}
