// Calls of payrail's endpoints by name: their parameters in, the answer's `data` out.

import { randomUUID } from "node:crypto";
import type { Data, Endpoint, Item, ListEndpoint, Params } from "./endpoint.ts";
import { PayrailError } from "./errors.ts";
import { type Connection, exchange } from "./exchange.ts";
import { List, type Page, type Place } from "./list.ts";
import { withRetries } from "./retry.ts";
import type { Tokens } from "./tokens.ts";

/** For one call. */
export interface CallOptions {
  /** Ends the call. It may have been done all the same: an `idempotencyKey` of yours finds out. */
  signal?: AbortSignal;
  /** For each attempt; the client's by default. */
  timeoutMs?: number;
  /** The attempts after the first one; the client's by default. */
  retries?: number;
}

/** For a call that makes or moves something. */
export interface WriteOptions extends CallOptions {
  /** One call's, for good; made by the client by default. */
  idempotencyKey?: string;
}

interface Extras {
  headers?: Record<string, string>;
  /** Of an endpoint without a caller. */
  isPublic?: boolean;
}

type Values = Record<string, unknown>;

export class Api {
  readonly #connection: Connection;
  readonly #tokens: Tokens;

  constructor(connection: Connection, tokens: Tokens) {
    this.#connection = connection;
    this.#tokens = tokens;
  }

  /** A POST has a key, which is the same for all its attempts. */
  async call<E extends Endpoint>(
    endpoint: E,
    params: Params<E>,
    { idempotencyKey, ...options }: WriteOptions = {},
    extras: Extras = {},
  ): Promise<Data<E>> {
    const keyed = endpoint.startsWith("POST ")
      ? { ...options, idempotencyKey: idempotencyKey ?? randomUUID() }
      : options;
    const { data } = await this.#send(endpoint, params, keyed, extras);
    return data as Data<E>;
  }

  list<E extends ListEndpoint>(
    endpoint: E,
    params: Params<E>,
    options: CallOptions = {},
  ): List<Item<E>> {
    return new List(async (place: Place) => {
      const { data, meta } = await this.#send(endpoint, { ...params, ...place }, options);
      return { items: data, meta } as Page<Item<E>>;
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
    const isBody = method === "POST" || method === "PATCH";
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
    const once = isPublic ? () => ask() : this.#authorized(ask);
    try {
      return await withRetries(method === "DELETE" ? gone(once) : once, { retries, signal });
    } catch (error) {
      // The caller does not have a key that the client made.
      if (error instanceof PayrailError) error.idempotencyKey = idempotencyKey;
      throw error;
    }
  }

  /** Asks with a token; once more with another one if payrail refuses it. */
  #authorized(ask: (token: string) => Promise<Values>): () => Promise<Values> {
    let mayRenew = true;
    return async () => {
      const token = await this.#tokens.get();
      try {
        return await ask(token);
      } catch (error) {
        const isRefused =
          error instanceof PayrailError &&
          error.status === 401 &&
          error.code !== "insufficient_scope";
        if (!isRefused || !mayRenew || !this.#tokens.drop(token)) throw error;
        mayRenew = false;
        return ask(await this.#tokens.get());
      }
    };
  }
}

/** Takes a 404 after an attempt without an answer as the success of that attempt. */
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

/** The path with its parameters in it, and the parameters that are left for query or body. */
function fill(template: string, params: Values, token?: string): { path: string; rest: Values } {
  const rest = { ...params };
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = name === "businessId" && token !== undefined ? subjectOf(token) : rest[name];
    delete rest[name];
    return pathPart(name, value);
  });
  return { path, rest };
}

/** An empty part, or one of dots, would make the path that of another endpoint. */
function pathPart(name: string, value: unknown): string {
  if (typeof value !== "string" || /^\.{0,2}$/.test(value)) {
    throw new TypeError(`${name} must be a text, and not ${JSON.stringify(value)}`);
  }
  return encodeURIComponent(value);
}

/** The id of the business: the subject of its token, which is a JWT. */
function subjectOf(token: string): string {
  const [, claims = ""] = token.split(".");
  const { sub } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { sub: string };
  return sub;
}

function queryOf(values: Values): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const texts = given.map(([name, value]): [string, string] => [name, String(value)]);
  const query = new URLSearchParams(texts);
  return given.length > 0 ? `?${query.toString()}` : "";
}
