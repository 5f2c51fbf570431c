// The deadlines of actions, by their callers' clocks (callers-clocks.ts). A caller that has just
// begun to wait has the whole time of the contract.

import { aroundActions } from "./middleware.ts";

export const deadlines = aroundActions((next, { contract, ownDeadline }) => {
  if (!contract.meta.includes("deadline")) return next;
  return (context) => {
    const { deadline } = context.meta;
    if (deadline !== undefined) {
      context.meta.deadline = ownDeadline(context, deadline, contract.timeoutMs);
    }
    return next(context);
  };
});
