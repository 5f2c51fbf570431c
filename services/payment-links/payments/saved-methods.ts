// Payment methods as they are saved: what the vault knows of a token, and the token sealed. A method is
// there before anything names it; what then is not stored takes its method with it.

import { fail } from "../../../shared/errors.ts";
import { seal } from "../../../shared/seal.ts";
import { cardOf } from "../acquirers/acquirer.ts";
import { orUnavailable } from "../acquirers/or-unavailable.ts";
import type { BillingDeps } from "../billing/billing-deps.ts";
import type { Subscription } from "../billing/subscription.model.ts";
import { methodPlaceOf, type SavedMethod } from "./saved-method.model.ts";

/**
 * Saves a card of the vault; nothing is charged.
 * @throws UNAVAILABLE where nothing charges cards; VALIDATION for a token that the vault does not have
 */
export async function saveMethod(
  deps: BillingDeps,
  { subscriptionId, businessId }: Pick<SavedMethod, "subscriptionId" | "businessId">,
  token: string,
): Promise<SavedMethod> {
  const acquirer = deps.acquirer ?? fail("UNAVAILABLE");
  const card = await cardOf(deps.clock, acquirer, token);
  const id = deps.newId();
  const method = {
    _id: id,
    subscriptionId,
    businessId,
    acquirer: acquirer.name,
    token: seal(deps.config, methodPlaceOf(id), token),
    card,
  };
  await deps.methods.insertOne(method);
  return method;
}

/** Takes back a method that nothing names. Where that fails it stays, sealed, and charges nothing. */
export async function dropMethod(deps: BillingDeps, { _id }: SavedMethod): Promise<void> {
  await deps.methods.deleteOne({ _id }).catch((error: unknown) => {
    deps.log.warn("A payment method that nothing names stays", { id: _id, error });
  });
}

/** Forgets the methods of a subscription of which nothing is charged any more. */
export async function forgetMethods(
  { methods }: Pick<BillingDeps, "methods">,
  { _id: subscriptionId }: Subscription,
): Promise<void> {
  await methods.deleteMany({ subscriptionId });
}

/** @throws UNAVAILABLE whatever failed: nothing is saved yet that anything names */
export function unsaved<T>(deps: BillingDeps, work: () => Promise<T>): Promise<T> {
  return orUnavailable(deps, "A payment method was not saved", work);
}
