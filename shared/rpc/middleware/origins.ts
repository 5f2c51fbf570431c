// The origins of calls (origin.ts): a call carries those of its caller, and its action runs with
// them. Moleculer's own log lines name the first request.

import { type Origin, origins, readOrigins, workFor } from "../origin.ts";
import { aroundActions, aroundCalls } from "./middleware.ts";

export const carriedOrigins = {
  ...aroundActions((next) => (context) => {
    const { origins: sent } = context.headers as { origins?: readonly Origin[] };
    return workFor(readOrigins(sent), () => next(context));
  }),
  ...aroundCalls((next) => (name, params, options) => {
    const all = origins();
    const [first] = all;
    const carried = first && { headers: { origins: all }, requestID: first.requestId };
    return next(name, params, { ...options, ...carried });
  }),
};
