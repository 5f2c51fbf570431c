import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Item, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const ALL = "/v1/business/{businessId}/application-tokens";

/** `token` is shown only here. */
export type ApplicationToken = Data<"post", typeof ALL>;
export type ListedApplicationToken = Item<typeof ALL>;

/** Tokens with which an end user links an account, or withdraws once. */
export class ApplicationTokens {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  create(params: Params<"post", typeof ALL>, options?: WriteOptions): Promise<ApplicationToken> {
    return this.#api.post(ALL, params, options);
  }

  list(
    filter: Params<"get", typeof ALL> = {},
    options?: CallOptions,
  ): List<ListedApplicationToken> {
    return this.#api.list(ALL, filter, options);
  }
}
