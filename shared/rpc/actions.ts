// Actions from both sides: a service implements its part of the contracts here, and other services
// call it here.

import type { ActionSchema, Context, ServiceBroker } from "moleculer";
import type { Clock } from "../clock.ts";
import type { Contract } from "../contracts/contract.ts";
import {
  type ActionName,
  contractFor,
  type contracts,
  type Params,
  type Result,
} from "../contracts/contracts.ts";
import type { Field, Fields } from "../contracts/field.ts";
import { fail } from "../errors.ts";
import { type OwnDeadline, readerOfDeadlines } from "./callers-clocks.ts";
import { ownersOf } from "./owner-strategy.ts";

/**
 * The caller as the gateway verified it. The first action reads it; from there it is a parameter.
 */
export interface Actor {
  sub: string;
  role: "user" | "merchant" | "admin";
}

/** The Idempotency-Key of a repeatable request (docs/integrate/internal-systems.md, Meta). */
export interface Idempotency {
  /** The name of the route, because a key belongs to one route. */
  route: string;
  /** 1 to 255 visible ASCII characters, chosen by the caller. */
  key: string;
  /** The gateway's is a digest of path, body and headers; a repeat has the same text. */
  request: string;
  /**
   * Whether the request asks several services in turn for its thing, each with keys of its own.
   * Then a service that does not have the thing keeps the key with the request, so that the key
   * does nothing to another thing that it has.
   */
  asksInTurn?: boolean;
}

/** Sent beside an action's parameters, from the gateway to the first action only. */
export interface Meta {
  actor?: Actor;
  idempotency?: Idempotency;
  /**
   * Epoch ms after which no caller waits for the answer: by the caller's clock on its way, by the
   * own clock in a handler.
   */
  deadline?: number;
}

/** The id and the secret of the resource of an action, the same in all runs of one request. */
export interface Creation {
  /** The id of the resource; further resources of the request have ids derived from it. */
  id: string;
  /**
   * 256 random bits, in base64url, for a secret of the resource. Only a service with encryption
   * keys keeps them for another run.
   */
  secret: string;
  /** Whether an earlier run may have created the resource already. */
  isRepeat: boolean;
}

/**
 * Runs an action and keeps its answer for the caller's key; a repeat gets the kept answer. Without
 * a key it only runs the action.
 * @throws the action's own errors; KEY_REUSED if the key belongs to another request; STILL_RUNNING
 *   while another run has the lease
 */
export type KeepAnswers = (
  context: Pick<Context<unknown, Meta>, "meta" | "action">,
  handle: (creation: Creation) => Promise<unknown>,
) => Promise<unknown>;

/** The parts of `meta` that an action's contract names; an actor is always there. */
type MetaOf<A extends ActionName> =
  (typeof contracts)[A] extends Contract<Fields, unknown, infer M>
    ? ("actor" extends M ? { actor: Actor } : object) &
        ("deadline" extends M ? { deadline?: number } : object) &
        ("idempotency" extends M ? { idempotency?: Idempotency } : object)
    : never;

/** The further argument of the handler of an action that keeps its answers. */
type CreationOf<A extends ActionName> =
  (typeof contracts)[A] extends Contract<Fields, unknown, infer M>
    ? "creation" extends M
      ? [creation: Creation]
      : []
    : never;

type ServiceName = ActionName extends `${infer S}.${string}` ? S : never;
type ActionsOf<S extends ServiceName> = Extract<ActionName, `${S}.${string}`>;
type LocalName<A> = A extends `${string}.${infer Local}` ? Local : never;

/**
 * For each service, a handler of each action, with checked parameters and meta; withDatabase
 * provides `ready`. It maps all services together, because the compiler infers no parameters of
 * handlers from a type with the service as its parameter.
 */
type AllHandlers = {
  [S in ServiceName]: {
    [A in Exclude<ActionsOf<S>, `${S}.ready`> as LocalName<A>]: (
      params: Params<A>,
      context: Context<unknown, MetaOf<A>>,
      ...creation: CreationOf<A>
    ) => Promise<Result<A>>;
  };
};
export type Handlers<S extends ServiceName> = AllHandlers[S];

/** What middlewares know of an action that a service implements by a contract. */
export interface Implementation {
  /** With the service's, such as "payouts.withdraw". */
  name: ActionName;
  contract: Contract;
  ownDeadline: OwnDeadline;
  keepAnswers: KeepAnswers;
}

/**
 * The key of a function in an action's params that returns its implementation. The params alone
 * reach Moleculer's validator. Other nodes, to which they are sent as JSON, do not see it.
 */
const IMPLEMENTATION = Symbol("implementation");

/** Undefined for an action without a contract, such as the one of the HTTP server. */
export function implementationOf({ params }: Implementing): Implementation | undefined {
  return params?.[IMPLEMENTATION]?.();
}

interface Implementing {
  params?: { [IMPLEMENTATION]?(): Implementation };
}

/**
 * Makes Moleculer's action schemas of a service from its contracts and handlers. The middlewares of
 * the broker do the rest (broker.ts).
 * @param clock of the service; deadlines are translated to it
 * @param keepAnswers runs the actions whose contract has `creation` in `meta`
 */
export function implement<S extends ServiceName>(
  service: S,
  clock: Clock,
  keepAnswers: KeepAnswers,
  handlers: AllHandlers[S],
): Record<string, ActionSchema> {
  const ownDeadline = readerOfDeadlines(clock);
  const implementOne = ([local, handle]: [string, AnyHandler]): [string, ActionSchema] => {
    const name = `${service}.${local}` as ActionName;
    const contract = contractFor(name);
    const implementation = () => ({ name, contract, ownDeadline, keepAnswers });
    const params = { ...inShort(contract.params), [IMPLEMENTATION]: implementation };
    return [local, { params, handler: (its) => handle(its.params, its, its.locals.creation) }];
  };
  return Object.fromEntries(
    Object.entries(handlers as Record<string, AnyHandler>).map(implementOne),
  );
}

type AnyHandler = (params: unknown, context: Context<unknown, Meta>, creation: Creation) => unknown;

/** The parameters for people, in the short form of Moleculer's own schemas. */
function inShort(params: Fields): Record<string, string> {
  const short = ({ schema: { type = "any" }, optional }: Field) =>
    `${type as string}${optional ? "|optional" : ""}`;
  return Object.fromEntries(Object.entries(params).map(([name, each]) => [name, short(each)]));
}

/** The origin of a call; a broker for work that outlives a request or belongs to none. */
export type Caller =
  | Pick<ServiceBroker, "call" | "registry">
  | Pick<Context<unknown, Meta>, "call" | "broker">;

export interface CallOptions {
  meta?: Meta;
  /** A shorter timeout than the contract's, in milliseconds. */
  timeoutMs?: number;
  /** The node to call. Left out: the one that the broker's strategy selects (owner-strategy.ts). */
  nodeID?: string;
}

/** The framework's errors that prove that the action did not start. */
const NOT_BEGUN = ["SERVICE_NOT_FOUND", "SERVICE_NOT_AVAILABLE"];

/**
 * Calls an action.
 * @returns its result
 * @throws the errors of the action's contract, by `type`; UNAVAILABLE if no node serves it;
 *   anything else (a timeout, a lost connection) leaves the outcome unknown
 */
export async function call<A extends ActionName>(
  caller: Caller,
  name: A,
  params: Params<A>,
  { meta, timeoutMs, nodeID }: CallOptions = {},
): Promise<Result<A>> {
  const contract = contractFor(name);
  const options = {
    timeout: timeoutMs ?? contract.timeoutMs,
    // Moleculer passes the caller's meta on, but a key is only for the first action.
    meta: { idempotency: undefined, ...meta },
    ...(nodeID && { nodeID }),
  };
  try {
    return await caller.call<Result<A>, never>(name, params as never, options);
  } catch (error) {
    const { type = "", data } = error as { type?: string; data?: { nodeID?: string } };
    if (NOT_BEGUN.includes(type)) fail("UNAVAILABLE");
    const late = type === "REQUEST_TIMEOUT" && (nodeID ?? contract.postsTo) && data?.nodeID;
    if (late) ownersOf(brokerOf(caller)).markUnresponsive(late);
    throw error;
  }
}

/**
 * Calls an action on every node that serves it.
 * @returns the results of those that answer in time
 */
export async function callEach<A extends ActionName>(
  caller: Caller,
  name: A,
  params: Params<A>,
  options: Omit<CallOptions, "nodeID">,
): Promise<Result<A>[]> {
  const answers = await Promise.allSettled(
    nodesServing(brokerOf(caller), name).map((nodeID) =>
      call(caller, name, params, { ...options, nodeID }),
    ),
  );
  return answers.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
}

function brokerOf(caller: Caller): Pick<ServiceBroker, "registry"> {
  return "broker" in caller ? caller.broker : caller;
}

/** The nodes that serve an action, in an order that is the same for all callers. */
export function nodesServing(
  { registry }: Pick<ServiceBroker, "registry">,
  name: ActionName,
): string[] {
  const endpoints = registry.actions.get(name)?.endpoints ?? [];
  const available = endpoints.filter(({ isAvailable }) => isAvailable);
  return available.map(({ id }) => id).toSorted();
}
