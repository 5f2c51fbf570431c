// An acquirer: a partner that charges cards. A company writes one as a module and names it in
// ACQUIRER. An acquirer is idempotent by the id of a charge and of a refund: it charges an id at
// most once, and never after it answered `voided`. Card numbers never come to payrail: a card is a
// token of the acquirer's vault.

import type { Currency } from "../money.ts";

/** The part of a card's data that payrail may know. */
export interface Card {
  brand: string;
  last4: string;
}

export interface Charge {
  /** The acquirer's idempotency key. */
  id: string;
  /** The vault's token of the card. */
  token: string;
  amountMinor: number;
  currency: Currency;
  /** The text on the statement of the card. */
  description: string;
}

export interface RefundCharge {
  /** The acquirer's idempotency key. */
  id: string;
  /** The id of the charge that is refunded. */
  chargeId: string;
  amountMinor: number;
  currency: Currency;
}

/** The card was charged; the money belongs to the merchant. */
export type Captured = { kind: "captured" };
/**
 * The card was not charged, and this id never will be. `code` is the acquirer's own code for the
 * reason.
 */
export type Declined = { kind: "declined"; code: string };
/** The card was not charged, and this id never will be, even if a charge of it arrives later. */
export type Voided = { kind: "voided" };
export type Refunded = { kind: "refunded" };
/** Nothing was paid back, and this id never will be. */
export type Refused = { kind: "refused"; code: string };
/** No answer, or one that does not show the outcome. It is never treated as a failure. */
export type Unknown = { kind: "unknown" };

export type ChargeAnswer = Captured | Declined | Unknown;
export type VoidAnswer = Captured | Declined | Voided | Unknown;
export type RefundAnswer = Refunded | Refused | Unknown;

/** The code for an id that the acquirer has already. */
export const DUPLICATE = "duplicate";

/** A charge or a refund in the acquirer's own books. */
export interface AcquirerEntry {
  /** The id in payrail's request. */
  id: string;
  kind: "charge" | "refund";
  /** Captured or paid back, or not. */
  state: "done" | "refused";
  amountMinor: number;
  currency: Currency;
  /** The time at which it was made; epoch milliseconds. */
  at: number;
}

/**
 * Takes card numbers in a frame of its own origin, so that neither payrail nor its page sees any.
 */
export interface Vault {
  /**
   * The https URL of the hosted field that the checkout page loads in a frame. Its origin is the
   * only one that the page's policy lets in.
   */
  fieldUrl: string;
  /**
   * Whether the page asks the customer for the postcode of the card's bill. It goes to the field
   * with the question for a token, and nowhere else.
   */
  wantsPostcode?: boolean;
}

export interface Acquirer {
  /**
   * Names the acquirer's books, 1 to 64 letters, digits, dots, hyphens and underscores. It stays
   * the same for as long as the books are the same: a payment stores it before it is charged, and
   * no acquirer of another name is ever asked about that payment.
   */
  name: string;
  /**
   * True if no real money moves. A sandbox accepts only such acquirers; a live system refuses them.
   */
  test?: boolean;
  /** Absent if the checkout page takes no card in a frame; only the sandbox's own vault does so. */
  vault?: Vault;
  /** Null if the vault does not have such a card. */
  tokenInfo(token: string): Promise<Card | null>;
  /** An error, or no answer in time, counts as unknown; likewise in `void` and `refund`. */
  charge(charge: Charge): Promise<ChargeAnswer>;
  /**
   * Ends a charge of unknown outcome: returns its outcome, or makes sure that it is never charged.
   */
  void(id: string): Promise<VoidAnswer>;
  refund(refund: RefundCharge): Promise<RefundAnswer>;
  /** The charges and refunds since a moment (epoch milliseconds), for `npm run compare`. */
  list?(since: number): AsyncIterable<AcquirerEntry>;
}
