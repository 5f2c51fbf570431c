// Serves a route: reads the body and the parameters of an authorized request, runs the route's
// action, and makes the answer.

import type { ServiceBroker } from "moleculer";
import type { IncomingRequest } from "moleculer-web";
import type { Clock } from "../../../shared/clock.ts";
import { checker } from "../../../shared/contracts/checker.ts";
import { type Fields, isObject } from "../../../shared/contracts/field.ts";
import {
  type ErrorData,
  errorType,
  type FieldError,
  failFields,
  wrongField,
} from "../../../shared/errors.ts";
import { type Actor, call, callEach, type Idempotency } from "../../../shared/rpc/actions.ts";
import type { RefuseFrozen } from "../access/frozen.ts";
import type { FindAddress } from "./address.ts";
import type { HttpAnswer } from "./answer.ts";
import { audited, changeOf, isAudited, isChange } from "./audit.ts";
import { readBody } from "./body.ts";
import { readIdempotency } from "./idempotency.ts";
import { roundedIn, written } from "./json.ts";
import { normalizeIds, readParameters } from "./parameters.ts";
import type { Call, CallEach, Route, RouteRequest } from "./route.ts";
import { findUnknown, isRead, isStrict } from "./strict.ts";

export interface ServeDeps {
  clock: Clock;
  findAddress: FindAddress;
  /** Refuses a change by a caller of a frozen business. */
  refuseFrozen: RefuseFrozen;
}

/**
 * Answers a request of an authorized caller.
 * @throws the errors of the action's contract, UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, VALIDATION
 */
export async function serveRoute(
  route: Route,
  request: IncomingRequest,
  broker: ServiceBroker,
  { clock, findAddress, refuseFrozen }: ServeDeps,
): Promise<HttpAnswer> {
  const { params, query } = request.$params;
  const { user: caller = null } = request.$ctx.meta as { user?: Actor };
  const body = route.method === "GET" ? undefined : await readBody(request, route);
  normalizeIds(route, body);
  const address = () => findAddress(request);
  const { headers } = request;
  const asked: RouteRequest = { params, query, headers, body, caller, address };
  refuseMisread(route, asked);
  const input = readParameters(route, asked);
  const idempotency = readIdempotency(route, asked);
  if (isChange(route)) await refuseFrozen(caller);
  const answer = async () =>
    route.answer.of(await route.run(input, ...callsFor(caller, idempotency, route, broker, clock)));
  if (!isAudited(route, caller)) return answer();
  return audited(changeOf(route, asked, input, caller), broker, answer);
}

/**
 * Refuses a request of which the route would read something else than was written: numbers that
 * were rounded, and, if the request is strict, names that it does not know.
 * @throws VALIDATION, also with the fields that are wrong beside them
 */
function refuseMisread(route: Route, request: RouteRequest): void {
  const { headers, body } = request;
  const unknown = isStrict(headers) ? findUnknown(route, request) : [];
  const rounded = isObject(body) ? roundedIn(body).filter((path) => isRead(route, body, path)) : [];
  if (unknown.length + rounded.length === 0) return;
  const wrong = [...unknown, ...findWrong(route, request)];
  const named = new Set(wrong.map(({ field }) => field));
  const others = rounded.map(written).filter((field) => !named.has(field));
  failFields([...wrong, ...others.map((field) => wrongField(field, NOT_KEPT))]);
}

const NOT_KEPT = "must be a number of at most 15 digits, decimals included";

/** Compiled with the first use, because only requests that are refused need them. */
const checks = new WeakMap<Fields, (value: unknown) => unknown>();

/** The fields that the route's action would refuse. */
function findWrong(route: Route, request: RouteRequest): FieldError[] {
  const input = readParameters(route, request);
  // An action that takes the body as one parameter checks it by the route's fields.
  const isWhole = route.body !== null && Object.hasOwn(route.contract.params, "body");
  return [
    ...wrongIn(route.contract.params, input),
    ...(isWhole ? wrongIn(route.body as Fields, request.body) : []),
  ];
}

function wrongIn(fields: Fields, value: unknown): FieldError[] {
  const check = checks.get(fields) ?? checker(fields);
  checks.set(fields, check);
  try {
    check(value);
    return [];
  } catch (error) {
    if (errorType(error) !== "VALIDATION") throw error;
    return (error as { data?: ErrorData }).data?.errors ?? [];
  }
}

/**
 * Calls actions for the request's caller, with the time for which the client waits as the limit.
 */
function callsFor(
  caller: Actor | null,
  idempotency: Idempotency | undefined,
  { contract }: Route,
  broker: ServiceBroker,
  clock: Clock,
): [Call, CallEach] {
  const { timeoutMs: withinMs } = contract;
  // A route without a limit gives each of its calls one.
  const deadline = clock.now() + withinMs;
  const actor = caller && { sub: caller.sub, role: caller.role };
  const meta = {
    ...(actor && { actor }),
    ...(Number.isFinite(deadline) && { deadline }),
    ...(idempotency && { idempotency }),
  };
  const optionsFor = (timeoutMs: number) => {
    const left = Math.max(1, deadline - clock.now());
    return { meta, timeoutMs: Math.min(timeoutMs, left) };
  };
  return [
    (name, params, { timeoutMs = withinMs } = {}) =>
      call(broker, name, params, optionsFor(timeoutMs)),
    (name, params, timeoutMs) => callEach(broker, name, params, optionsFor(timeoutMs)),
  ];
}
