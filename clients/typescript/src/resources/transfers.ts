import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const CREATE = "POST /v1/business/{businessId}/transfers";
const LIST = "GET /v1/business/{businessId}/transfers";
const GET = "GET /v1/business/{businessId}/transfers/{id}";

export type WalletTransfer = Data<typeof GET>;

/** Transfers between two wallets of the business: its own, and those of its end users. */
export class Transfers {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Moves money from one wallet to another, all or nothing.
   * @param params payrail executes one transfer for each `reference` of the business
   * @throws PayrailError `insufficient_funds`, `reference_reused`, `wallet_frozen` and others
   */
  create(params: Params<typeof CREATE>, options?: WriteOptions): Promise<WalletTransfer> {
    return this.#api.call(CREATE, params, options);
  }

  get(id: string, options?: CallOptions): Promise<WalletTransfer> {
    return this.#api.call(GET, { id }, options);
  }

  /** Newest first; the filter `walletId` finds those out of a wallet and into it. */
  list(filter: Params<typeof LIST> = {}, options?: CallOptions): List<WalletTransfer> {
    return this.#api.list(LIST, filter, options);
  }
}
