// The sandbox's card vault: it replaces the vault of a card network, and is the only part of the
// system that ever sees a card's number. It takes only test numbers, because a sandbox is no place
// for a real card. It stores neither the number nor the security code, but the token's digest, the
// brand, the last four digits and the expiry, for a day.

import { createHash, randomBytes } from "node:crypto";
import creditCardType from "credit-card-type";
import passesLuhn from "fast-luhn";
import type { mongo } from "mongoose";
import type { Card } from "../types.ts";
import { inBatches } from "./batches.ts";
import { readAll } from "./books.ts";

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

const KEPT_MS = 86_400_000;
/** 256 bits, which cannot be guessed; so the digest of a token needs no salt. */
const SECRET_BYTES = 32;

/** A card as its holder types it: the number is 12 to 19 digits, the month 1 to 12. */
export interface TypedCard {
  number: string;
  expMonth: number;
  expYear: number;
}

/** A field of a typed card that the vault does not take, and the reason in a sentence. */
export interface WrongField {
  field: keyof TypedCard;
  message: string;
}

/**
 * Saves a card for a day.
 * @param now epoch milliseconds
 * @returns `wrong`, and saves nothing, if the number is no test number or fails Luhn's check, or if
 *   the card has expired
 */
export async function saveCard(
  cards: mongo.Collection<SandboxCard>,
  { number, expMonth, expYear }: TypedCard,
  now: number,
): Promise<{ saved: Card & { token: string } } | { wrong: WrongField[] }> {
  // A card is valid until the end of the month in the last time zone.
  const expiresAt = Date.UTC(expYear, expMonth, 1, 12);
  const wrong = [...wrongNumber(number), ...(expiresAt > now ? [] : [EXPIRED])];
  if (wrong.length > 0) return { wrong };
  const card = { brand: findBrand(number), last4: number.slice(-4) };
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  const token = `card_${secret}.${card.last4}.${expiresAt}`;
  const forgetAt = new Date(now + KEPT_MS);
  await cards.insertOne({ _id: digest(token), ...card, expiresAt, forgetAt });
  return { saved: { token, ...card } };
}

const EXPIRED: WrongField = {
  field: "expYear",
  message: "expMonth and expYear must not lie in the past",
};

/** SHA-256 in base64url. */
function digest(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

export type ChargedCard = Pick<SandboxCard, "last4" | "expiresAt">;

/** Reads saved cards by their tokens. */
export function openVault(cards: mongo.Collection<SandboxCard>, now: () => number) {
  const find = inBatches<string, SandboxCard | null>(async (ids) => {
    const found = await readAll(cards, ids);
    return ids.map((id) => found.get(id) ?? null);
  });
  return {
    /** The card of a token, for a new payment or a set-up; null if the vault does not have it. */
    async card(token: string): Promise<SandboxCard | null> {
      const card = await find(digest(token));
      return card && card.forgetAt.getTime() > now() ? card : null;
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

function wrongNumber(number: string): WrongField[] {
  const wrong = (must: string): WrongField[] => [{ field: "number", message: `number ${must}` }];
  if (!passesLuhn(number)) return wrong("must be a card number that passes Luhn's check");
  if (TEST_NUMBERS.some((start) => number.startsWith(start))) return [];
  return wrong(
    "must be a test number, such as 4242 4242 4242 4242; the sandbox takes no real card",
  );
}

function findBrand(number: string): string {
  return creditCardType(number)[0]?.niceType ?? "Card";
}
