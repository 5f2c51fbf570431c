import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Params } from "../endpoint.ts";

const VIEW = "GET /v1/checkout/{token}";
const PAY = "POST /v1/checkout/{token}/payments";
const PAYMENT = "GET /v1/checkout/{token}/payments/{id}";
const SETUP = "POST /v1/checkout/{token}/setup";

const PUBLIC = { isPublic: true };

export type CheckoutView = Data<typeof VIEW>;
/** A card that was declined is `FAILED`, with a reason; it is no error. */
export type PaymentOutcome = Data<typeof PAY>;
export type SetupOutcome = Data<typeof SETUP>;

/** A checkout page of your own. The link's token is the secret, so no access token is sent. */
export class Checkout {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** What a customer sees of a link, by the link's token. */
  view(token: string, options?: CallOptions): Promise<CheckoutView> {
    return this.#api.call(VIEW, { token }, options, PUBLIC);
  }

  /** Pays a link once. `PENDING`: ask `payment` again, or wait for the webhook. */
  pay(params: Params<typeof PAY>, options?: WriteOptions): Promise<PaymentOutcome> {
    return this.#api.call(PAY, params, options, PUBLIC);
  }

  /** A payment as it is now. */
  payment(params: Params<typeof PAYMENT>, options?: CallOptions): Promise<PaymentOutcome> {
    return this.#api.call(PAYMENT, params, options, PUBLIC);
  }

  /** Saves a card at a recurring link, which begins a subscription. */
  setup(params: Params<typeof SETUP>, options?: WriteOptions): Promise<SetupOutcome> {
    return this.#api.call(SETUP, params, options, PUBLIC);
  }
}
