// A route: one endpoint of the table in routes/routes.ts. The server, the OpenAPI document and the
// tests are made from it. Its parameters are its contract's: each is read from the path if the path
// names it, otherwise from the query (GET, DELETE) or the body (POST, PUT, PATCH). All other
// parameters of a request are dropped.

import type { IncomingHttpHeaders } from "node:http";
import { ALL_SCOPES, type Scope } from "../../../shared/contracts/accounts.ts";
import type { Contract, ParamsOf, ResultOf } from "../../../shared/contracts/contract.ts";
import {
  type ActionName,
  contractFor,
  type Params,
  type Result,
} from "../../../shared/contracts/contracts.ts";
import type { Fields, JsonSchema } from "../../../shared/contracts/field.ts";
import type { ErrorType } from "../../../shared/errors.ts";
import type { Actor, CallOptions } from "../../../shared/rpc/actions.ts";
import type { ClientAddress } from "./address.ts";
import type { HttpAnswer } from "./answer.ts";
import { type ErrorForm, ORDINARY_ERRORS } from "./refusal.ts";

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The callers that may use a route. */
export interface Access {
  roles: readonly Actor["role"][];
  /** The scope that the token needs; external.apis implies every scope. Most reading needs none. */
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

/** The parts of a request that parameters are read from. */
export interface RouteRequest {
  /** Parameters of the path, decoded. */
  params: Record<string, unknown>;
  /** Parameters of the query. A repeated one is a list; a name with brackets keeps them. */
  query: Record<string, unknown>;
  headers: IncomingHttpHeaders;
  /** Undefined if the request has none. */
  body: unknown;
  /** Null on a public route. */
  caller: Actor | null;
  /** The network address of the client. */
  address(): ClientAddress;
}

/** Calls an action on behalf of the request, within the remaining time of the request. */
export type Call = <A extends ActionName>(
  name: A,
  params: Params<A>,
  options?: Pick<CallOptions, "timeoutMs">,
) => Promise<Result<A>>;

/** Calls an action on every node that serves it; returns the results that come in time. */
export type CallEach = <A extends ActionName>(
  name: A,
  params: Params<A>,
  timeoutMs: number,
) => Promise<Result<A>[]>;

/** The answer for a result, and its description in the OpenAPI document. */
export interface AnswerForm<R> {
  statuses: readonly number[];
  schema: JsonSchema;
  /** An example of the answer as comma-separated values, if the request can ask for them. */
  csv?: string;
  /** Headers in addition to those of every answer, also when a limit refuses. */
  headers?: Fields;
  of(result: R): HttpAnswer;
}

interface Options<R> {
  /** Parameters that come from elsewhere than path, query and body, or under another name. */
  from?: Record<string, (request: RouteRequest) => unknown>;
  /**
   * The body's fields if they differ from the parameters: the whole body is one parameter, or the
   * names differ.
   */
  body?: Fields;
  /** Headers that `from` reads. */
  headers?: Fields;
  /** Of the answer: 201 if the request creates a resource, 202 if it is completed later. */
  status?: number;
  /** By default the result as `data`, or a page's items and meta. */
  answer?: AnswerForm<R>;
  /** The type of a failure without an answer, because the action may have been done. */
  unknownAs?: ErrorType;
  /** The body of its errors; `{success: false, message, fatal: true}` by default. */
  errorForm?: ErrorForm;
  /** The forms of the body, if its fields depend on each other; the document has a schema each. */
  bodyForms?: Record<string, Fields>;
  /** A form is accepted beside JSON, as OAuth requires. */
  takesForm?: boolean;
  /** The body is a text of any type, and is not parsed. */
  takesText?: boolean;
  /** It asks several services in turn for the thing that it changes, each with keys of its own. */
  asksInTurn?: boolean;
  /** A POST that only reads, because its input has no place in a URL: it takes no key. */
  isRead?: boolean;
  /** The answer has whole account numbers, so an operator's reading is in the audit log. */
  showsNumbers?: boolean;
  example?: { request?: unknown; response?: unknown };
}

/** A part of the API, as readers know it. */
export interface Area {
  name: string;
  description: string;
}

export interface Route
  extends Omit<Options<unknown>, "from" | "body" | "status" | "answer" | "errorForm"> {
  method: HttpMethod;
  path: string;
  access: Access | null;
  /** Unique: the operation's id in the OpenAPI document. */
  name: string;
  contract: Contract;
  /** The heading of the OpenAPI document under which the route is listed. */
  area: Area;
  from: Record<string, (request: RouteRequest) => unknown>;
  inPath: string[];
  inQuery: string[];
  inBody: string[];
  /** The body in the OpenAPI document; null if none is needed. */
  body: Fields | null;
  answer: AnswerForm<unknown>;
  errorForm: ErrorForm;
  run(params: unknown, call: Call, callEach: CallEach): Promise<unknown>;
}

export type RouteName = `${HttpMethod} /${string}`;

/**
 * A route that calls one action.
 * @param name the operation's id in the OpenAPI document, and so the method's name in clients
 */
export function route<A extends ActionName>(
  endpoint: RouteName,
  access: Access | null,
  name: string,
  action: A,
  options: Options<Result<A>> = {},
): Route {
  const run = (params: Params<A>, call: Call) => call(action, params);
  return build(endpoint, access, name, contractFor(action), run, options);
}

/**
 * A route that calls several actions.
 * @param run gets the parameters unchecked: the actions check their own
 */
export function composed<C extends Contract>(
  endpoint: RouteName,
  access: Access | null,
  name: string,
  contract: C,
  run: (params: ParamsOf<C>, call: Call, callEach: CallEach) => Promise<ResultOf<C>>,
  options: Options<ResultOf<C>> = {},
): Route {
  return build(endpoint, access, name, contract, run, options);
}

function build<P, R>(
  endpoint: RouteName,
  access: Access | null,
  name: string,
  contract: Contract,
  run: (params: P, call: Call, callEach: CallEach) => Promise<R>,
  { from = {}, body, status = 200, answer, errorForm = ORDINARY_ERRORS, ...options }: Options<R>,
): Route {
  const [method, path] = endpoint.split(" ") as [HttpMethod, string];
  const names = Object.keys(contract.params);
  const inPath = names.filter((param) => path.split("/").includes(`:${param}`));
  const others = names.filter((param) => !inPath.includes(param) && !Object.hasOwn(from, param));
  const hasBody = ["POST", "PUT", "PATCH"].includes(method);
  const inBody = hasBody ? others : [];
  const own = inBody.map((param) => [param, contract.params[param]]);
  const bodyFields: Fields = body ?? Object.fromEntries(own);
  return {
    ...options,
    method,
    path,
    access,
    name,
    contract,
    area: { name: "", description: "" },
    from,
    inPath,
    inQuery: hasBody ? [] : others,
    inBody,
    body: Object.keys(bodyFields).length > 0 ? bodyFields : null,
    answer: answer ?? ordinary(contract, status),
    errorForm,
    run,
  };
}

/** The envelope of every successful answer. */
export function envelope(parts: Record<string, JsonSchema>): JsonSchema {
  return {
    type: "object",
    properties: {
      success: { type: "boolean", enum: [true], description: "Always true" },
      ...parts,
    },
    required: ["success", ...Object.keys(parts)],
  };
}

/** A page's items and meta beside each other; any other result as `data`. */
function ordinary({ result: { fields, schema } }: Contract, status: number): AnswerForm<unknown> {
  const { items, meta } = fields ?? {};
  const isPage = items && meta;
  return {
    statuses: [status],
    schema: envelope(
      isPage
        ? { data: { ...items.schema, description: "The results" }, meta: meta.schema }
        : { data: { description: "The result", ...schema } },
    ),
    of: (result) => {
      const page = result as { items: unknown; meta: unknown };
      const parts = isPage ? { data: page.items, meta: page.meta } : { data: result };
      return { status, body: { success: true, ...parts } };
    },
  };
}
