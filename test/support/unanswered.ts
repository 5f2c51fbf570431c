// For tests of payments with late, missing or contradicting answers: payrail with a scripted acquirer
// that stalls at points of a payment.

import type { Point } from "../../services/payment-links/points.ts";
import { freezer } from "./freezer.ts";
import { openPaymentBooks, scriptedAcquirer } from "./payments.ts";
import { startWorld, type TestLink } from "./world.ts";

export const CAPTURED = { kind: "captured" } as const;
export const VOIDED = { kind: "voided" } as const;
export const DECLINED = { kind: "declined", code: "card_declined" } as const;
export const UNKNOWN = { kind: "unknown" } as const;

export type UnansweredPayments = Awaited<ReturnType<typeof startUnansweredPayments>>;

/** Starts payrail with three seconds until the outcome of a charge is unknown. */
export async function startUnansweredPayments() {
  const script = scriptedAcquirer();
  const frozen = freezer<Point>();
  const instead = { acquirer: script.acquirer, reached: frozen.reached, outcomeWithinMs: 3_000 };
  const world = await startWorld({ paymentLinksInstead: [instead] });
  const books = await openPaymentBooks(world);
  return {
    script,
    frozen,
    world,
    books,

    /** Lets the acquirer capture, and leave a void unknown. */
    reset() {
      script.answers.charge = async () => CAPTURED;
      script.answers.void = async () => UNKNOWN;
    },

    /** Pays the link once more. @returns the status of the payment, or the message of the refusal */
    async payAgain(link: TestLink): Promise<string> {
      const { status, body } = await world.pay(link, "card");
      return status === 200 ? body.data.status : body.message;
    },

    async stop() {
      await world.verifyBooks();
      await books.close();
      await world.stop();
    },
  };
}
