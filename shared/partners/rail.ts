// A rail: a partner that pays out, such as a bank or a card network. A company writes one as a
// module and names it in RAILS. A rail is idempotent by the payout's id: it pays an id at most
// once, however often and from however many processes it is asked.

import type { OptionType } from "../contracts/linked-accounts.ts";
import type { Currency } from "../money.ts";
import type { PayoutMethod } from "../payout-methods.ts";

/** A payment that a rail is asked to make. */
export interface RailPayment {
  /** The payout's id: the rail's idempotency key. */
  id: string;
  method: PayoutMethod;
  /** The amount that the recipient gets, in minor units. */
  amountMinor: number;
  currency: Currency;
  optionType: OptionType;
  /** Last four digits of the destination. */
  lastFour: string;
  /** The payer's reason or reference. */
  reference: string;
}

/**
 * Opens the destination's numbers. A rail calls it only if it needs them, never stores them, and
 * never puts any of them into the message of an error, because errors are logged.
 */
export type Instrument = () => Promise<{ optionType: OptionType; data: Record<string, string> }>;

interface AskAgain {
  /**
   * The time until the next question, in milliseconds, 0 to one day; growing intervals by default.
   */
  askAfterMs?: number;
}

/** The rail has the payment and will pay or refuse it. */
export type Accepted = { kind: "accepted" } & AskAgain;
/** The payment was made. */
export type Settled = { kind: "settled" } & AskAgain;
/** The payment will never be made. `code` is the rail's own code for the reason. */
export type Rejected = { kind: "rejected"; code: string };
/** The payment was made or under way, and the money came back. */
export type Returned = { kind: "returned"; code: string };
/** The rail does not know the id, so the payment may be submitted again under the same id. */
export type NotFound = { kind: "notFound" };
/** No answer, or one that does not show the outcome. It is never treated as a failure. */
export type Unknown = { kind: "unknown" };

export type SubmitAnswer = Accepted | Settled | Rejected | Unknown;
export type QueryAnswer = Accepted | Settled | Rejected | Returned | NotFound | Unknown;
/** `cancelled`: this id will never be paid, even if a submit of it arrives later. */
export type CancelAnswer = "cancelled" | "no" | "unknown";

/** The code of a rejection because the rail has the id already. */
export const DUPLICATE = "duplicate";
/** The code of a rejection because our cancel ended the payment. */
export const CANCELLED = "cancelled";

/** A payment in the rail's own books. */
export interface RailEntry {
  /** The payout's id. */
  id: string;
  state: "accepted" | "settled" | "rejected" | "returned";
  amountMinor: number;
  currency: Currency;
  /** The time at which the rail took it; epoch milliseconds. */
  at: number;
}

export interface Rail {
  /**
   * Names the rail's books, 1 to 64 letters, digits, dots, hyphens and underscores. It stays the
   * same for as long as the books are the same: a payout stores it before its first submit, and no
   * rail of another name is ever asked about that payout.
   */
  name: string;
  /** True if no real money moves. A sandbox accepts only such rails; a live system refuses them. */
  test?: boolean;
  /** The time after its settlement in which a payment can come back, in milliseconds; 0: never. */
  returnWindowMs: number;
  /** An error, or no answer in time, counts as unknown; likewise in `query` and `cancel`. */
  submit(payment: RailPayment, instrument: Instrument): Promise<SubmitAnswer>;
  query(id: string): Promise<QueryAnswer>;
  cancel(id: string): Promise<CancelAnswer>;
  /** The payments that the rail took since a moment (epoch milliseconds), for `npm run compare`. */
  list?(since: number): AsyncIterable<RailEntry>;
}
