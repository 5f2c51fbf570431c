import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Item, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const CREATE = "POST /v1/business/{businessId}/collection-accounts";
const LIST = "GET /v1/business/{businessId}/collection-accounts";
const ENTRIES = "GET /v1/business/{businessId}/collection-accounts/{id}/entries";
const TRANSFER = "POST /v1/business/{businessId}/collection-accounts/{id}/transfers";
const TRANSFERS = "GET /v1/business/{businessId}/collection-accounts/{id}/transfers";

export type CollectionAccount = Data<typeof CREATE>;
export type Transfer = Data<typeof TRANSFER>;

/** The accounts that collect customers' payments, one for each currency. */
export class CollectionAccounts {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Opens an account, or returns the account that is open. */
  open(params: Params<typeof CREATE>, options?: WriteOptions): Promise<CollectionAccount> {
    return this.#api.call(CREATE, params, options);
  }

  list(filter: Params<typeof LIST> = {}, options?: CallOptions): List<CollectionAccount> {
    return this.#api.list(LIST, filter, options);
  }

  /** The account's statement, newest first, or the part of a period. */
  entries(
    id: string,
    options?: CallOptions,
    period: Pick<Params<typeof ENTRIES>, "from" | "to"> = {},
  ): List<Item<typeof ENTRIES>> {
    return this.#api.list(ENTRIES, { id, ...period }, options);
  }

  /**
   * Moves collected money to the business's own wallet.
   * @param params payrail executes one transfer for each `reference` of an account
   * @throws PayrailError `insufficient_funds`, `reference_reused` and others
   */
  transfer(params: Params<typeof TRANSFER>, options?: WriteOptions): Promise<Transfer> {
    return this.#api.call(TRANSFER, params, options);
  }

  /** The transfers from a collection account. */
  transfers(id: string, options?: CallOptions): List<Transfer> {
    return this.#api.list(TRANSFERS, { id }, options);
  }
}
