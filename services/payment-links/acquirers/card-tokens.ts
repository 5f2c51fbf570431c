// Card tokens of the sandbox's vault: a card typed at payrail's own API becomes a token.

import type { mongo } from "mongoose";
import { type SandboxCard, saveCard } from "../../../partners/sandbox/vault.ts";
import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { failFields } from "../../../shared/errors.ts";

/**
 * Saves a card for a day.
 * @param now epoch milliseconds
 * @throws VALIDATION if its number is no test number or fails Luhn's check, or if it has expired
 */
export async function createCardToken(
  cards: mongo.Collection<SandboxCard>,
  { number, expMonth, expYear }: Params<"payment-links.createCardToken">,
  now: number,
): Promise<Result<"payment-links.createCardToken">> {
  const answer = await saveCard(cards, { number, expMonth, expYear }, now);
  if ("saved" in answer) return answer.saved;
  return failFields(answer.wrong.map((each) => ({ ...each, code: "invalid" })));
}
