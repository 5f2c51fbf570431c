import type { Api, CallOptions, WriteOptions } from "../api.ts";
import type { Data, Params } from "../endpoint.ts";
import type { List } from "../list.ts";

const CREATE = "POST /v1/business/{businessId}/api-clients";
const LIST = "GET /v1/business/{businessId}/api-clients";
const GET = "GET /v1/business/{businessId}/api-clients/{clientId}";
const UPDATE = "PATCH /v1/business/{businessId}/api-clients/{clientId}";
const ROTATE = "POST /v1/business/{businessId}/api-clients/{clientId}/rotate-secret";

export type ApiClient = Data<typeof GET>;
/** With its secret, which no other answer has. */
export type NewApiClient = Data<typeof CREATE>;

/** The clients by which servers of the business get tokens, each with its scopes. */
export class ApiClients {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  create(params: Params<typeof CREATE> = {}, options?: WriteOptions): Promise<NewApiClient> {
    return this.#api.call(CREATE, params, options);
  }

  get(clientId: string, options?: CallOptions): Promise<ApiClient> {
    return this.#api.call(GET, { clientId }, options);
  }

  list(filter: Params<typeof LIST> = {}, options?: CallOptions): List<ApiClient> {
    return this.#api.list(LIST, filter, options);
  }

  /** Disables or enables a client, or says from which addresses it may be used. */
  update(params: Params<typeof UPDATE>, options?: CallOptions): Promise<ApiClient> {
    return this.#api.call(UPDATE, params, options);
  }

  /** Makes a new secret; the old one and its tokens end within five seconds. */
  rotateSecret(clientId: string, options?: WriteOptions): Promise<Data<typeof ROTATE>> {
    return this.#api.call(ROTATE, { clientId }, options);
  }
}
