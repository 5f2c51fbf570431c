import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Item, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const CREATE = "POST /v1/business/{businessId}/wallets";
const LIST = "GET /v1/business/{businessId}/wallets";
const GET = "GET /v1/business/{businessId}/wallets/{walletId}";
const UPDATE = "PATCH /v1/business/{businessId}/wallets/{walletId}";
const OWN = "GET /v1/ext/wallets";
const ENTRIES = "GET /v1/business/{businessId}/wallets/{walletId}/entries";

export type Wallet = Data<typeof GET>;
export type StatementEntry = Item<typeof ENTRIES>;

/** The wallets of the business and of its end users, one for each currency. */
export class Wallets {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Opens a wallet, or returns the wallet that is open. */
  open(params: Params<typeof CREATE>, options?: WriteOptions): Promise<Wallet> {
    return this.#api.call(CREATE, params, options);
  }

  get(walletId: string, options?: CallOptions): Promise<Wallet> {
    return this.#api.call(GET, { walletId }, options);
  }

  list(filter: Params<typeof LIST> = {}, options?: CallOptions): List<Wallet> {
    return this.#api.list(LIST, filter, options);
  }

  /** The wallet's statement, newest first, or the part of a period. */
  entries(
    walletId: string,
    options?: CallOptions,
    period: Pick<Params<typeof ENTRIES>, "from" | "to"> = {},
  ): List<StatementEntry> {
    return this.#api.list(ENTRIES, { walletId, ...period }, options);
  }

  /** The caller's own wallets, one for each currency. */
  own(options?: CallOptions): Promise<Data<typeof OWN>> {
    return this.#api.call(OWN, {}, options);
  }

  /**
   * Sets the balance below which the event BALANCE tells you; null for none.
   * @param lowBalanceAt a decimal, such as "100.00"
   */
  setLowBalanceAt(
    walletId: string,
    lowBalanceAt: string | null,
    options?: CallOptions,
  ): Promise<Wallet> {
    return this.#api.call(UPDATE, { walletId, lowBalanceAt }, options);
  }

  /** Disables or enables a wallet. No withdrawal debits a disabled wallet; reversals credit it. */
  setDisabled(walletId: string, disabled: boolean, options?: CallOptions): Promise<Wallet> {
    return this.#api.call(UPDATE, { walletId, disabled }, options);
  }
}
