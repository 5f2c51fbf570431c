import { randomUUID } from "node:crypto";
import type { Api, WriteOptions } from "../api.ts";
import type { Data, Params } from "../endpoint.ts";

const FUND = "POST /v1/business/{businessId}/wallets/{walletId}/fund";
const CARD = "POST /v1/sandbox/card-tokens";
const CLOCK = "POST /v1/business/{businessId}/test-clock";

/** Billing up to the new moment may take minutes. */
const CLOCK_TIMEOUT_MS = 600_000;

type Funding = Omit<Params<typeof FUND>, "reference"> & {
  /** payrail funds once for each reference; by default a new UUID. */
  reference?: string;
};
type CardParams = Partial<Params<typeof CARD>>;

/** The endpoints that only a sandbox has. */
export class Sandbox {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Puts money into a wallet. */
  fund(params: Funding, options?: WriteOptions): Promise<Data<typeof FUND>> {
    return this.#api.call(FUND, { reference: randomUUID(), ...params }, options);
  }

  /** Creates a card token for the checkout; by default of a card that is never declined. */
  cardToken(params: CardParams = {}, options?: WriteOptions): Promise<Data<typeof CARD>> {
    const card = { number: "4242424242424242", expMonth: 12, expYear: 2099, cvc: "123" };
    return this.#api.call(CARD, { ...card, ...params }, options, { isPublic: true });
  }

  /**
   * Moves the clock of the business's billing forward, and bills everything up to the new time.
   * @param now a Date, or a text in ISO 8601
   */
  setTestClock(now: Date | string, options?: WriteOptions): Promise<Data<typeof CLOCK>> {
    const body = { now: new Date(now).toISOString() };
    return this.#api.call(CLOCK, body, { timeoutMs: CLOCK_TIMEOUT_MS, ...options });
  }
}
