import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Item, Params } from "../endpoint.ts";
import type { List } from "../list.ts";
import { verifyWebhook } from "../signature.ts";

const ALL = "/v1/business/{businessId}/webhooks";
const ONE = "/v1/business/{businessId}/webhooks/{id}";
const ROTATE = "/v1/business/{businessId}/webhooks/{id}/rotate-secret";
const TEST = "/v1/business/{businessId}/webhooks/{id}/test";
const REPLAY = "/v1/business/{businessId}/webhooks/{id}/replay";
const DELIVERIES = "/v1/business/{businessId}/webhooks/{id}/deliveries";
const DELIVERY = "/v1/business/{businessId}/webhooks/{id}/deliveries/{deliveryId}";
const RESEND = "/v1/business/{businessId}/webhooks/{id}/deliveries/{deliveryId}/replay";

export type WebhookEndpoint = Data<"get", typeof ONE>;
/** `secret` is shown only here. */
export type NewWebhookEndpoint = Data<"post", typeof ALL>;
export type Delivery = Data<"get", typeof DELIVERY>;
export type ListedDelivery = Item<typeof DELIVERIES>;

/** The endpoints to which payrail sends events, and their deliveries. */
export class Webhooks {
  readonly #api: Api;
  /** Checks the signature of a received message and reads it: `verifyWebhook`. */
  readonly verify = verifyWebhook;

  constructor(api: Api) {
    this.#api = api;
  }

  create(params: Params<"post", typeof ALL>, options?: WriteOptions): Promise<NewWebhookEndpoint> {
    return this.#api.post(ALL, params, options);
  }

  get(id: string, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.#api.get(ONE, { id }, options);
  }

  list(filter: Params<"get", typeof ALL> = {}, options?: CallOptions): List<WebhookEndpoint> {
    return this.#api.list(ALL, filter, options);
  }

  update(params: Params<"patch", typeof ONE>, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.#api.patch(ONE, params, options);
  }

  delete(id: string, options?: CallOptions): Promise<void> {
    return this.#api.delete(ONE, { id }, options);
  }

  /** A new secret; for 24 hours the old one signs beside it. */
  rotateSecret(id: string, options?: WriteOptions): Promise<NewWebhookEndpoint> {
    return this.#api.post(ROTATE, { id }, options);
  }

  /** Sends a test event. @returns the event's id */
  test(id: string, options?: WriteOptions): Promise<{ id: string }> {
    return this.#api.post(TEST, { id }, options);
  }

  /** Newest first. */
  deliveries(
    filter: Params<"get", typeof DELIVERIES>,
    options?: CallOptions,
  ): List<ListedDelivery> {
    return this.#api.list(DELIVERIES, filter, options);
  }

  delivery(params: Params<"get", typeof DELIVERY>, options?: CallOptions): Promise<Delivery> {
    return this.#api.get(DELIVERY, params, options);
  }

  /** Sends one delivery again. */
  replayDelivery(params: Params<"post", typeof RESEND>, options?: WriteOptions): Promise<Delivery> {
    return this.#api.post(RESEND, params, options);
  }

  /** Sends the ended deliveries since a time again. */
  replay(
    params: Params<"post", typeof REPLAY>,
    options?: WriteOptions,
  ): Promise<Data<"post", typeof REPLAY>> {
    return this.#api.post(REPLAY, params, options);
  }
}
