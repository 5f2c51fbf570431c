import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Item, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const CREATE = "POST /v1/business/{businessId}/application-tokens";
const LIST = "GET /v1/business/{businessId}/application-tokens";

/** No later answer has the `token`, except the answer to a repeat with the same key. */
export type ApplicationToken = Data<typeof CREATE>;
export type ListedApplicationToken = Item<typeof LIST>;

/** Tokens with which an end user links an account, or withdraws once. */
export class ApplicationTokens {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  create(params: Params<typeof CREATE>, options?: WriteOptions): Promise<ApplicationToken> {
    return this.#api.call(CREATE, params, options);
  }

  list(filter: Params<typeof LIST> = {}, options?: CallOptions): List<ListedApplicationToken> {
    return this.#api.list(LIST, filter, options);
  }
}
