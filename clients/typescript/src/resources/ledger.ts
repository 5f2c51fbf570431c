import type { Api, CallOptions } from "../api.ts";
import type { Data } from "../endpoint.ts";

const HEAD = "GET /v1/business/{businessId}/ledger-head";

export type LedgerHead = Data<typeof HEAD>;

/** Signed heads of the ledger, by which a business proves its balances later. */
export class Ledger {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** A head of this moment. Store its `head` where payrail cannot change it. */
  head(options?: CallOptions): Promise<LedgerHead> {
    return this.#api.call(HEAD, {}, options);
  }
}
