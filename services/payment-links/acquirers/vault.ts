// The sandbox's card vault: it stands for what a card network has, and is the only part of the system
// that ever sees a card's number. It keeps neither that nor the security code: a token, known by its
// digest, the brand, the last four digits and the expiry.

import { type Model, Schema } from "mongoose";
import type { Params, Result } from "../../../shared/contracts.ts";
import { fail } from "../../../shared/errors.ts";
import { digest, newSecret } from "../../../shared/secrets.ts";

export interface SandboxCard {
  /** SHA-256 of the token. */
  _id: string;
  brand: string;
  last4: string;
  /** First moment at which it is not valid any more; epoch ms. */
  expiresAt: number;
}

export const sandboxCardSchema = new Schema<SandboxCard>(
  { _id: { type: String, required: true } },
  { versionKey: false, strict: false },
);

/**
 * Keeps a card.
 * @throws VALIDATION where its number fails Luhn's check, or it has expired
 */
export async function saveCard(
  cards: Model<SandboxCard>,
  { number, expMonth, expYear }: Params<"payment-links.createCardToken">,
  now: number,
): Promise<Result<"payment-links.createCardToken">> {
  // Through the end of the month, in the last time zone.
  const expiresAt = Date.UTC(expYear, expMonth, 1, 12);
  const wrong = [
    ...(passesLuhn(number) ? [] : ["number must be a card number that passes Luhn's check"]),
    ...(expiresAt > now ? [] : ["expMonth and expYear must not lie in the past"]),
  ];
  if (wrong.length > 0) fail("VALIDATION", wrong.join("; "));
  const token = `card_${newSecret()}`;
  const card = { brand: brandOf(number), last4: number.slice(-4) };
  await cards.create({ _id: digest(token), ...card, expiresAt });
  return { token, ...card };
}

/** ISO/IEC 7812-1, annex B: every second digit from the right is doubled, its digits added. */
export function passesLuhn(number: string): boolean {
  const digits = number.split("").toReversed().map(Number);
  const sum = digits.reduce((total, digit, i) => {
    const doubled = digit * 2;
    return total + (i % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

/** The ranges in which brands begin their numbers. */
const BRANDS: [RegExp, string][] = [
  [/^4/, "Visa"],
  [/^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, "Mastercard"],
  [/^3[47]/, "American Express"],
  [/^(6011|64[4-9]|65)/, "Discover"],
  [/^35(2[89]|[3-8])/, "JCB"],
  [/^3(0[0-5]|[689])/, "Diners Club"],
  [/^62/, "UnionPay"],
  [/^(50|5[6-9]|6)/, "Maestro"],
];

function brandOf(number: string): string {
  return BRANDS.find(([range]) => range.test(number))?.[1] ?? "Card";
}
