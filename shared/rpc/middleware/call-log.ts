// The call log: one line about each run of an action, at debug.

import { failureType } from "../../observability/spans.ts";
import { aroundActions } from "./middleware.ts";

export const callLog = aroundActions((next, { name }) => async (context) => {
  const startedAt = performance.now();
  let reason: string | undefined;
  try {
    return await next(context);
  } catch (error) {
    reason = failureType(error);
    throw error;
  } finally {
    const durationMs = Math.round(performance.now() - startedAt);
    context.service?.logger.debug({ action: name, durationMs, reason }, "call");
  }
});
