import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Item, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const CREATE = "POST /v1/business/{businessId}/linked-accounts/{currency}";
const LIST = "GET /v1/business/{businessId}/linked-accounts/{currency}";
const UPDATE = "PATCH /v1/business/{businessId}/linked-accounts/{currency}/{linkedAccountId}";
const DELETE = "DELETE /v1/business/{businessId}/linked-accounts/{currency}/{linkedAccountId}";
const MASKED = "GET /v1/ext/linked-accounts/{currency}";
const INTERNATIONAL =
  "POST /v1/ext/application-token/{token}/linked-accounts/{currency}/link/international_bank/{step}";

export type LinkedAccount = Item<typeof LIST>;
export type MaskedLinkedAccount = Item<typeof MASKED>;

/** The account, and an application token of type ACCOUNT or PAYOUT. */
export type InternationalParams = Omit<Params<typeof INTERNATIONAL>, "token" | "step"> & {
  applicationToken: string;
};

/** The destinations of payouts: bank accounts, international bank accounts, cards. */
export class LinkedAccounts {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Links a bank account (`optionType: "bank"`), a card or a prepaid card to a wallet.
   * @throws PayrailError `duplicate_account`, `wallet_not_found` and others
   */
  link(params: Params<typeof CREATE>, options?: WriteOptions): Promise<Data<typeof CREATE>> {
    return this.#api.call(CREATE, params, options);
  }

  /**
   * Links an international bank account to the wallet of the application token's end user.
   * @throws PayrailError `application_token_invalid`, `duplicate_account` and others
   */
  linkInternational(
    { applicationToken, ...params }: InternationalParams,
    options?: WriteOptions,
  ): Promise<{ id: string }> {
    const whole = { ...params, token: applicationToken, step: "1" } as const;
    return this.#api.call(INTERNATIONAL, whole, options);
  }

  list(filter: Params<typeof LIST>, options?: CallOptions): List<LinkedAccount> {
    return this.#api.list(LIST, filter, options);
  }

  /** Changes the `nickName` of an account. */
  rename(params: Params<typeof UPDATE>, options?: CallOptions): Promise<Data<typeof UPDATE>> {
    return this.#api.call(UPDATE, params, options);
  }

  /** Unlinks an account, which then is no destination of withdrawals. */
  async unlink(params: Params<typeof DELETE>, options?: CallOptions): Promise<void> {
    await this.#api.call(DELETE, params, options);
  }
}

/** The linked accounts of one end user, with masked numbers. */
export class OwnLinkedAccounts {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  list(filter: Params<typeof MASKED>, options?: CallOptions): List<MaskedLinkedAccount> {
    return this.#api.list(MASKED, filter, options);
  }
}
