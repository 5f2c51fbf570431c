// The sample vault: trades card details for a token. It stores the brand, the last four digits and
// the outcome of the card's charges. It forgets the number, the security code and the postcode at
// once.

import { randomBytes } from "node:crypto";

export interface StoredCard {
  brand: string;
  last4: string;
  /** The reason why its charges are declined; null if they are captured. */
  declines: string | null;
  /** Whether the card's issuer asks its holder to confirm each charge (3-D Secure). */
  isConfirmed: boolean;
}

const DECLINES: Record<string, string> = { "0002": "card_declined", "9995": "insufficient_funds" };
const CONFIRMED = "3220";
const BRANDS: [RegExp, string][] = [
  [/^4/, "Visa"],
  [/^(5[1-5]|2[2-7])/, "Mastercard"],
  [/^3[47]/, "American Express"],
];

export type SampleVault = ReturnType<typeof createVault>;

export function createVault() {
  const cards = new Map<string, StoredCard>();
  return {
    /**
     * Stores a card.
     * @returns its token; null if the details are not a card's
     */
    keep(details: unknown): string | null {
      const { number, expMonth, expYear, cvc, postcode } = Object(details) as Record<
        string,
        unknown
      >;
      if (typeof number !== "string" || !/^\d{12,19}$/.test(number) || !passesLuhn(number)) {
        return null;
      }
      if (typeof cvc !== "string" || !/^\d{3,4}$/.test(cvc)) return null;
      if (!isToCome(Number(expMonth), Number(expYear))) return null;
      if (typeof postcode !== "string" || !/^[\p{L}\d -]{2,16}$/u.test(postcode)) return null;
      const token = `sample_${randomBytes(24).toString("base64url")}`;
      const last4 = number.slice(-4);
      const brand = BRANDS.find(([range]) => range.test(number))?.[1] ?? "Card";
      const declines = DECLINES[last4] ?? null;
      cards.set(token, { brand, last4, declines, isConfirmed: last4 === CONFIRMED });
      return token;
    },

    card: (token: string): StoredCard | null => cards.get(token) ?? null,
  };
}

function isToCome(month: number, year: number): boolean {
  return month >= 1 && month <= 12 && Date.UTC(year, month, 1, 12) > Date.now();
}

/** ISO/IEC 7812-1, annex B. */
function passesLuhn(number: string): boolean {
  const digits = number.split("").toReversed().map(Number);
  const sum = digits.reduce((total, digit, i) => {
    const value = digit * (i % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
