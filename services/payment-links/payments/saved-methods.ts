// Saves payment methods: the vault's card of a token, and the token, sealed. A method is stored before any
// document names it. Where that document is not stored, the method is deleted again.

import { fail } from "../../../shared/errors.ts";
import { seal } from "../../../shared/seal.ts";
import { cardOf } from "../acquirers/acquirer.ts";
import { orUnavailable } from "../acquirers/or-unavailable.ts";
import type { Deps } from "../deps.ts";
import { methodPlaceOf, type SavedMethod } from "./saved-method.model.ts";

type Vault = Pick<Deps, "acquirer" | "clock" | "newId" | "config" | "methods">;

/**
 * Saves a card of the vault; nothing is charged.
 * @throws UNAVAILABLE where no acquirer charges cards; VALIDATION for a token that the vault does not have
 */
export async function saveMethod(
  { acquirer, clock, newId, config, methods }: Vault,
  { subscriptionId, businessId }: Pick<SavedMethod, "subscriptionId" | "businessId">,
  token: string,
): Promise<SavedMethod> {
  if (!acquirer) return fail("UNAVAILABLE");
  const card = await cardOf(clock, acquirer, token);
  const id = newId();
  const method = {
    _id: id,
    subscriptionId,
    businessId,
    acquirer: acquirer.name,
    token: seal(config, methodPlaceOf(id), token),
    card,
  };
  await methods.insertOne(method);
  return method;
}

/** Deletes a method that no document names. Where that fails it stays, sealed, and is never charged. */
export async function dropMethod(
  { methods, log }: Pick<Deps, "methods" | "log">,
  { _id }: SavedMethod,
): Promise<void> {
  await methods.deleteOne({ _id }).catch((error: unknown) => {
    log.warn("A payment method that no document names stays", { id: _id, error });
  });
}

/** Deletes the methods of a closed subscription, for which no card is charged any more. */
export async function forgetMethods(
  { methods }: Pick<Deps, "methods">,
  subscriptionId: string,
): Promise<void> {
  await methods.deleteMany({ subscriptionId });
}

/** @throws UNAVAILABLE for any failure, because no document names the method yet; its own errors by type */
export function unsaved<T>(deps: Pick<Deps, "log">, work: () => Promise<T>): Promise<T> {
  return orUnavailable(deps, "A payment method was not saved", work);
}
