// A route: one endpoint of the table in routes.ts. The server, the OpenAPI document and the tests
// are made from it. Its parameters are its contract's: each is read from the path if the path names
// it, otherwise from the query (GET, DELETE) or the body (POST, PATCH). All other parameters of a
// request are dropped.

import type { Actor, CallOptions } from "../../../shared/actions.ts";
import { ALL_SCOPES, type Scope } from "../../../shared/contracts/accounts.ts";
import type { Contract, ParamsOf, ResultOf } from "../../../shared/contracts/contract.ts";
import {
  type ActionName,
  contractOf,
  type Params,
  type Result,
} from "../../../shared/contracts.ts";
import type { ErrorType } from "../../../shared/errors.ts";
import type { Field, Fields, JsonSchema } from "../../../shared/field.ts";
import type { Answer } from "./answer.ts";
import type { RefusalOptions } from "./refusal.ts";
import type { RouteRequest } from "./request.ts";

export type HttpMethod = "GET" | "POST" | "PATCH" | "DELETE";

/** The callers that may use a route. */
export interface Access {
  roles: readonly Actor["role"][];
  /** The scope that the token needs; external.apis implies every scope. Reading needs none. */
  scope?: Scope;
  /**
   * Whether the path's :businessId has to be the merchant; another's business answers like one that
   * does not exist.
   */
  ownBusiness?: boolean;
  /** The error for another merchant's business; BUSINESS_NOT_FOUND by default. */
  otherwise?: ErrorType;
}

/** Access of a route without authentication. */
export const PUBLIC = null;
export const ADMIN: Access = { roles: ["admin"] };
export const MERCHANT: Access = { roles: ["merchant"] };
export const OWN_BUSINESS: Access = { roles: ["merchant"], ownBusiness: true };
export const EXTERNAL: Access = { roles: ["user", "merchant"] };
export const EXTERNAL_APIS: Access = { roles: ["user", "merchant"], scope: ALL_SCOPES };

/** For a merchant's changes that move money, or that change the destination of money or events. */
export function ownBusinessWith(scope: Scope): Access {
  return { ...OWN_BUSINESS, scope };
}

/** Calls an action on behalf of the request, within the remaining time of the request. */
export type Call = <A extends ActionName>(
  name: A,
  params: Params<A>,
  options?: Pick<CallOptions, "timeoutMs">,
) => Promise<Result<A>>;

/** The answer for a result, and its description in the OpenAPI document. */
export interface AnswerForm<R> {
  statuses: readonly number[];
  schema: JsonSchema;
  /** Headers in addition to those of every answer, also when a limit refuses. */
  headers?: Fields;
  of(result: R): Answer;
}

interface Options<R> extends RefusalOptions {
  /** Parameters that come from elsewhere than path, query and body, or under another name. */
  from?: Record<string, (request: RouteRequest) => unknown>;
  /**
   * The body's fields if they differ from the parameters: the whole body is one parameter, or the
   * names differ.
   */
  body?: Fields;
  /** Headers that `from` reads. */
  headers?: Fields;
  /** By default the answer has status 200 and the result as `data`, or a page's items and meta. */
  answer?: AnswerForm<R>;
  /** A form is accepted beside JSON, as OAuth requires. */
  takesForm?: boolean;
  example?: { request?: unknown; response: unknown };
}

export interface Route extends Omit<Options<unknown>, "from" | "body" | "answer"> {
  method: HttpMethod;
  path: string;
  access: Access | null;
  /** Unique; the action's name if the route is one action. */
  name: string;
  contract: Contract;
  /** The heading of the OpenAPI document under which the route is listed. */
  area: string;
  from: Record<string, (request: RouteRequest) => unknown>;
  inPath: string[];
  inQuery: string[];
  inBody: string[];
  /** The body in the OpenAPI document; null if none is needed. */
  body: Fields | null;
  answer: AnswerForm<unknown>;
  run(params: unknown, call: Call): Promise<unknown>;
}

export type Endpoint = `${HttpMethod} /${string}`;

/** A route that calls one action. */
export function route<A extends ActionName>(
  endpoint: Endpoint,
  access: Access | null,
  name: A,
  options: Options<Result<A>> = {},
): Route {
  const run = (params: Params<A>, call: Call) => call(name, params);
  return build(endpoint, access, name, contractOf(name), run, options);
}

/**
 * A route that calls several actions.
 * @param run gets the parameters unchecked: the actions check their own
 */
export function composed<C extends Contract>(
  endpoint: Endpoint,
  access: Access | null,
  name: string,
  contract: C,
  run: (params: ParamsOf<C>, call: Call) => Promise<ResultOf<C>>,
  options: Options<ResultOf<C>> = {},
): Route {
  return build(endpoint, access, name, contract, run, options);
}

function build<P, R>(
  endpoint: Endpoint,
  access: Access | null,
  name: string,
  contract: Contract,
  run: (params: P, call: Call) => Promise<R>,
  { from = {}, body, answer, ...options }: Options<R>,
): Route {
  const [method, path] = endpoint.split(" ") as [HttpMethod, string];
  const names = Object.keys(contract.params);
  const inPath = names.filter((param) => path.split("/").includes(`:${param}`));
  const others = names.filter((param) => !inPath.includes(param) && !Object.hasOwn(from, param));
  const hasBody = method === "POST" || method === "PATCH";
  const inBody = hasBody ? others : [];
  const bodyFields = body ?? pick(contract.params, inBody);
  return {
    ...options,
    method,
    path,
    access,
    name,
    contract,
    area: "",
    from,
    inPath,
    inQuery: hasBody ? [] : others,
    inBody,
    body: Object.keys(bodyFields).length > 0 ? bodyFields : null,
    answer: answer ?? ordinary(contract),
    run: run,
  };
}

function pick(fields: Fields, names: string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, fields[name] as Field]));
}

/** The envelope of every successful answer. */
export function envelope(parts: Record<string, JsonSchema>): JsonSchema {
  return {
    type: "object",
    properties: { success: { type: "boolean", enum: [true] }, ...parts },
    required: ["success", ...Object.keys(parts)],
  };
}

function ordinary({ result }: Contract): AnswerForm<unknown> {
  const { items, meta } = result.fields ?? {};
  if (items && meta) return paged(items, meta);
  return {
    statuses: [200],
    schema: envelope({ data: result.schema }),
    of: (data) => ({ status: 200, body: { success: true, data } }),
  };
}

function paged(items: Field, meta: Field): AnswerForm<unknown> {
  return {
    statuses: [200],
    schema: envelope({ data: items.schema, meta: meta.schema }),
    of: (result) => {
      const page = result as { items: unknown; meta: unknown };
      return { status: 200, body: { success: true, data: page.items, meta: page.meta } };
    },
  };
}

/** For a result that was created by the request: 201. */
export function created<A extends ActionName>(name: A): AnswerForm<Result<A>> {
  return {
    statuses: [201],
    schema: envelope({ data: contractOf(name).result.schema }),
    of: (data) => ({ status: 201, body: { success: true, data } }),
  };
}

/** For a result that was accepted and is completed after the answer. */
export function accepted<A extends ActionName>(name: A): AnswerForm<Result<A>> {
  return {
    ...created(name),
    statuses: [202],
    of: (data) => ({ status: 202, body: { success: true, data } }),
  };
}

/** For a result `{created, [key]: resource}`: 201 if the request created it, 200 if it existed. */
export function createdOrThere<A extends ActionName>(
  name: A,
  key: Exclude<keyof Result<A>, "created"> & string,
): AnswerForm<Result<A>> {
  const resource = contractOf(name).result.fields?.[key] as Field;
  return {
    statuses: [200, 201],
    schema: envelope({ data: resource.schema }),
    of: (result) => ({
      status: (result as { created: boolean }).created ? 201 : 200,
      body: { success: true, data: result[key] },
    }),
  };
}
