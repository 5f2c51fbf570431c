// Finds a thing by its id, or things by a text, over all businesses, for operators: an id, an email
// or a reference in a mail or a log leads to the thing's page.

import { checker } from "../../../shared/contracts/checker.ts";
import { action } from "../../../shared/contracts/contract.ts";
import type { Result } from "../../../shared/contracts/contracts.ts";
import type { Infer } from "../../../shared/contracts/field.ts";
import { text } from "../../../shared/contracts/fields.ts";
import { foundThings } from "../../../shared/contracts/find.ts";
import { payouts } from "../../../shared/contracts/payouts.ts";
import { errorType, fail } from "../../../shared/errors.ts";
import { readUuid } from "../../../shared/ids.ts";
import { newestOf } from "../../../shared/storage/find.ts";
import { ADMIN, type Call, composed, type Route } from "../http/route.ts";

const SERVICES = ["payouts", "payment-links", "wallet-ledger", "accounts", "webhooks"] as const;
/** The services whose things have emails or references. */
const WITH_TEXTS = ["payouts", "payment-links", "wallet-ledger", "accounts"] as const;

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

const findAll = action({
  does: "Finds things of all businesses by an id, an email or a reference, newest first. An email is one of a business, an end user or a linked account; a reference is one of a payout, a funding, an adjustment, a transfer or a refund, or the orderId of a payment",
  params: {
    q: text({ note: "The whole id, email (in any case) or reference", example: "invoice-1042" }),
  },
  result: foundThings,
  errors: ["TOO_BROAD"],
});

const checkQuery = checker(findAll.params);

/** A text may be an id and a reference, so it is looked up as everything that it can be. */
async function findEverywhere(
  params: Infer<typeof findAll.params>,
  call: Call,
): Promise<Result<"accounts.whereAre">> {
  const { q } = checkQuery(params);
  const id = readUuid(q);
  const found = await Promise.all([
    id === null ? [] : findAnywhere({ id }, call).then((thing) => [thing], noneIfNotFound),
    ...WITH_TEXTS.map((service) => call(`${service}.whereAre`, { text: q })),
  ]);
  return newestOf(found.flat());
}

function noneIfNotFound(error: unknown): [] {
  if (errorType(error) === "NOT_FOUND") return [];
  throw error;
}

const FOUND = {
  kind: "payout",
  id: "0198c0de-7a56-7000-8000-1b7d9e4f3c20",
  businessId: "0198c0de-7a51-7000-8000-3f1d5a2b9c01",
};

export const findRoutes: Route[] = [
  composed("GET /v1/admin/find", ADMIN, "find", findAll, findEverywhere, {
    example: { response: { success: true, data: [FOUND] } },
  }),
  composed("GET /v1/admin/find/:id", ADMIN, "findById", find, findAnywhere, {
    example: { response: { success: true, data: FOUND } },
  }),
];
