// Saves payment methods: the vault's description of a card, and its sealed token. A method is
// stored before a document names it; if that document is not stored, its method is deleted.

import { fail } from "../../../shared/errors.ts";
import { seal } from "../../../shared/security/seal.ts";
import { lookUpCard } from "../acquirers/acquirer.ts";
import { orUnavailable } from "../acquirers/or-unavailable.ts";
import type { PaymentDeps } from "./deps.ts";
import { methodPlace, type SavedMethod } from "./saved-method.model.ts";

type MethodDeps = Pick<PaymentDeps, "acquirer" | "clock" | "config" | "newId" | "methods" | "log">;

/**
 * Saves a card of the vault; nothing is charged.
 * @throws UNAVAILABLE if no acquirer is configured; VALIDATION for a token that the vault does not
 *   have
 */
export async function saveMethod(
  deps: MethodDeps,
  { subscriptionId, businessId }: Pick<SavedMethod, "subscriptionId" | "businessId">,
  token: string,
): Promise<SavedMethod> {
  const acquirer = deps.acquirer ?? fail("UNAVAILABLE");
  const card = await lookUpCard(deps.clock, acquirer, token);
  const id = deps.newId();
  const method = {
    _id: id,
    subscriptionId,
    businessId,
    acquirer: acquirer.name,
    token: seal(deps.config, methodPlace(id), token),
    card,
  };
  await deps.methods.documents.insertOne(method);
  return method;
}

/**
 * Deletes a method that no document names. If that fails, it stays, sealed, and is never charged.
 */
export async function dropMethod(deps: MethodDeps, { _id }: SavedMethod): Promise<void> {
  await deps.methods.documents.deleteOne({ _id }).catch((error: unknown) => {
    deps.log.warn("A payment method without a subscription stays", { id: _id, error });
  });
}

/** @throws UNAVAILABLE for any failure, because no document names a method yet */
export function beforeSaving<T>(deps: MethodDeps, work: () => Promise<T>): Promise<T> {
  return orUnavailable(deps, "A payment method was not saved", work);
}
