// The acquirer: how cards are charged. It is idempotent by id: however often and by whomever it is
// asked, a payment is charged at most once, and never after it said `voided` of it. Card numbers never
// come here: a card is a token of the vault.

import { type Clock, LATE } from "../../shared/clock.ts";
import { fail } from "../../shared/errors.ts";
import type { Currency } from "../../shared/money.ts";

export interface Card {
  brand: string;
  last4: string;
}

export interface Charge {
  /** The payment's id: the acquirer's idempotency key. */
  id: string;
  /** The vault's token of the card. */
  token: string;
  amountMinor: number;
  currency: Currency;
  /** What the customer reads on the statement of the card. */
  description: string;
}

export interface RefundCharge {
  /** The refund's id: the acquirer's idempotency key. */
  id: string;
  /** The payment that is refunded. */
  chargeId: string;
  amountMinor: number;
  currency: Currency;
}

/** The money is the merchant's. */
export type Captured = { kind: "captured" };
/** It was not charged, and never will be. `code` is the acquirer's own word for why. */
export type Declined = { kind: "declined"; code: string };
/** It was not charged, and never will be, even if a charge of it arrives later. */
export type Voided = { kind: "voided" };
export type Refunded = { kind: "refunded" };
/** It was not paid back, and never will be. */
export type Refused = { kind: "refused"; code: string };
/** No answer, or none that says what became of it. Never a failure. */
export type Unknown = { kind: "unknown" };

export interface Acquirer {
  /**
   * Stays the same for as long as it has the same books. What one was asked is never asked of another,
   * which knows nothing of it and would say so.
   */
  name: string;
  /** Null where the vault does not have such a card. */
  tokenInfo(token: string): Promise<Card | null>;
  /** An error, or no answer in time, counts as unknown; here and in the other two. */
  charge(charge: Charge): Promise<Captured | Declined | Unknown>;
  /** Ends a charge of which nobody knows what became: it says so, or sees to it that none ever is. */
  void(id: string): Promise<Captured | Declined | Voided | Unknown>;
  refund(refund: RefundCharge): Promise<Refunded | Refused | Unknown>;
}

const UNKNOWN: Unknown = { kind: "unknown" };

/** The acquirer of that name, where it is the one that is configured; else one that says nothing. */
export function acquirerNamed(
  acquirer: Acquirer | null,
  name: string,
): Pick<Acquirer, "charge" | "void" | "refund"> {
  return acquirer?.name === name ? acquirer : SILENT;
}

const SILENT: Pick<Acquirer, "charge" | "void" | "refund"> = {
  charge: async () => UNKNOWN,
  void: async () => UNKNOWN,
  refund: async () => UNKNOWN,
};

/** How long the vault may take. */
const VAULT_WITHIN_MS = 4_000;

/**
 * What the vault knows of a card.
 * @throws VALIDATION for a token that it does not have
 */
export async function cardOf(clock: Clock, acquirer: Acquirer, token: string): Promise<Card> {
  const card = await clock.within(acquirer.tokenInfo(token), VAULT_WITHIN_MS);
  if (card === LATE) throw new Error("The vault did not answer in time");
  return card ?? fail("VALIDATION", "paymentMethod.token must be a token of the card vault");
}

interface Asking {
  clock: Clock;
  log: { warn(message: string, details: unknown): void };
  /** What is asked, and of which payment or refund, for the log. */
  what: "charge" | "void" | "refund";
  id: string;
  withinMs: number;
}

/** What each question may be answered with. An answer that is none of these says nothing. */
const KINDS: Record<Asking["what"], string[]> = {
  charge: ["captured", "declined"],
  void: ["captured", "declined", "voided"],
  refund: ["refunded", "refused"],
};

/** What an acquirer answers; unknown where it fails, takes too long, or says what is no answer. */
export async function answered<W extends { kind: string }>(
  { clock, log, what, id, withinMs }: Asking,
  ask: () => Promise<W>,
): Promise<W | Unknown> {
  try {
    const asked = ask();
    const answer = await clock.within(asked, withinMs);
    if (answer !== LATE) return KINDS[what].includes(answer?.kind) ? answer : UNKNOWN;
    log.warn("The acquirer did not answer in time", { what, id });
    // It changes nothing; a person may want to know where it contradicts what was decided.
    const tell = (late: W) =>
      log.warn("The acquirer answered late", { what, id, kind: late?.kind });
    void asked.then(tell, () => {});
  } catch (error) {
    log.warn("The acquirer failed", { what, id, error });
  }
  return UNKNOWN;
}

const GENERAL = "Your card could not be charged.";

/** From an acquirer's code to what the customer may read; what is not here is a general failure. */
const REASON_OF_CODE: Record<string, string> = {
  card_declined: "Your card was declined.",
  insufficient_funds: "Your card has insufficient funds.",
  expired_card: "Your card has expired.",
};

export function reasonOf(code: string): string {
  return (Object.hasOwn(REASON_OF_CODE, code) && REASON_OF_CODE[code]) || GENERAL;
}

/** Of a payment that was ended before it was charged. */
export const VOIDED_REASON = "The payment was not completed. Your card was not charged.";
