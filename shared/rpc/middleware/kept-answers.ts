// The kept answers of requests with an Idempotency-Key (idempotency.ts).

import { aroundActions } from "./middleware.ts";

export const keptAnswers = aroundActions((next, { contract, keepAnswers }) => {
  if (!contract.meta.includes("making")) return next;
  return (context) =>
    keepAnswers(context, (making) => {
      context.locals.making = making;
      return next(context);
    });
});
