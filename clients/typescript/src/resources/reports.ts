import type { Api, CallOptions } from "../api.ts";
import type { Data, Params } from "../endpoint.ts";

const BALANCE = "GET /v1/business/{businessId}/reports/balance";
const BALANCES = "GET /v1/business/{businessId}/balances";

/** A report of a million movements may take minutes. */
const BALANCE_TIMEOUT_MS = 600_000;

export type BalanceReport = Data<typeof BALANCE>;
export type Balances = Data<typeof BALANCES>;

/** Reports about the business's money. */
export class Reports {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * The money of a period: the balance before it, every movement, and the balance after it. The
   * whole report is in memory; for a long period read the endpoint's CSV yourself.
   */
  balance(
    params: Omit<Params<typeof BALANCE>, "format">,
    options?: CallOptions,
  ): Promise<BalanceReport> {
    return this.#api.call(BALANCE, params, { timeoutMs: BALANCE_TIMEOUT_MS, ...options });
  }

  /** The money of the business and of its end users now, by currency. */
  balances(options?: CallOptions): Promise<Balances> {
    return this.#api.call(BALANCES, {}, options);
  }
}
