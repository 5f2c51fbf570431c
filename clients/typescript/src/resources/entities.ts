import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const ALL = "/v1/business/{businessId}/entities";
const ONE = "/v1/business/{businessId}/entities/{entityId}";

export type Entity = Data<"get", typeof ONE>;

/** The end users of the business. */
export class Entities {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  create(params: Params<"post", typeof ALL>, options?: WriteOptions): Promise<Entity> {
    return this.#api.post(ALL, params, options);
  }

  get(entityId: string, options?: CallOptions): Promise<Entity> {
    return this.#api.get(ONE, { entityId }, options);
  }

  list(filter: Params<"get", typeof ALL> = {}, options?: CallOptions): List<Entity> {
    return this.#api.list(ALL, filter, options);
  }
}
