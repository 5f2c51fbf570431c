// For tests of payments with late, missing or contradicting answers: payrail with a scripted
// acquirer that stalls at points of a payment.

import type { Point } from "../../services/payment-links/points.ts";
import { freezer } from "./freezer.ts";
import type { Answer } from "./http.ts";
import { openPaymentBooks, type PaymentBooks, scriptedAcquirer } from "./payments.ts";
import { settableClock } from "./settable-clock.ts";
import { until } from "./system.ts";
import { OFTEN } from "./turns.ts";
import { startWorld, type TestLink, type World } from "./world.ts";

export const CAPTURED = { kind: "captured" } as const;
export const VOIDED = { kind: "voided" } as const;
export const DECLINED = { kind: "declined", code: "card_declined" } as const;
export const UNKNOWN = { kind: "unknown" } as const;

/** The wait of a customer, after which the outcome of the charge is unknown. */
const OUTCOME_WITHIN_MS = 3_000;

export function unansweredPayments() {
  const script = scriptedAcquirer();
  const frozen = freezer<Point>();
  const clock = settableClock();
  let world: World;
  let books: PaymentBooks;

  /** Ends the wait of each paying customer. */
  function endWaits(): void {
    clock.aheadMs += OUTCOME_WITHIN_MS;
  }

  return {
    script,
    frozen,
    clock,
    endWaits,

    /** Starts payrail. */
    async start() {
      const { acquirer } = script;
      const { reached } = frozen;
      const instead = {
        acquirer,
        reached,
        clock,
        turns: OFTEN,
        outcomeWithinMs: OUTCOME_WITHIN_MS,
      };
      world = await startWorld({ paymentLinksInstead: [instead] });
      books = await openPaymentBooks(world);
      return { world, books };
    },

    /** Sets the clock right, and lets the acquirer capture, and leave a void unknown. */
    reset() {
      clock.aheadMs = 0;
      script.answers.charge = async () => CAPTURED;
      script.answers.outcome = async () => UNKNOWN;
      script.answers.void = async () => UNKNOWN;
    },

    /** Pays the link; the acquirer gets the charge, and answers after the customer's wait. */
    async payTooLong(
      link: TestLink,
      answer: ReturnType<typeof script.answers.charge> = new Promise(() => {}),
    ): Promise<Answer> {
      const asked = Promise.withResolvers<void>();
      script.answers.charge = () => {
        asked.resolve();
        return answer;
      };
      const paying = world.pay(link, "card");
      await asked.promise;
      endWaits();
      return paying;
    },

    /** Pays the link; the customer waits until the driver asks for an unknown outcome. */
    async payUnknown(link: TestLink): Promise<Answer> {
      const paying = world.pay(link, "card");
      const isUnknown = { linkId: link.id, unknownSince: { $exists: true } };
      await until(() => books.payments.findOne(isUnknown), { awaited: "an unknown outcome" });
      endWaits();
      return paying;
    },

    /** Pays the link once more. @returns the payment's status, or the refusal's message */
    async payAgain(link: TestLink): Promise<string> {
      const { status, body } = await world.pay(link, "card");
      return status === 200 ? body.data.status : body.message;
    },

    /** Verifies the books and stops payrail, also if the books are wrong. */
    async stop() {
      try {
        await world.verifyBooks();
      } finally {
        await books.close();
        await world.stop();
      }
    },
  };
}
