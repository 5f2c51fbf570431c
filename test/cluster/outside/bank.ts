// A bank: its books, and its answers to the questions of the sample rail (samples/rail.ts). The
// first submit of an id decides the payment's fate, which its seed draws: settled, rejected, or
// returned some time after it was settled.

import type { Random } from "../../simulation/random.ts";
import type { BankPayment } from "./books.ts";

interface Fate {
  /** Epoch ms. */
  settlesAt: number;
  /** Set if the payment is rejected instead of settled. */
  code?: string;
  /** Epoch ms; set if the payment comes back. */
  returnsAt?: number;
}

export interface Submission {
  id: string;
  reference: string;
  amountMinor: number;
  method: string;
}

const CODES = ["account_not_found", "compliance", "card_declined", "processing_error"];
const REJECTED_OF_HUNDRED = 12;
const AT_ONCE_OF_HUNDRED = 30;
const RETURNED_OF_HUNDRED = 8;
const SETTLES_WITHIN_MS = 1_500;
const RETURNS_WITHIN_MS = 4_000;
/** The bank asks payrail to come back at the latest after this time. */
const ASK_AFTER_MS = 3_600_000;

export type Bank = ReturnType<typeof createBank>;

export function createBank(random: Random) {
  const payments = new Map<string, BankPayment>();
  const fates = new Map<string, Fate>();

  function drawFate(now: number): Fate {
    const isRejected = random.between(0, 99) < REJECTED_OF_HUNDRED;
    const isAtOnce = random.between(0, 99) < AT_ONCE_OF_HUNDRED;
    const isReturned = random.between(0, 99) < RETURNED_OF_HUNDRED;
    const settlesAt = isAtOnce ? now : now + random.between(100, SETTLES_WITHIN_MS);
    const returnsAt = settlesAt + random.between(500, RETURNS_WITHIN_MS);
    const code = random.pick(CODES);
    if (isRejected) return { settlesAt, code };
    return { settlesAt, ...(isReturned && { returnsAt }) };
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

  function describe({ id, state, code }: BankPayment, now: number) {
    const { settlesAt = now, returnsAt = now + ASK_AFTER_MS } = fates.get(id) ?? {};
    if (state === "accepted") return { kind: state, askAfterMs: settlesAt - now };
    if (state === "settled") return { kind: state, askAfterMs: Math.max(0, returnsAt - now) };
    return { kind: state === "returned" ? state : "rejected", code: code ?? "cancelled" };
  }

  return {
    submit({ id, reference, amountMinor, method }: Submission) {
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
      const taken = { id, reference, amountMinor, method, submits: 1, notes };
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
        const unseen = { reference: "", amountMinor: 0, method: "", submits: 0 };
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
