// Middlewares of actions and of calls, in Moleculer's form. broker.ts has their order.

import type { ActionHandler, CallingOptions, Context, Middleware } from "moleculer";
import { type Implementation, implementationOf, type Meta } from "../actions.ts";

/** Runs an action with its context. */
type Run = (context: Context<unknown, Meta>) => Promise<unknown>;

/**
 * A middleware of the actions that a service implements by a contract.
 * @param wrap is called once for an action, so that an action without the concern costs nothing
 */
export function aroundActions(wrap: (next: Run, action: Implementation) => Run): Middleware {
  return {
    localAction(next: ActionHandler, action) {
      const implementation = implementationOf(action);
      return implementation ? wrap(next as Run, implementation) : next;
    },
  };
}

type Call = (name: string, params: unknown, options?: CallingOptions) => Promise<unknown>;

/** A middleware of all calls of a broker; Moleculer's own type of it is wrong. */
export function aroundCalls(wrap: (next: Call) => Call): Middleware {
  return { call: wrap as never };
}
