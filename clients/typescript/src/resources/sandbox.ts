import { randomUUID } from "node:crypto";
import type { Api, WriteOptions } from "../api.ts";
import type { Data, Params } from "../endpoint.ts";

const FUND = "/v1/business/{businessId}/wallets/{walletId}/fund";
const CARD = "/v1/sandbox/card-tokens";
const CLOCK = "/v1/business/{businessId}/test-clock";

/** Billing up to the new moment may take minutes. */
const CLOCK_TIMEOUT_MS = 600_000;

type Funding = Omit<Params<"post", typeof FUND>, "reference"> & {
  /** Funds once; made by the client by default. */
  reference?: string;
};
type CardParams = Partial<Params<"post", typeof CARD>>;

/** What only a sandbox has. */
export class Sandbox {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Puts money into a wallet. */
  fund(params: Funding, options?: WriteOptions): Promise<Data<"post", typeof FUND>> {
    return this.#api.post(FUND, { reference: randomUUID(), ...params }, options);
  }

  /** A card for the checkout; one that is always charged by default. */
  cardToken(params: CardParams = {}, options?: WriteOptions): Promise<Data<"post", typeof CARD>> {
    const card = { number: "4242424242424242", expMonth: 12, expYear: 2099, cvc: "123" };
    return this.#api.post(CARD, { ...card, ...params }, options, { isPublic: true });
  }

  /** Moves the business's billing on to a moment, and bills everything up to it. */
  setTestClock(now: Date | string, options?: WriteOptions): Promise<Data<"post", typeof CLOCK>> {
    const body = { now: new Date(now).toISOString() };
    return this.#api.post(CLOCK, body, { timeoutMs: CLOCK_TIMEOUT_MS, ...options });
  }
}
