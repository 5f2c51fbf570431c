import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data } from "../endpoint.ts";

const GET = "GET /v1/business/{businessId}/limits";
const SET = "PUT /v1/business/{businessId}/limits";

export type PayoutLimit = Data<typeof GET>["limits"][number];

/** The limits that the business sets for its own payouts, beside those of the operator. */
export class Limits {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  async get(options?: CallOptions): Promise<PayoutLimit[]> {
    return (await this.#api.call(GET, {}, options)).limits;
  }

  /** Replaces all of them; they hold within five seconds. */
  async set(limits: PayoutLimit[], options?: WriteOptions): Promise<PayoutLimit[]> {
    return (await this.#api.call(SET, { limits }, options)).limits;
  }
}
