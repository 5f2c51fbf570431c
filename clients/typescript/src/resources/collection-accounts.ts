import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const ALL = "/v1/business/{businessId}/collection-accounts";
const TRANSFERS = "/v1/business/{businessId}/collection-accounts/{id}/transfers";

export type CollectionAccount = Data<"post", typeof ALL>;
export type Transfer = Data<"post", typeof TRANSFERS>;

/** The accounts that collect customers' payments, one for each currency. */
export class CollectionAccounts {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Opens an account, or answers the one that is open. */
  open(params: Params<"post", typeof ALL>, options?: WriteOptions): Promise<CollectionAccount> {
    return this.#api.post(ALL, params, options);
  }

  list(filter: Params<"get", typeof ALL> = {}, options?: CallOptions): List<CollectionAccount> {
    return this.#api.list(ALL, filter, options);
  }

  /**
   * Moves collected money to the business's own wallet.
   * @param params the same `reference` moves once, for good
   */
  transfer(params: Params<"post", typeof TRANSFERS>, options?: WriteOptions): Promise<Transfer> {
    return this.#api.post(TRANSFERS, params, options);
  }

  transfers(id: string, options?: CallOptions): List<Transfer> {
    return this.#api.list(TRANSFERS, { id }, options);
  }
}
