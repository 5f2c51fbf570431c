// Calls of payrail's endpoints by name: their parameters in, the answer's `data` out.

import type { Data, Endpoint, Item, ListEndpoint, Params } from "./endpoint.ts";
import { PayrailError } from "./errors.ts";
import { type Connection, exchange } from "./exchange.ts";
import { List, type Page, type Place } from "./list.ts";
import { withRetries } from "./retry.ts";
import type { Tokens } from "./tokens.ts";

/** Options of one call. */
export interface CallOptions {
  /** Ends the call, which payrail may still execute: a repeat needs the `idempotencyKey`. */
  signal?: AbortSignal;
  /** The limit of each attempt, in ms; by default the client's. */
  timeoutMs?: number;
  /** The greatest number of attempts after the first one; by default the client's. */
  retries?: number;
}

/** Options of a call that creates something or moves money. */
export interface WriteOptions extends CallOptions {
  /** The key of this call and its repeats; by default a new UUID for each call. */
  idempotencyKey?: string;
}

interface Extras {
  headers?: Record<string, string>;
  /** Whether the endpoint takes no access token. */
  isPublic?: boolean;
}

type Values = Record<string, unknown>;

/** Calls endpoints with the access tokens of one caller, and repeats failed attempts. */
export class Api {
  readonly #connection: Connection;
  readonly #tokens: Tokens | null;

  /** @param tokens null if something else authenticates the calls, such as a cookie */
  constructor(connection: Connection, tokens: Tokens | null) {
    this.#connection = connection;
    this.#tokens = tokens;
  }

  /**
   * Calls an endpoint. A POST has an Idempotency-Key, which is the same for all its attempts.
   * @param params those of path, query and body side by side
   * @returns the `data` of the answer
   * @throws PayrailError; the reason of the signal; TypeError for an empty parameter of the path
   */
  async call<E extends Endpoint>(
    endpoint: E,
    params: Params<E>,
    { idempotencyKey, ...options }: WriteOptions = {},
    extras: Extras = {},
  ): Promise<Data<E>> {
    const keyed = endpoint.startsWith("POST ")
      ? { ...options, idempotencyKey: idempotencyKey ?? crypto.randomUUID() }
      : options;
    const { data } = await this.#send(endpoint, params, keyed, extras);
    return data as Data<E>;
  }

  /** Reads a list page by page. A loop over it throws the errors of `call`. */
  list<E extends ListEndpoint>(
    endpoint: E,
    params: Params<E>,
    options: CallOptions = {},
  ): List<Item<E>> {
    return new List(async (place: Place) => {
      const { data, meta } = await this.#send(endpoint, { ...params, ...place }, options);
      // A list without pages, at a path that a command names, is one page.
      return { items: data, meta: meta ?? { nextCursor: null } } as Page<Item<E>>;
    });
  }

  async #send(
    endpoint: string,
    params: Values,
    options: WriteOptions,
    { headers = {}, isPublic = false }: Extras = {},
  ): Promise<Values> {
    const { idempotencyKey, signal } = options;
    const { timeoutMs = this.#connection.timeoutMs, retries = this.#connection.retries } = options;
    const [method = "", template = ""] = endpoint.split(" ");
    const isBody = ["POST", "PUT", "PATCH"].includes(method);
    const ask = async (token?: string) => {
      const { path, rest } = fill(template, params, token);
      return exchange(this.#connection, {
        method,
        path: isBody ? path : path + queryOf(rest),
        endpoint,
        headers: {
          ...(isBody && { "content-type": "application/json" }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(isBody && { body: JSON.stringify(rest) }),
        idempotencyKey,
        timeoutMs,
        signal,
      });
    };
    const once = isPublic || !this.#tokens ? () => ask() : authorized(ask, this.#tokens);
    try {
      return await withRetries(method === "DELETE" ? gone(once) : once, { retries, signal });
    } catch (error) {
      // The caller needs the key to repeat the call, because the client may have made it.
      if (error instanceof PayrailError) error.idempotencyKey = idempotencyKey;
      throw error;
    }
  }
}

/** Sends the request with a token, and once more with a new token after a 401. */
function authorized(
  ask: (token: string) => Promise<Values>,
  tokens: Tokens,
): () => Promise<Values> {
  let mayRenew = true;
  return async () => {
    const token = await tokens.get();
    try {
      return await ask(token);
    } catch (error) {
      const isRefused =
        error instanceof PayrailError &&
        error.status === 401 &&
        error.code !== "insufficient_scope";
      if (!isRefused || !mayRenew || !tokens.drop(token)) throw error;
      mayRenew = false;
      return ask(await tokens.get());
    }
  };
}

/** Treats a 404 as success if an earlier attempt of the DELETE may have deleted the resource. */
function gone(attempt: () => Promise<Values>): () => Promise<Values> {
  let mayBeGone = false;
  return async () => {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof PayrailError)) throw error;
      if (mayBeGone && error.status === 404) return {};
      mayBeGone ||= error.mayHaveHappened;
      throw error;
    }
  };
}

/**
 * The path with its parameters in it, and the parameters that are left for query or body. The
 * business is that of the token, unless the parameters name one.
 */
function fill(template: string, params: Values, token?: string): { path: string; rest: Values } {
  const rest = { ...params };
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const isOwn = name === "businessId" && token !== undefined && rest[name] === undefined;
    const value = isOwn ? subjectOf(token) : rest[name];
    delete rest[name];
    return pathPart(name, value);
  });
  return { path, rest };
}

/** Encodes a parameter of the path. An empty one, `.` or `..` would address another endpoint. */
function pathPart(name: string, value: unknown): string {
  if (typeof value !== "string" || /^\.{0,2}$/.test(value)) {
    throw new TypeError(`${name} must be a text, and not ${JSON.stringify(value)}`);
  }
  return encodeURIComponent(value);
}

/** The id of the business: the subject of its token, which is a JWT. */
function subjectOf(token: string): string {
  const [, claims = ""] = token.split(".");
  const json = atob(claims.replaceAll("-", "+").replaceAll("_", "/"));
  const { sub } = JSON.parse(json) as { sub: string };
  return sub;
}

function queryOf(values: Values): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const texts = given.map(([name, value]): [string, string] => [name, String(value)]);
  const query = new URLSearchParams(texts);
  return given.length > 0 ? `?${query.toString()}` : "";
}
