// The API of payrail for the console: the client's calls, and the session's cookie in place of a
// token.

import { Api, type WriteOptions } from "../../typescript/src/api.ts";
import type { Data, Endpoint, Item, ListEndpoint, Params } from "../../typescript/src/endpoint.ts";
import { PayrailError } from "../../typescript/src/errors.ts";
import { type Connection, exchange } from "../../typescript/src/exchange.ts";
import type { Page } from "../../typescript/src/list.ts";

export { following, type Place } from "../../typescript/src/list.ts";
export type { Data, Endpoint, Item, ListEndpoint, Page, Params };
export { PayrailError };

/** The header by which the gateway knows the console's requests; other sites cannot set it. */
const CONSOLE_HEADER = "payrail-console";
const TIMEOUT_MS = 30_000;

/** Told when a request has no session any more. */
let onSessionEnd = () => {};

/** Calls `end` whenever a request has no session any more. */
export function whenSessionEnds(end: () => void): void {
  onSessionEnd = end;
}

const connection: Connection = {
  baseUrl: `${location.origin}/console/api`,
  async fetch(input, init) {
    const headers = new Headers(init?.headers);
    headers.set(CONSOLE_HEADER, "1");
    const response = await fetch(input, { ...init, headers });
    const challenge = response.headers.get("www-authenticate") ?? "";
    if (response.status === 401 && !challenge.includes("insufficient_scope")) onSessionEnd();
    return response;
  },
  timeoutMs: TIMEOUT_MS,
  // A person sees the error and tries again; the client's waits would look like a page that hangs.
  retries: 1,
};
/** The cookie authenticates the calls. */
const api = new Api(connection, null);

/** Who is signed in. */
export interface Session {
  role: "admin" | "merchant";
  /** The operator, or the business. */
  id: string;
  name: string | null;
  scopes: string[];
  expiresAt: string;
}

/** Who is signed in, if anybody, and how one can sign in. */
export interface Visit {
  session: Session | null;
  /** Whether an identity provider is configured. */
  openId: boolean;
  sandbox: boolean;
}

/** Asks about the session, or changes it. @throws PayrailError */
async function exchangeSession(method: string, credentials?: object): Promise<unknown> {
  const { data } = await exchange(connection, {
    method,
    path: "/session",
    endpoint: `${method} /console/api/session`,
    headers: credentials ? { "content-type": "application/json" } : {},
    body: credentials && JSON.stringify(credentials),
    timeoutMs: TIMEOUT_MS,
  });
  return data;
}

/** Who is signed in. From then on their calls are about their business. */
export async function readVisit(): Promise<Visit> {
  const visit = (await exchangeSession("GET")) as Visit;
  ownBusiness = visit.session?.role === "merchant" ? visit.session.id : null;
  return visit;
}

export type Credentials = { clientId: string; clientSecret: string } | { token: string };

export async function signIn(credentials: Credentials): Promise<void> {
  await exchangeSession("POST", credentials);
}

export async function signOut(): Promise<void> {
  await exchangeSession("DELETE");
}

/** The business of the merchant who is signed in. */
let ownBusiness: string | null = null;

/** The parameters with the merchant's business, if the path has one and they name none. */
function complete<E extends Endpoint>(endpoint: E, params: Params<E>): Params<E> {
  if (ownBusiness === null || !endpoint.includes("{businessId}")) return params;
  return { businessId: ownBusiness, ...params };
}

/** Calls an endpoint. @throws PayrailError */
export function call<E extends Endpoint>(
  endpoint: E,
  params: Params<E>,
  options?: WriteOptions,
): Promise<Data<E>> {
  return api.call(endpoint, complete(endpoint, params), options);
}

/** A page of a list. @throws PayrailError */
export async function readPage<E extends ListEndpoint>(
  endpoint: E,
  params: Params<E>,
): Promise<Page<Item<E>>> {
  const { value } = await pages(endpoint, params).next();
  return value as Page<Item<E>>;
}

/** The pages of a list from the one that the parameters name. A loop throws PayrailError. */
export function pages<E extends ListEndpoint>(
  endpoint: E,
  params: Params<E>,
): AsyncGenerator<Page<Item<E>>, void> {
  return api.list(endpoint, complete(endpoint, params)).pages();
}

/**
 * Reads a file of the merchant's business.
 * @param path the part after the business
 * @throws PayrailError, also if the connection breaks before the end
 */
export async function readFile(path: string, query: Record<string, string>): Promise<Blob> {
  const address = `/v1/business/${ownBusiness}${path}?${new URLSearchParams(query).toString()}`;
  try {
    const response = await connection.fetch(connection.baseUrl + address);
    if (response.ok) return await response.blob();
    const { code, message, errors } = await response.json();
    throw new PayrailError({ code, message, errors, status: response.status });
  } catch (cause) {
    if (cause instanceof PayrailError) throw cause;
    throw new PayrailError({ code: "no_answer", message: "The file is not whole", cause });
  }
}
