// Rails: how a payout leaves for the bank or the card network, and the table from what rails say to
// the six reasons that a merchant may read. A rail is idempotent by the payout's id: however often and
// by whomever it is asked, an id is paid at most once.

import type { OptionType } from "../../../shared/contracts/linked-accounts.ts";
import type { Reason } from "../../../shared/contracts/payouts.ts";
import type { Method } from "../../../shared/fees.ts";
import type { Currency } from "../../../shared/money.ts";

/** What a rail is handed. */
export interface RailPayment {
  /** The payout's id: the rail's idempotency key. */
  id: string;
  method: Method;
  /** What the recipient gets, in minor units. */
  amountMinor: number;
  currency: Currency;
  optionType: OptionType;
  /** Last four digits of the destination. */
  lastFour: string;
  /** The payer's reason or reference. */
  reference: string;
}

/**
 * The destination in the clear; only a rail that needs it asks for it, never keeps it, and never says
 * any of it in the message of an error, which is logged.
 */
export type Instrument = () => Promise<{ optionType: OptionType; data: Record<string, string> }>;

interface Asked {
  /** When to ask next, in milliseconds; at growing intervals where the rail does not say. */
  askAfterMs?: number;
}

/** The rail has it and will pay or refuse it. */
export type Accepted = { kind: "accepted" } & Asked;
/** It was paid. */
export type Settled = { kind: "settled" } & Asked;
/** It will never be paid. `code` is the rail's own word for why. */
export type Rejected = { kind: "rejected"; code: string };
/** It was paid, or on its way, and came back. */
export type Returned = { kind: "returned"; code: string };
/** The rail has never heard of it: it may be submitted again under the same id. */
export type NotFound = { kind: "notFound" };
/** No answer, or none that says what became of it. Never a failure. */
export type Unknown = { kind: "unknown" };

export type Word = Accepted | Settled | Rejected | Returned | NotFound | Unknown;

export interface Rail {
  /** How long after its settlement a payout can come back; 0: never. */
  returnWindowMs: number;
  /** An error, or no answer in time, counts as unknown; here and in the other two. */
  submit(
    payment: RailPayment,
    instrument: Instrument,
  ): Promise<Accepted | Settled | Rejected | Unknown>;
  query(id: string): Promise<Word>;
  /** `cancelled`: this id will never pay, even if a submit of it arrives later. */
  cancel(id: string): Promise<"cancelled" | "no" | "unknown">;
}

/** Whether the network takes a payment first and settles it later (interface, section 3). */
export function isAcceptedFirst(method: Method): boolean {
  return method === "ACH" || method === "RTP";
}

/** A rail refuses an id that it has already; after an unseen answer that may be its own doing. */
export const DUPLICATE = "duplicate";
/** The rail agreed to our cancel. */
export const CANCELLED = "cancelled";

const GENERAL: Reason = "Payment could not be processed.";
const CARD: Reason = "Your payment could not be processed. Please try a different card.";

/** From a rail's code to what the merchant may read; what is not here is a general failure. */
const REASON_OF_CODE: Record<string, Reason> = {
  account_not_found: "Recipient account not found.",
  [DUPLICATE]: "Duplicate transaction detected.",
  compliance: "Transaction declined for compliance reasons.",
  card_declined: CARD,
  [CANCELLED]: "Payment was cancelled.",
  cancelled_by_bank: "Payment was cancelled.",
};

/** The merchant-safe reason of a rail's code; a card's reason is told of cards alone. */
export function reasonOf(code: string, optionType: OptionType): Reason {
  const reason = Object.hasOwn(REASON_OF_CODE, code) ? REASON_OF_CODE[code] : undefined;
  const isCard = optionType === "card" || optionType === "prepaid_card";
  return reason === undefined || (reason === CARD && !isCard) ? GENERAL : reason;
}
