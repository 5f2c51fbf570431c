import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Item, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const ALL = "/v1/business/{businessId}/linked-accounts/{currency}";
const ONE = "/v1/business/{businessId}/linked-accounts/{currency}/{linkedAccountId}";
const MASKED = "/v1/ext/linked-accounts/{currency}";
const INTERNATIONAL =
  "/v1/ext/application-token/{token}/linked-accounts/{currency}/link/international_bank/{step}";

export type LinkedAccount = Item<typeof ALL>;
export type MaskedLinkedAccount = Item<typeof MASKED>;

/** Of an application token of type ACCOUNT or PAYOUT. */
export type InternationalParams = Omit<Params<"post", typeof INTERNATIONAL>, "token" | "step"> & {
  applicationToken: string;
};

/** The destinations of payouts: bank accounts, international bank accounts, cards. */
export class LinkedAccounts {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Links a bank account (`optionType: "bank"`), a card or a prepaid card to a wallet. */
  link(
    params: Params<"post", typeof ALL>,
    options?: WriteOptions,
  ): Promise<Data<"post", typeof ALL>> {
    return this.#api.post(ALL, params, options);
  }

  /** Links an international bank account to the wallet of the application token's end user. */
  linkInternational(
    { applicationToken, ...params }: InternationalParams,
    options?: WriteOptions,
  ): Promise<{ id: string }> {
    const whole = { ...params, token: applicationToken, step: "1" } as const;
    return this.#api.post(INTERNATIONAL, whole, options);
  }

  list(filter: Params<"get", typeof ALL>, options?: CallOptions): List<LinkedAccount> {
    return this.#api.list(ALL, filter, options);
  }

  rename(
    params: Params<"patch", typeof ONE>,
    options?: CallOptions,
  ): Promise<Data<"patch", typeof ONE>> {
    return this.#api.patch(ONE, params, options);
  }

  unlink(params: Params<"delete", typeof ONE>, options?: CallOptions): Promise<void> {
    return this.#api.delete(ONE, params, options);
  }
}

/** The linked accounts of one end user, with masked numbers. */
export class OwnLinkedAccounts {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  list(filter: Params<"get", typeof MASKED>, options?: CallOptions): List<MaskedLinkedAccount> {
    return this.#api.list(MASKED, filter, options);
  }
}
