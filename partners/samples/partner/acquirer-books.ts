// The books of the sample acquirer, in memory. The first question about an id decides it, and every
// later one gets the same answer: an id is charged at most once, and never after a void. A charge
// that its customer has to confirm is decided by the confirmation, or by a void before it.

import { randomBytes } from "node:crypto";

import type {
  AcquirerEntry,
  Charge,
  ChargeAnswer,
  Declined,
  RefundAnswer,
  RefundCharge,
  VoidAnswer,
} from "../../types.ts";
import type { SampleVault } from "./vault.ts";

interface Entry {
  answer: Exclude<ChargeAnswer | VoidAnswer, { kind: "unknown" }>;
  amountMinor: number;
  currency: Charge["currency"];
  at: number;
}

interface Refund {
  answer: Exclude<RefundAnswer, { kind: "unknown" }>;
  asked: RefundCharge;
  at: number;
}

/** The code with which the card's bank declines it; null if it does not. */
function declineOf(card: ReturnType<SampleVault["card"]>): string | null {
  return card === null ? "unknown_card" : card.declines;
}

const VOIDED = { kind: "voided" } as const;
const NOT_CONFIRMED: Declined = { kind: "declined", code: "authentication_failed" };

export function createAcquirerBooks(vault: SampleVault) {
  const charges = new Map<string, Entry>();
  const refunds = new Map<string, Refund>();

  function decide({ token, amountMinor, currency, isCustomerPresent }: Charge): Entry {
    const card = vault.card(token);
    const code = amountMinor > 0 ? declineOf(card) : "invalid_amount";
    const made = { amountMinor, currency, at: Date.now() };
    const captured = { kind: "captured", amountMinor, currency } as const;
    if (code) return { ...made, answer: { kind: "declined", code } };
    if (!card?.isConfirmed) return { ...made, answer: captured };
    if (!isCustomerPresent) return { ...made, answer: NOT_CONFIRMED };
    return { ...made, answer: { kind: "action", action: randomBytes(24).toString("base64url") } };
  }

  function chargeAnswer(entry: Entry): ChargeAnswer {
    return entry.answer.kind === "voided" ? { kind: "declined", code: "voided" } : entry.answer;
  }

  /** The sum of a charge's refunds, in minor units. */
  function sumRefunds(chargeId: string): number {
    return [...refunds.values()]
      .filter(({ answer, asked }) => answer.kind === "refunded" && asked.chargeId === chargeId)
      .reduce((sum, { asked }) => sum + asked.amountMinor, 0);
  }

  function decideRefund(asked: RefundCharge): Refund {
    const charge = charges.get(asked.chargeId);
    const leftMinor =
      charge?.answer.kind === "captured" ? charge.amountMinor - sumRefunds(asked.chargeId) : 0;
    const isPossible = asked.currency === charge?.currency && asked.amountMinor <= leftMinor;
    const answer: Refund["answer"] = isPossible
      ? { kind: "refunded", amountMinor: asked.amountMinor, currency: asked.currency }
      : { kind: "refused", code: "nothing_to_refund" };
    return { answer, asked, at: Date.now() };
  }

  return {
    charge(charge: Charge): ChargeAnswer {
      const entry = charges.get(charge.id) ?? decide(charge);
      charges.set(charge.id, entry);
      return chargeAnswer(entry);
    },

    outcome(id: string): ChargeAnswer {
      const entry = charges.get(id);
      return entry ? chargeAnswer(entry) : { kind: "unknown" };
    },

    /** Ends a charge that waits for its customer. An action counts once. */
    confirm(action: unknown, isAllowed: boolean): void {
      for (const entry of charges.values()) {
        if (entry.answer.kind !== "action" || entry.answer.action !== action) continue;
        const { amountMinor, currency } = entry;
        entry.answer = isAllowed ? { kind: "captured", amountMinor, currency } : NOT_CONFIRMED;
      }
    },

    void(id: string): VoidAnswer {
      const never: Entry = { answer: VOIDED, amountMinor: 0, currency: "USD", at: Date.now() };
      const known = charges.get(id);
      const entry = known && known.answer.kind !== "action" ? known : never;
      charges.set(id, entry);
      return entry.answer as Exclude<Entry["answer"], { kind: "action" }>;
    },

    refund(asked: RefundCharge): RefundAnswer {
      const refund = refunds.get(asked.id) ?? decideRefund(asked);
      refunds.set(asked.id, refund);
      return refund.answer;
    },

    list(since: number): AcquirerEntry[] {
      const charged = [...charges]
        .filter(([, { answer }]) => answer.kind !== "voided" && answer.kind !== "action")
        .map(([id, { answer, amountMinor, currency, at }]): AcquirerEntry => {
          const state = answer.kind === "captured" ? "done" : "refused";
          return { id, kind: "charge", state, amountMinor, currency, at };
        });
      const refunded = [...refunds].map(([id, { answer, asked, at }]): AcquirerEntry => {
        const { amountMinor, currency } = asked;
        const state = answer.kind === "refunded" ? "done" : "refused";
        return { id, kind: "refund", state, amountMinor, currency, at };
      });
      return [...charged, ...refunded].filter(({ at }) => at >= since);
    },
  };
}
