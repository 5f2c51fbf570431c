// The forms of operators' routes: a change with the operator's note, and a list of one business.

import { checker } from "../../../shared/contracts/checker.ts";
import type { Contract, ParamsOf, ResultOf } from "../../../shared/contracts/contract.ts";
import { optional } from "../../../shared/contracts/field.ts";
import { text } from "../../../shared/contracts/fields.ts";
import { ADMIN, type Call, composed, type Route, type RouteName } from "../http/route.ts";

type Run<C extends Contract> = (params: ParamsOf<C>, call: Call) => Promise<ResultOf<C>>;

const note = text({ max: 512, note: "Why, for the audit log", example: "The business asked us" });

/**
 * A change by an operator. The body's note is the operator's reason: the audit log keeps it with
 * the rest of the body, and the change itself does not get it.
 * @param contract of the same change without a note
 */
export function noted<C extends Contract>(
  endpoint: RouteName,
  name: string,
  contract: C,
  change: Run<C>,
  {
    isNoteOptional = false,
    ...options
  }: Pick<Route, "asksInTurn" | "example"> & { status?: number; isNoteOptional?: boolean } = {},
): Route {
  const params = { ...contract.params, note: isNoteOptional ? optional(note) : note };
  const check = checker(params);
  const run = (given: object, call: Call) => {
    const { note: _note, ...rest } = check(given);
    return change(rest as ParamsOf<C>, call);
  };
  return composed(endpoint, ADMIN, name, { ...contract, params }, run, options);
}

/**
 * A list of one business. An operator may name any business, so an unknown one is an error: an
 * empty list would look like a business without entries.
 */
export function listOfBusiness<C extends Contract>(
  endpoint: RouteName,
  name: string,
  contract: C,
  list: Run<C>,
): Route {
  const errors = [...contract.errors, "BUSINESS_NOT_FOUND" as const];
  return composed<C>(endpoint, ADMIN, name, { ...contract, errors }, async (params, call) => {
    const { businessId } = params as { businessId?: string };
    await call("accounts.business", { businessId: businessId as string });
    return list(params, call);
  });
}
