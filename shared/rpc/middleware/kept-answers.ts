// The kept answers of requests with an Idempotency-Key (idempotency.ts).

import { aroundActions } from "./middleware.ts";

export const keptAnswers = aroundActions((next, { contract, keepAnswers }) => {
  if (!contract.meta.includes("creation")) return next;
  return (context) =>
    keepAnswers(context, (creation) => {
      context.locals.creation = creation;
      return next(context);
    });
});
