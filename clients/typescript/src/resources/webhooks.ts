import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Item, Params } from "../endpoint.ts";
import type { List } from "../list.ts";
import { verifyWebhook } from "../signature.ts";

const CREATE = "POST /v1/business/{businessId}/webhooks";
const LIST = "GET /v1/business/{businessId}/webhooks";
const GET = "GET /v1/business/{businessId}/webhooks/{id}";
const UPDATE = "PATCH /v1/business/{businessId}/webhooks/{id}";
const DELETE = "DELETE /v1/business/{businessId}/webhooks/{id}";
const ROTATE = "POST /v1/business/{businessId}/webhooks/{id}/rotate-secret";
const TEST = "POST /v1/business/{businessId}/webhooks/{id}/test";
const REPLAY = "POST /v1/business/{businessId}/webhooks/{id}/replay";
const DELIVERIES = "GET /v1/business/{businessId}/webhooks/{id}/deliveries";
const DELIVERY = "GET /v1/business/{businessId}/webhooks/{id}/deliveries/{deliveryId}";
const RESEND = "POST /v1/business/{businessId}/webhooks/{id}/deliveries/{deliveryId}/replay";

export type WebhookEndpoint = Data<typeof GET>;
/** A new endpoint; no later answer has the `secret`, except to a repeat with the same key. */
export type NewWebhookEndpoint = Data<typeof CREATE>;
export type Delivery = Data<typeof DELIVERY>;
export type ListedDelivery = Item<typeof DELIVERIES>;

/** The endpoints to which payrail sends events, and their deliveries. */
export class Webhooks {
  readonly #api: Api;
  /** Checks the signature of a received message and parses it; see `verifyWebhook`. */
  readonly verify = verifyWebhook;

  constructor(api: Api) {
    this.#api = api;
  }

  create(params: Params<typeof CREATE>, options?: WriteOptions): Promise<NewWebhookEndpoint> {
    return this.#api.call(CREATE, params, options);
  }

  get(id: string, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.#api.call(GET, { id }, options);
  }

  list(filter: Params<typeof LIST> = {}, options?: CallOptions): List<WebhookEndpoint> {
    return this.#api.list(LIST, filter, options);
  }

  update(params: Params<typeof UPDATE>, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.#api.call(UPDATE, params, options);
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#api.call(DELETE, { id }, options);
  }

  /** Makes a new secret. For 24 hours payrail signs with both secrets. */
  rotateSecret(id: string, options?: WriteOptions): Promise<NewWebhookEndpoint> {
    return this.#api.call(ROTATE, { id }, options);
  }

  /** Sends a test event. @returns the event's id */
  test(id: string, options?: WriteOptions): Promise<{ id: string }> {
    return this.#api.call(TEST, { id }, options);
  }

  /** The deliveries of an endpoint, newest first. */
  deliveries(filter: Params<typeof DELIVERIES>, options?: CallOptions): List<ListedDelivery> {
    return this.#api.list(DELIVERIES, filter, options);
  }

  delivery(params: Params<typeof DELIVERY>, options?: CallOptions): Promise<Delivery> {
    return this.#api.call(DELIVERY, params, options);
  }

  /** Sends one delivery again. */
  replayDelivery(params: Params<typeof RESEND>, options?: WriteOptions): Promise<Delivery> {
    return this.#api.call(RESEND, params, options);
  }

  /** Repeats the ended deliveries since a time. */
  replay(params: Params<typeof REPLAY>, options?: WriteOptions): Promise<Data<typeof REPLAY>> {
    return this.#api.call(REPLAY, params, options);
  }
}
