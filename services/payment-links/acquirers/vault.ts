// The sandbox's card vault: it replaces the vault of a card network, and is the only part of the
// system that ever sees a card's number. It takes only test numbers, because a sandbox is no place
// for a real card. It stores neither the number nor the security code, but the token's digest, the
// brand, the last four digits and the expiry, for a day.

import creditCardType from "credit-card-type";
import { type Model, type mongo, Schema } from "mongoose";
import type { Clock } from "../../../shared/clock.ts";
import type { Params, Result } from "../../../shared/contracts.ts";
import { type FieldError, failFields, wrongField } from "../../../shared/errors.ts";
import { gatherById } from "../../../shared/find-by-id.ts";
import { passesLuhn } from "../../../shared/luhn.ts";
import { digest, newSecret } from "../../../shared/secrets.ts";

export interface SandboxCard {
  /** SHA-256 of the token. */
  _id: string;
  brand: string;
  last4: string;
  /** The first moment at which the card is expired; epoch ms. */
  expiresAt: number;
  /** From then on the vault does not have it, whether or not MongoDB has deleted it yet. */
  forgetAt: Date;
}

export const sandboxCardSchema = new Schema<SandboxCard>(
  { _id: { type: String, required: true }, forgetAt: Date },
  { versionKey: false, strict: false },
);
// Deletes the expired records.
sandboxCardSchema.index({ forgetAt: 1 }, { expireAfterSeconds: 0 });

const KEPT_MS = 86_400_000;
const EXPIRED: FieldError = {
  field: "expYear",
  code: "invalid",
  message: "expMonth and expYear must not lie in the past",
};

/**
 * Saves a card for a day.
 * @throws VALIDATION if its number is no test number or fails Luhn's check, or if it has expired
 */
export async function saveCard(
  cards: Model<SandboxCard>,
  { number, expMonth, expYear }: Params<"payment-links.createCardToken">,
  now: number,
): Promise<Result<"payment-links.createCardToken">> {
  // A card is valid until the end of the month in the last time zone.
  const expiresAt = Date.UTC(expYear, expMonth, 1, 12);
  const wrong = [...wrongNumber(number), ...(expiresAt > now ? [] : [EXPIRED])];
  if (wrong.length > 0) failFields(wrong);
  const card = { brand: findBrand(number), last4: number.slice(-4) };
  const token = `card_${newSecret()}.${card.last4}.${expiresAt}`;
  const forgetAt = new Date(now + KEPT_MS);
  await cards.create({ _id: digest(token), ...card, expiresAt, forgetAt });
  return { token, ...card };
}

export type ChargedCard = Pick<SandboxCard, "last4" | "expiresAt">;

export function openVault(cards: mongo.Collection<SandboxCard>, clock: Clock) {
  const find = gatherById(cards);
  return {
    /** The card of a token, for a new payment or a set-up; null if the vault does not have it. */
    async card(token: string): Promise<SandboxCard | null> {
      const card = await find(digest(token));
      return card && card.forgetAt.getTime() > clock.now() ? card : null;
    },

    /**
     * The card that a charge is for. A saved payment method is charged for months, so its token
     * itself contains the fields that the vault has forgotten. Nothing new is bought with such a
     * token, because a payment and a set-up ask `card` first.
     */
    async cardToCharge(token: string): Promise<ChargedCard | null> {
      return (await find(digest(token))) ?? cardIn(token);
    },
  };
}

function cardIn(token: string): ChargedCard | null {
  const [, last4, expiresAt] = /^card_[\w-]{43}\.(\d{4})\.(\d{13,14})$/.exec(token) ?? [];
  return last4 ? { last4, expiresAt: Number(expiresAt) } : null;
}

/** The beginnings of the numbers that card brands and payment processors publish for tests. */
const TEST_NUMBERS = [
  ...["400000", "400005", "401288", "411111", "422222", "424242"],
  ...["222300", "510510", "520082", "545454", "555555"],
  ...["371449", "378282", "378734"],
  ...["601100", "601111", "601198"],
  ...["353011", "356600"],
  ...["305693", "362272", "385200"],
  ...["620000", "620550"],
  ...["675964"],
  // ISO/IEC 7812-1: 9 and a country's number, of which 000 is none.
  ...["9000"],
];

function wrongNumber(number: string): FieldError[] {
  if (!passesLuhn(number)) {
    return [wrongField("number", "must be a card number that passes Luhn's check")];
  }
  if (TEST_NUMBERS.some((start) => number.startsWith(start))) return [];
  const must = "must be a test number, such as 4242 4242 4242 4242; the sandbox takes no real card";
  return [wrongField("number", must)];
}

function findBrand(number: string): string {
  return creditCardType(number)[0]?.niceType ?? "Card";
}
