// A bank: its books, and its answers to the questions of the sample rail
// (partners/samples/rail.ts). The first submit of an id decides the payment's fate, which its seed
// draws: settled, rejected, or returned some time after it was settled. Of some payments its first
// answers name another sum than it has paid, or tell of a problem that is gone later.

import type { Random } from "../../../tools/simulate/random.ts";
import type { BankPayment } from "./books.ts";

interface Fate {
  /** Epoch ms. */
  settlesAt: number;
  /** Set if the payment is rejected instead of settled. */
  code?: string;
  /** Epoch ms; set if the payment comes back. */
  returnsAt?: number;
  /** How many of its answers name another sum. */
  misstated: number;
  /** How many of its answers tell of a problem. */
  troubled: number;
}

export interface Submission {
  id: string;
  reference: string;
  amountMinor: number;
  currency: string;
  method: string;
}

const CODES = ["account_not_found", "compliance", "card_declined", "processing_error"];
const REJECTED_OF_HUNDRED = 12;
const AT_ONCE_OF_HUNDRED = 30;
const RETURNED_OF_HUNDRED = 8;
const MISSTATED_OF_HUNDRED = 10;
const TROUBLED_OF_HUNDRED = 10;
/** The bank asks payrail to come back after this time for an answer with the right sum. */
const CORRECTED_AFTER_MS = 300;
const SETTLES_WITHIN_MS = 1_500;
const RETURNS_WITHIN_MS = 4_000;
/** The bank asks payrail to come back at the latest after this time. */
const ASK_AFTER_MS = 3_600_000;

export type Bank = ReturnType<typeof createBank>;

export function createBank(random: Random) {
  const payments = new Map<string, BankPayment>();
  const fates = new Map<string, Fate>();
  const heard = new Map<string, number>();

  function drawFate(now: number): Fate {
    const isRejected = random.between(0, 99) < REJECTED_OF_HUNDRED;
    const isAtOnce = random.between(0, 99) < AT_ONCE_OF_HUNDRED;
    const isReturned = random.between(0, 99) < RETURNED_OF_HUNDRED;
    const settlesAt = isAtOnce ? now : now + random.between(100, SETTLES_WITHIN_MS);
    const returnsAt = settlesAt + random.between(500, RETURNS_WITHIN_MS);
    const code = random.pick(CODES);
    const some = (ofHundred: number) =>
      random.between(0, 99) < ofHundred ? random.between(1, 2) : 0;
    const wrong = { misstated: some(MISSTATED_OF_HUNDRED), troubled: some(TROUBLED_OF_HUNDRED) };
    if (isRejected) return { ...wrong, settlesAt, code };
    return { ...wrong, settlesAt, ...(isReturned && { returnsAt }) };
  }

  function enter(payment: BankPayment, at: number, state: BankPayment["state"], code?: string) {
    Object.assign(payment, { state, ...(code && { code }) });
    payment.notes.push({ at, what: state });
  }

  /** The payment as it is now: its fate has come about as far as its time has passed. */
  function find(id: string, now = Date.now()): BankPayment | undefined {
    const payment = payments.get(id);
    const fate = fates.get(id);
    if (!payment || !fate) return payment;
    const { settlesAt, code, returnsAt } = fate;
    if (payment.state === "accepted" && now >= settlesAt) {
      enter(payment, settlesAt, code ? "rejected" : "settled", code);
    }
    if (payment.state === "settled" && returnsAt !== undefined && now >= returnsAt) {
      enter(payment, returnsAt, "returned", "returned_by_recipient");
    }
    return payment;
  }

  function describe(payment: BankPayment, now: number) {
    const { id, state, code = "cancelled", amountMinor, currency, notes } = payment;
    const fate = fates.get(id);
    const { settlesAt = now, returnsAt = now + ASK_AFTER_MS } = fate ?? {};
    if (state === "accepted") {
      const isTroubled = fate !== undefined && fate.troubled-- > 0;
      const problem = { problem: "The bank does not say what it will do." };
      return { kind: state, askAfterMs: settlesAt - now, ...(isTroubled && problem) };
    }
    if (state !== "settled" && state !== "returned") return { kind: "rejected", code };
    if (state === "settled" && fate && fate.misstated-- > 0) {
      const more = { amountMinor: amountMinor + 1, currency };
      return { kind: state, ...more, askAfterMs: CORRECTED_AFTER_MS };
    }
    notes.push({ at: now, what: "told" });
    const sum = { amountMinor, currency };
    if (state === "returned") return { kind: state, code, ...sum };
    return { kind: state, ...sum, askAfterMs: Math.max(0, returnsAt - now) };
  }

  return {
    /** A submit has come, which the bank may act upon later, or not at all. */
    hear(id: string): void {
      if (!heard.has(id)) heard.set(id, Date.now());
    },

    /** When the first submit of each payment came. */
    firstHeard: (): Record<string, number> => Object.fromEntries(heard),

    submit({ id, reference, amountMinor, currency, method }: Submission) {
      const now = Date.now();
      const known = find(id, now);
      if (known) {
        known.submits += 1;
        known.notes.push({ at: now, what: "submitted again" });
        const isTold = known.state === "accepted" || known.state === "settled";
        return isTold && random.chance(0.5)
          ? describe(known, now)
          : { kind: "rejected", code: "duplicate" };
      }
      const notes = [{ at: now, what: "accepted" }];
      const taken = { id, reference, amountMinor, currency, method, submits: 1, notes };
      payments.set(id, { ...taken, state: "accepted" });
      fates.set(id, drawFate(now));
      return describe(find(id, now) as BankPayment, now);
    },

    query(id: string) {
      const now = Date.now();
      const payment = find(id, now);
      return payment ? describe(payment, now) : { kind: "notFound" };
    },

    cancel(id: string): "cancelled" | "no" {
      const now = Date.now();
      const payment = find(id, now);
      if (!payment) {
        const unseen = { reference: "", amountMinor: 0, currency: "", method: "", submits: 0 };
        const notes = [{ at: now, what: "cancelled" }];
        payments.set(id, { id, ...unseen, state: "cancelled", code: "cancelled", notes });
        return "cancelled";
      }
      if (payment.state === "accepted") enter(payment, now, "cancelled", "cancelled");
      return payment.state === "cancelled" ? "cancelled" : "no";
    },

    /** All payments as they are now. */
    book: (): BankPayment[] => [...payments.keys()].map((id) => find(id) as BankPayment),

    /** Whether the payment was made or has ended in another way. */
    hasEnded: (id: string) => (find(id)?.state ?? "accepted") !== "accepted",

    /** Whether no payment changes any more by itself. */
    isAtRest(): boolean {
      const now = Date.now();
      return [...fates.values()].every(({ settlesAt, returnsAt = 0 }) => {
        return settlesAt <= now && returnsAt <= now;
      });
    },
  };
}
