// Card tokens of the sandbox's vault: a card typed at payrail's own API becomes a token.

import type { mongo } from "mongoose";
import { type SandboxCard, saveCard } from "../../../partners/sandbox/vault.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { ConfigOf } from "../../../shared/config/config.ts";
import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { fail, failFields } from "../../../shared/errors.ts";

interface CardDeps {
  clock: Clock;
  config: Pick<ConfigOf<"payment-links">, "sandbox">;
  sandboxCards: mongo.Collection<SandboxCard>;
}

/**
 * Saves a card for a day.
 * @throws NOT_FOUND outside the sandbox; VALIDATION if its number is no test number or fails Luhn's
 *   check, or if it has expired
 */
export async function createCardToken(
  { clock, config, sandboxCards }: CardDeps,
  { number, expMonth, expYear }: Params<"payment-links.createCardToken">,
): Promise<Result<"payment-links.createCardToken">> {
  // Outside the sandbox payrail never takes card numbers.
  if (!config.sandbox) fail("NOT_FOUND");
  const answer = await saveCard(sandboxCards, { number, expMonth, expYear }, clock.now());
  if ("saved" in answer) return answer.saved;
  return failFields(answer.wrong.map((each) => ({ ...each, code: "invalid" })));
}
