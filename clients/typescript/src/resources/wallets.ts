import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Item, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const ALL = "/v1/business/{businessId}/wallets";
const ONE = "/v1/business/{businessId}/wallets/{walletId}";
const ENTRIES = "/v1/business/{businessId}/wallets/{walletId}/entries";

export type Wallet = Data<"get", typeof ONE>;
export type StatementEntry = Item<typeof ENTRIES>;

/** The wallets of the business and of its end users, one for each currency. */
export class Wallets {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Opens a wallet, or answers the one that is open. */
  open(params: Params<"post", typeof ALL>, options?: WriteOptions): Promise<Wallet> {
    return this.#api.post(ALL, params, options);
  }

  get(walletId: string, options?: CallOptions): Promise<Wallet> {
    return this.#api.get(ONE, { walletId }, options);
  }

  list(filter: Params<"get", typeof ALL> = {}, options?: CallOptions): List<Wallet> {
    return this.#api.list(ALL, filter, options);
  }

  /** The wallet's statement, newest first. */
  entries(walletId: string, options?: CallOptions): List<StatementEntry> {
    return this.#api.list(ENTRIES, { walletId }, options);
  }

  /** A disabled wallet pays nothing; reversals still credit it. */
  setDisabled(walletId: string, disabled: boolean, options?: CallOptions): Promise<Wallet> {
    return this.#api.patch(ONE, { walletId, disabled }, options);
  }
}
