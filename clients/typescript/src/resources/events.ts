import type { Api, CallOptions } from "../api.ts";
import type { Data, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const LIST = "GET /v1/business/{businessId}/events";
const GET = "GET /v1/business/{businessId}/events/{eventId}";

/** An event; `body` is the text that endpoints receive. */
export type StoredEvent = Data<typeof GET>;

/** The stored events of the business, also those that no endpoint receives. */
export class Events {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  get(eventId: string, options?: CallOptions): Promise<StoredEvent> {
    return this.#api.call(GET, { eventId }, options);
  }

  /** The events, oldest first. */
  list(filter: Params<typeof LIST> = {}, options?: CallOptions): List<StoredEvent> {
    return this.#api.list(LIST, filter, options);
  }
}
