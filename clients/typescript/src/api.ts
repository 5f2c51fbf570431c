// Calls of payrail's endpoints by method and path, with the types of the OpenAPI document: the
// parameters of path, query and body side by side, and the answer's `data`.

import { randomUUID } from "node:crypto";
import type { Data, Item, ListPath, Method, Params, Path } from "./endpoint.ts";
import { PayrailError } from "./errors.ts";
import { type Connection, exchange } from "./exchange.ts";
import { List, type Page, type Place } from "./list.ts";
import { withRetries } from "./retry.ts";
import type { Tokens } from "./tokens.ts";

/** For one call. */
export interface CallOptions {
  /** Ends the call. What it asked for may have been done all the same. */
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

  async get<P extends Path<"get">>(
    path: P,
    params: Params<"get", P>,
    options: CallOptions = {},
    extras: Extras = {},
  ): Promise<Data<"get", P>> {
    const { data } = await this.#call("get", path, params, options, extras);
    return data as Data<"get", P>;
  }

  /** The key of the call is the same for all its attempts. */
  async post<P extends Path<"post">>(
    path: P,
    params: Params<"post", P>,
    options: WriteOptions = {},
    extras: Extras = {},
  ): Promise<Data<"post", P>> {
    const keyed = { ...options, idempotencyKey: options.idempotencyKey ?? randomUUID() };
    const { data } = await this.#call("post", path, params, keyed, extras);
    return data as Data<"post", P>;
  }

  async patch<P extends Path<"patch">>(
    path: P,
    params: Params<"patch", P>,
    options: CallOptions = {},
  ): Promise<Data<"patch", P>> {
    const { data } = await this.#call("patch", path, params, options);
    return data as Data<"patch", P>;
  }

  async delete<P extends Path<"delete">>(
    path: P,
    params: Params<"delete", P>,
    options: CallOptions = {},
  ): Promise<void> {
    await this.#call("delete", path, params, options);
  }

  list<P extends ListPath>(
    path: P,
    params: Params<"get", P>,
    options: CallOptions = {},
  ): List<Item<P>> {
    return new List(async (place: Place) => {
      const { data, meta } = await this.#call("get", path, { ...params, ...place }, options);
      return { items: data, meta } as Page<Item<P>>;
    });
  }

  async #call(
    method: Method,
    template: string,
    params: Values,
    options: WriteOptions,
    { headers = {}, isPublic = false }: Extras = {},
  ): Promise<Values> {
    const { idempotencyKey, signal } = options;
    const { timeoutMs = this.#connection.timeoutMs, retries = this.#connection.retries } = options;
    const endpoint = `${method.toUpperCase()} ${template}`;
    const ask = async (token?: string) => {
      const { path, rest } = fill(template, params, token);
      const isBody = method === "post" || method === "patch";
      return exchange(this.#connection, {
        method: method.toUpperCase(),
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
    return withRetries(method === "delete" ? gone(once) : once, { retries, signal });
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
