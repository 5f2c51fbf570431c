import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const CREATE = "POST /v1/business/{businessId}/entities";
const LIST = "GET /v1/business/{businessId}/entities";
const GET = "GET /v1/business/{businessId}/entities/{entityId}";
const EXPORT = "GET /v1/business/{businessId}/entities/{entityId}/export";
const ERASE = "POST /v1/business/{businessId}/entities/{entityId}/erase";

export type Entity = Data<typeof GET>;

/** The end users of the business. */
export class Entities {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Creates an end user. @throws PayrailError `duplicate_external_id` and others */
  create(params: Params<typeof CREATE>, options?: WriteOptions): Promise<Entity> {
    return this.#api.call(CREATE, params, options);
  }

  get(entityId: string, options?: CallOptions): Promise<Entity> {
    return this.#api.call(GET, { entityId }, options);
  }

  list(filter: Params<typeof LIST> = {}, options?: CallOptions): List<Entity> {
    return this.#api.list(LIST, filter, options);
  }

  /** All personal data of an end user. If `complete` is false, the lists have the rest. */
  export(entityId: string, options?: CallOptions): Promise<Data<typeof EXPORT>> {
    return this.#api.call(EXPORT, { entityId }, options);
  }

  /**
   * Erases an end user's personal data. It cannot be undone. `kept` lists the data that stays.
   * @throws PayrailError `erasure_refused`, `erasure_running` and others
   */
  erase(entityId: string, options?: WriteOptions): Promise<Data<typeof ERASE>> {
    return this.#api.call(ERASE, { entityId }, options);
  }
}
