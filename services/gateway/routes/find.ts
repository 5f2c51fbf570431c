// Finds a thing by its id over all businesses, for operators: an id in a mail or a log leads to the
// thing's page.

import type { Result } from "../../../shared/contracts/contracts.ts";
import { payouts } from "../../../shared/contracts/payouts.ts";
import { errorType, fail } from "../../../shared/errors.ts";
import { ADMIN, type Call, composed, type Route } from "../http/route.ts";

const SERVICES = ["payouts", "payment-links", "wallet-ledger", "accounts", "webhooks"] as const;

const find = {
  ...payouts["payouts.whereIs"],
  does: "Finds a business, an end user or a thing of theirs by its id, over all businesses",
};

async function findAnywhere(
  { id }: { id: string },
  call: Call,
): Promise<Result<"payouts.whereIs">> {
  try {
    return await Promise.any(SERVICES.map((service) => call(`${service}.whereIs`, { id })));
  } catch (error) {
    const { errors } = error as AggregateError;
    // A service that failed may have the thing, so its failure is no 404.
    const failure = errors.find((each: unknown) => errorType(each) !== "NOT_FOUND");
    if (failure) throw failure;
    return fail("NOT_FOUND");
  }
}

export const findRoute: Route = composed(
  "GET /v1/admin/find/:id",
  ADMIN,
  "findById",
  find,
  findAnywhere,
  {
    example: {
      response: {
        success: true,
        data: {
          kind: "payout",
          id: "0198c0de-7a56-7000-8000-1b7d9e4f3c20",
          businessId: "0198c0de-7a51-7000-8000-3f1d5a2b9c01",
        },
      },
    },
  },
);
