// An acquirer: its books, and its answers to the questions of the sample acquirer
// (partners/samples/acquirer.ts). Cards are tokens that the workload makes; the last part of a
// token says what the card's bank answers.

import type { Random } from "../../../tools/simulate/random.ts";
import type { CardCharge, CardRefund } from "./books.ts";

const CODES = ["card_declined", "insufficient_funds", "expired_card"];
const REFUSED_OF_HUNDRED = 8;
/** The only currency of the workload's links. */
const CURRENCY = "USD";

/** A new card's token; a card without funds is declined. */
export const cardToken = (name: string, kind: "good" | "poor") => `card_${name}_${kind}`;

export type Acquirer = ReturnType<typeof createAcquirer>;

export function createAcquirer(random: Random) {
  const charges = new Map<string, CardCharge>();
  const refunds = new Map<string, CardRefund>();

  /** The answer by the first question about the id. */
  function outcome({ state, code, amountMinor }: CardCharge) {
    return state === "captured"
      ? { kind: state, amountMinor, currency: CURRENCY }
      : { kind: "declined", code: code ?? "voided" };
  }

  return {
    card: (token: string) => (token.startsWith("card_") ? { brand: "Visa", last4: "4242" } : null),

    charge({ id, token, amountMinor }: { id: string; token: string; amountMinor: number }) {
      const at = Date.now();
      const known = charges.get(id);
      if (known) {
        known.asked += 1;
        known.notes.push({ at, what: "asked again" });
        return outcome(known);
      }
      const isDeclined = token.endsWith("_poor");
      const state = isDeclined ? "declined" : "captured";
      const charge: CardCharge = {
        id,
        card: token,
        amountMinor,
        state,
        ...(isDeclined && { code: random.pick(CODES) }),
        asked: 1,
        notes: [{ at, what: state }],
      };
      charges.set(id, charge);
      return outcome(charge);
    },

    void(id: string) {
      const at = Date.now();
      const known = charges.get(id);
      if (known) {
        known.notes.push({ at, what: "void asked" });
        return known.state === "voided" ? { kind: "voided" } : outcome(known);
      }
      const notes = [{ at, what: "voided" }];
      charges.set(id, { id, card: "", amountMinor: 0, state: "voided", asked: 0, notes });
      return { kind: "voided" };
    },

    refund({ id, chargeId, amountMinor }: Pick<CardRefund, "id" | "chargeId" | "amountMinor">) {
      const at = Date.now();
      const known = refunds.get(id);
      if (known) {
        known.asked += 1;
        known.notes.push({ at, what: "asked again" });
      }
      const refund = known ?? decideRefund(id, chargeId, amountMinor, at);
      refunds.set(id, refund);
      return refund.state === "refunded"
        ? { kind: "refunded", amountMinor: refund.amountMinor, currency: CURRENCY }
        : { kind: "refused", code: refund.code };
    },

    chargeBook: (): CardCharge[] => [...charges.values()],
    refundBook: (): CardRefund[] => [...refunds.values()],
  };

  function decideRefund(id: string, chargeId: string, amountMinor: number, at: number): CardRefund {
    const charge = charges.get(chargeId);
    const paidBack = [...refunds.values()]
      .filter((each) => each.chargeId === chargeId && each.state === "refunded")
      .reduce((sum, each) => sum + each.amountMinor, 0);
    const isLeft = charge?.state === "captured" && paidBack + amountMinor <= charge.amountMinor;
    const isRefused = !isLeft || random.between(0, 99) < REFUSED_OF_HUNDRED;
    const state = isRefused ? "refused" : "refunded";
    const notes = [{ at, what: state }];
    const code = isLeft ? "refund_refused" : "exceeds";
    return { id, chargeId, amountMinor, state, ...(isRefused && { code }), asked: 1, notes };
  }
}
