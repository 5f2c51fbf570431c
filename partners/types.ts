// The interfaces between payrail and its partners: rails, which pay out, acquirers, which charge
// cards, and the screening, which says whether a payout may leave. A company writes a partner as a
// module and names it in RAILS, ACQUIRER or SCREENING. This file imports nothing of payrail, so a
// module outside of payrail's repository keeps a copy of it.
// docs/operate/rails-and-acquirers.md has the promises of a module, and their reasons.

import type { mongo } from "mongoose";

/** ISO 4217. All of them have two decimals. */
export type Currency = "USD" | "NGN" | "CAD" | "GBP" | "EUR";
export type PayoutMethod = "ACH" | "RTP" | "WIRE" | "PUSH_TO_CARD";
export type OptionType = "bank" | "card" | "international_bank" | "prepaid_card";

/**
 * The default export of a module. payrail calls it once in each process that asks the partner.
 * @throws any error, which ends the start of that process with the error's message
 */
export type Module<P extends Rail | Acquirer | Screening> = (context: Context) => P | Promise<P>;

export interface Context {
  /** Whether payrail is a sandbox: only partners with `test: true` may serve it. */
  sandbox: boolean;
  /**
   * A MongoDB database for the books of modules, with a majority as its write concern. The module
   * makes its collections and indexes, whose names begin with the partner's own name.
   */
  database: mongo.Db;
  /** The current time, corrected by the database's clock; epoch milliseconds. */
  now(): number;
  /** Writes to payrail's log. Never give it account numbers or tokens. */
  log: Record<"info" | "warn" | "error", (message: string, details?: unknown) => void>;
}

/** The code of a rejection, or a refusal, because the partner has the id already. */
export const DUPLICATE = "duplicate";
/** The code of a rejection because payrail's cancel ended the payment. */
export const CANCELLED = "cancelled";

/** No answer, or one that does not show the outcome. It is never treated as a failure. */
export type Unknown = { kind: "unknown" };

// Rails

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
 * Opens the destination's numbers. A rail calls it only if it needs them, stores them only
 * encrypted and only until they have left for the bank, and never puts any of them into the message
 * of an error, because errors are logged.
 */
export type Instrument = () => Promise<{ optionType: OptionType; data: Record<string, string> }>;

/**
 * What was moved, by the partner's own books. payrail believes an answer about this sum alone: a
 * sum that is not the asked one flags the document, and the asked sum is never posted for it.
 */
interface Moved {
  /** In minor units. */
  amountMinor: number;
  currency: Currency;
}

interface Doubted {
  /**
   * Why a person has to decide about the payment, in a sentence for operators, 1 to 500 characters.
   * payrail flags the payout; an operator who has asked the bank resolves it, and `decide` stores
   * it.
   */
  problem?: string;
}

interface Told extends Doubted {
  /**
   * The time until the next question, in milliseconds, 0 to one day; growing intervals by default.
   */
  askAfterMs?: number;
  /** What the recipient's bank says about the account, for the merchant: 1 to 200 characters. */
  notice?: string;
}

/** The rail has the payment and will pay or refuse it. */
export type Accepted = { kind: "accepted" } & Told;
/** The payment was made. */
export type Settled = { kind: "settled" } & Moved & Told;
/**
 * The payment will never be made. `code` is the rail's own code for the reason. With a `problem` it
 * may have been made in spite of that: then payrail gives no money back because of this answer.
 */
export type Rejected = { kind: "rejected"; code: string } & Doubted;
/**
 * The payment was made or under way, and the money came back. The amount is the one that the end
 * user gets back: a charge of a bank that the rail's agreement allows is not taken off it. With a
 * `problem` the money may be at the recipient: then payrail gives none back because of this answer.
 */
export type Returned = { kind: "returned"; code: string } & Moved & Doubted;
/** The rail does not know the id, so the payment may be submitted again under the same id. */
export type NotFound = { kind: "notFound" };

export type SubmitAnswer = Accepted | Settled | Rejected | Unknown;
export type QueryAnswer = Accepted | Settled | Rejected | Returned | NotFound | Unknown;
/** `cancelled`: this id will never be paid, even if a submit of it arrives later. */
export type CancelAnswer = "cancelled" | "no" | "unknown";
/**
 * `no`: the payment has no problem, or cannot end so; nothing has changed. `unknown`: the decision
 * may be stored, or can be later.
 */
export type DecideAnswer = "decided" | "no" | "unknown";

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

/** A file of payments that a rail has closed: nothing is added to it or taken out of it. */
export interface RailBatch {
  /** The file's name, which no other file has. */
  id: string;
  currency: Currency;
  /** The sum that the file itself states, in minor units. */
  amountMinor: number;
  /** The payouts that the file pays. */
  payments: { id: string; amountMinor: number }[];
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
  /**
   * Stores an operator's decision about a payment that has a `problem`: how it ended at the bank.
   * The rail's later answers are by this end. Idempotent by the id and the end. payrail never asks
   * for `settled` of a payment that it has refunded.
   */
  decide?(id: string, end: "settled" | "rejected" | "returned"): Promise<DecideAnswer>;
  /** The payments that the rail took since a moment (epoch milliseconds), for `npm run compare`. */
  list?(since: number): AsyncIterable<RailEntry>;
  /** All its files, if it pays by files, for `npm run verify`. */
  batches?(): AsyncIterable<RailBatch>;
  /**
   * What a person has to look at, each in a sentence: a file that the bank does not take, an answer
   * that cannot be read. Operators see it among the partners.
   */
  problems?(): Promise<string[]>;
  /**
   * Begins the rail's own work, such as handing files over. Only processes that pay out call it;
   * commands that read the rail's books do not.
   */
  start?(): void;
  /** Ends that work when the process stops; awaited for at most 4 s. */
  stop?(): Promise<void>;
}

// Acquirers. An acquirer is idempotent by the id of a charge and of a refund: it charges an id at
// most once, and never after it answered `voided`. Card numbers never come to payrail: a card is a
// token of the acquirer's vault.

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
  /** Whether the customer waits at the checkout page and can confirm the charge (3-D Secure). */
  isCustomerPresent: boolean;
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
export type Captured = { kind: "captured" } & Moved;
/**
 * The card was not charged, and this id never will be. `code` is the acquirer's own code for the
 * reason.
 */
export type Declined = { kind: "declined"; code: string };
/**
 * The card's issuer wants its holder to confirm the charge (3-D Secure); nothing is charged yet.
 * `action` is a text of up to 1,000 characters, which the checkout page gives to the vault's field
 * to carry out. It may be a secret: payrail neither stores nor logs it. Then `outcome` tells what
 * became of the charge, and a void ends it.
 */
export type ActionRequired = { kind: "action"; action: string };
/** The card was not charged, and this id never will be, even if a charge of it arrives later. */
export type Voided = { kind: "voided" };
export type Refunded = { kind: "refunded" } & Moved;
/** Nothing was paid back, and this id never will be. */
export type Refused = { kind: "refused"; code: string };

export type ChargeAnswer = Captured | Declined | ActionRequired | Unknown;
export type VoidAnswer = Captured | Declined | Voided | Unknown;
export type RefundAnswer = Refunded | Refused | Unknown;

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
  /** An error, or no answer in time, counts as unknown; likewise in the other functions. */
  charge(charge: Charge): Promise<ChargeAnswer>;
  /**
   * Tells what became of a charge that asked for an action, without charging anything. Without this
   * function an `action` counts as unknown.
   */
  outcome?(id: string): Promise<ChargeAnswer>;
  /**
   * Ends a charge of unknown outcome: returns its outcome, or makes sure that it is never charged.
   */
  void(id: string): Promise<VoidAnswer>;
  refund(refund: RefundCharge): Promise<RefundAnswer>;
  /** The charges and refunds since a moment (epoch milliseconds), for `npm run compare`. */
  list?(since: number): AsyncIterable<AcquirerEntry>;
  /**
   * Reads a request that the acquirer has sent to payrail (a webhook). It decides nothing: payrail
   * asks the acquirer immediately about each returned id that it is unsure about.
   * @returns the ids of charges and refunds that may have changed, at most 100
   * @throws any error if the request is not the acquirer's, such as one with a wrong signature
   */
  notified?(notification: Notification): Promise<string[]>;
}

// Screening. It is asked between a payout's acceptance and its first submit, and never after that.

/** A payout that is screened. */
export interface Screened {
  /** The payout's id; it may be asked about again. */
  id: string;
  kind: "payout";
  businessId: string;
  /** The end user or business whose wallet is debited. */
  entityId: string;
  method: PayoutMethod;
  /** Without fees, in minor units. */
  amountMinor: number;
  currency: Currency;
  /** The holder of the destination. */
  party: { name: string; email: string };
  destination: {
    optionType: OptionType;
    /** Null for a card. */
    bankName: string | null;
    /** ISO 3166-1 alpha-2; null for a card. */
    country: string | null;
    /** Last four digits. */
    lastFour: string;
  };
}

export type ScreeningAnswer =
  | { decision: "allow" }
  /** A person decides; for each reason a sentence of 1 to 500 characters, at most 10. */
  | { decision: "review"; reasons: string[] }
  /** The payout fails, and the merchant learns `compliance`. `code` is the screening's own. */
  | { decision: "deny"; code: string };

export interface Screening {
  /** Names the screening in the history of a payout, as the names of rails. */
  name: string;
  /** True if it screens nothing in earnest: a live system refuses it. */
  test?: boolean;
  /**
   * No answer within 3 s, an error, and an answer of another form hold the payout for a review;
   * payrail asks again until the screening answers or a person decides.
   */
  screen(asked: Screened): Promise<ScreeningAnswer>;
}

/** A request of a partner, as it came. */
export interface Notification {
  /** The names are in lower case. */
  headers: Record<string, string>;
  /** The body as it was sent, because its signature covers each of its bytes. */
  body: string;
}
