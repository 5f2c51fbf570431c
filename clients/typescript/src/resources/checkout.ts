import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Params } from "../endpoint.ts";

const VIEW = "GET /v1/checkout/{token}";
const PAY = "POST /v1/checkout/{token}/payments";
const PAYMENT = "GET /v1/checkout/{token}/payments/{id}";
const ATTEMPT = "GET /v1/checkout/{token}/attempts/{key}";
const SETUP = "POST /v1/checkout/{token}/setup";

const PUBLIC = { isPublic: true };

export type CheckoutView = Data<typeof VIEW>;
/** A declined card is an outcome and no error: the status is `FAILED`, with a reason. */
export type PaymentOutcome = Data<typeof PAY>;
export type SetupOutcome = Data<typeof SETUP>;

/** Calls for your own checkout page. They send the link's token, and no access token. */
export class Checkout {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** The customer's view of a link, by the link's token. */
  view(token: string, options?: CallOptions): Promise<CheckoutView> {
    return this.#api.call(VIEW, { token }, options, PUBLIC);
  }

  /** Pays a link once. If the status is `PENDING`, poll `payment` or wait for the webhook. */
  pay(params: Params<typeof PAY>, options?: WriteOptions): Promise<PaymentOutcome> {
    return this.#api.call(PAY, params, options, PUBLIC);
  }

  /** The current state of a payment. */
  payment(params: Params<typeof PAYMENT>, options?: CallOptions): Promise<PaymentOutcome> {
    return this.#api.call(PAYMENT, params, options, PUBLIC);
  }

  /** What a request to pay or to set up has made, by its Idempotency-Key; 404 if nothing yet. */
  attempt(params: Params<typeof ATTEMPT>, options?: CallOptions): Promise<Data<typeof ATTEMPT>> {
    return this.#api.call(ATTEMPT, params, options, PUBLIC);
  }

  /** Saves a card at a recurring link, which begins a subscription. */
  setup(params: Params<typeof SETUP>, options?: WriteOptions): Promise<SetupOutcome> {
    return this.#api.call(SETUP, params, options, PUBLIC);
  }
}
