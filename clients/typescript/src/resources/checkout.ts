import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Params } from "../endpoint.ts";

const VIEW = "/v1/checkout/{token}";
const PAY = "/v1/checkout/{token}/payments";
const PAYMENT = "/v1/checkout/{token}/payments/{id}";
const SETUP = "/v1/checkout/{token}/setup";

const PUBLIC = { isPublic: true };

export type CheckoutView = Data<"get", typeof VIEW>;
/** A card that was declined is `FAILED`, with a reason; it is no error. */
export type PaymentOutcome = Data<"post", typeof PAY>;
export type SetupOutcome = Data<"post", typeof SETUP>;

/** A checkout page of your own. The link's token is the secret, so no access token is sent. */
export class Checkout {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** What a customer sees of a link, by the link's token. */
  view(token: string, options?: CallOptions): Promise<CheckoutView> {
    return this.#api.get(VIEW, { token }, options, PUBLIC);
  }

  /** Pays a link once. `PENDING`: ask `payment` again, or wait for the webhook. */
  pay(params: Params<"post", typeof PAY>, options?: WriteOptions): Promise<PaymentOutcome> {
    return this.#api.post(PAY, params, options, PUBLIC);
  }

  /** A payment as it is now. */
  payment(params: Params<"get", typeof PAYMENT>, options?: CallOptions): Promise<PaymentOutcome> {
    return this.#api.get(PAYMENT, params, options, PUBLIC);
  }

  /** Saves a card at a recurring link, which begins a subscription. */
  setup(params: Params<"post", typeof SETUP>, options?: WriteOptions): Promise<SetupOutcome> {
    return this.#api.post(SETUP, params, options, PUBLIC);
  }
}
