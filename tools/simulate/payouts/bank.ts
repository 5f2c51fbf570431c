// A model of a rail: a bank that accepts an id at most once, and answers early, late, never, or
// with a wrong answer: one that contradicts its own, or one about another sum. It may have a
// problem with a payment, for some answers or until an operator decides. The fate of a payment is
// drawn at the first request about it.

import {
  CANCELLED,
  type CancelAnswer,
  type Currency,
  type DecideAnswer,
  DUPLICATE,
  type QueryAnswer,
  type Rail,
  type SubmitAnswer,
} from "../../../partners/types.ts";
import type { Random } from "../random.ts";
import type { Timeline } from "../timeline.ts";
import type { Books } from "./books.ts";
import type { Serve } from "./network.ts";

interface Fate {
  /** The time after which the payment settles or is rejected, in ms; 0: immediately. */
  afterMs: number;
  end: "settled" | "rejected";
  /** The time between settlement and return, in ms; null: it never returns. */
  returnsAfterMs: number | null;
  /** The answer to a repeated submit. */
  again: "same" | "duplicate" | "unknown";
  /** The number of submits that the bank does not take. */
  unavailable: number;
  /** The bank answers no question about this payment until the healing. */
  isSilent: boolean;
  /** After payrail's end the bank contradicts it: once if it paid, for good if it refused. */
  contradicts: boolean;
  /** How many of its first answers of each kind about moved money name another sum. */
  misstated: { settled: number; returned: number };
  /** How many of its answers tell of a problem. */
  troubled: number;
  /** After its end the bank has a problem and does not tell the end, until an operator decides. */
  isHeld: boolean;
}

interface Sum {
  amountMinor: number;
  currency: Currency;
}
type End = Parameters<NonNullable<Rail["decide"]>>[1];

interface Payment {
  fate: Fate;
  /** Of the first submit. */
  sum: Sum | null;
  submits: number;
  state: BankState;
  /** The end that an operator has decided. */
  decided: End | null;
  /** The answer to every later question, once the bank contradicts its own refusal. */
  regret: QueryAnswer | null;
}

/** The states of an id at a bank. In the first ones the payment is paid or may still be paid. */
export const BANK_STATES = [
  "settled",
  "accepted",
  "returned",
  "rejected",
  "cancelled",
  "unknown",
] as const;
export type BankState = (typeof BANK_STATES)[number];

/** The answers that contradict a payment, and those that contradict a refusal. */
const CONTRADICTIONS: { [end in "paid" | "refused"]: (sum: Sum | null) => QueryAnswer[] } = {
  paid: () => [{ kind: "rejected", code: "account_not_found" }, { kind: "notFound" }],
  refused: (sum) => [{ kind: "accepted" }, ...(sum ? [{ kind: "settled", ...sum } as const] : [])],
};

const PROBLEM = { problem: "The bank does not say what it has done." };

export type BankModel = ReturnType<typeof createBank>;

export function createBank(options: {
  name: string;
  timeline: Timeline;
  random: Random;
  books: () => Books;
  returnsWithinMs: number;
  guarded: (work: () => void) => void;
}) {
  const { name, timeline, random, books, returnsWithinMs, guarded } = options;
  const payments = new Map<string, Payment>();
  let isHealed = false;

  function getPayment(id: string): Payment {
    const found = payments.get(id);
    if (found) return found;
    const payment: Payment = {
      ...{ fate: drawFate(), sum: null, submits: 0, state: "unknown", decided: null, regret: null },
    };
    payments.set(id, payment);
    return payment;
  }

  function drawFate(): Fate {
    const returns = returnsWithinMs > 0 && random.chance(0.3);
    const endsHeld = random.chance(0.1);
    return {
      isHeld: endsHeld,
      misstated: {
        settled: random.chance(0.2) ? random.between(1, 3) : 0,
        returned: random.chance(0.4) ? 1 : 0,
      },
      troubled: random.chance(0.1) ? random.between(1, 3) : 0,
      afterMs: random.chance(0.25) ? 0 : random.pick([200, 3_000, 20_000]),
      end: random.chance(0.35) ? "rejected" : "settled",
      returnsAfterMs: returns && !endsHeld ? random.next() * returnsWithinMs : null,
      again: random.pick(["same", "duplicate", "duplicate", "unknown"]),
      unavailable: random.chance(0.2) ? random.between(1, 2) : 0,
      isSilent: random.chance(0.1),
      contradicts: !endsHeld && random.chance(0.25),
    };
  }

  function accept(id: string, payment: Payment): void {
    payment.state = "accepted";
    const { afterMs, end, returnsAfterMs } = payment.fate;
    guarded(() => books().onAccepted(id, name));
    const finish = () => {
      if (payment.state !== "accepted") return;
      payment.state = end;
      if (end === "rejected") return;
      guarded(() => books().onPaid(id));
      if (returnsAfterMs === null) return;
      timeline.after(returnsAfterMs, null, () => {
        payment.state = "returned";
        guarded(() => books().onReturned(id));
      });
    };
    if (afterMs === 0) finish();
    else timeline.after(afterMs, null, finish);
  }

  /** An answer that contradicts the end; null while the bank does not contradict it. */
  function contradict(id: string, payment: Payment): QueryAnswer | null {
    const { fate, state, regret } = payment;
    const isPaid = state === "settled" && books().isPaidOut(id);
    const isRefused = (state === "rejected" || state === "cancelled") && books().isRefunded(id);
    const mayBegin = fate.contradicts && (isPaid || isRefused);
    if (regret || !mayBegin || !random.chance(0.3)) return regret;
    fate.contradicts = false;
    books().onContradicted(id);
    const answer = random.pick(CONTRADICTIONS[isPaid ? "paid" : "refused"](payment.sum));
    if (isRefused) payment.regret = answer;
    return answer;
  }

  /** The bank has ended the payment, and tells only that it has a problem. */
  function isHeld({ fate, state }: Payment): boolean {
    return fate.isHeld && (state === "settled" || state === "rejected");
  }

  /** The sum of an answer about moved money; another one as often as it is misstated. */
  function tellSum(id: string, { fate, sum }: Payment, kind: "settled" | "returned"): Sum {
    const { amountMinor, currency } = sum as Sum;
    const isRight = fate.misstated[kind] === 0;
    if (isRight) books().onSumTold(id, kind);
    else books().onProblem(id);
    if (isRight) return { amountMinor, currency };
    fate.misstated[kind] -= 1;
    return random.chance(0.5)
      ? { amountMinor: amountMinor + random.pick([-1, 1, 25]), currency }
      : { amountMinor, currency: "EUR" };
  }

  function tellProblem(id: string, payment: Payment): { problem?: string } {
    const { fate } = payment;
    if (!isHeld(payment) && fate.troubled === 0) return {};
    fate.troubled = Math.max(0, fate.troubled - 1);
    books().onProblem(id);
    return PROBLEM;
  }

  /** The bank may have paid in spite of its refusal. */
  function refuseInDoubt(id: string, payment: Payment): QueryAnswer {
    const { sum } = payment;
    const problem = tellProblem(id, payment);
    return sum && random.chance(0.5)
      ? { kind: "returned", code: "returned", ...sum, ...problem }
      : { kind: "rejected", code: "account_not_found", ...problem };
  }

  function answerFor(id: string, payment: Payment): QueryAnswer {
    const contradiction = contradict(id, payment);
    if (contradiction) return contradiction;
    if (isHeld(payment) && random.chance(0.3)) return refuseInDoubt(id, payment);
    switch (isHeld(payment) ? "accepted" : payment.state) {
      case "unknown":
        return { kind: "notFound" };
      case "accepted":
        return {
          kind: "accepted",
          ...(random.chance(0.7) && { askAfterMs: random.between(10, 4_000) }),
          ...tellProblem(id, payment),
        };
      case "settled":
        return { kind: "settled", ...tellSum(id, payment, "settled"), ...tellProblem(id, payment) };
      case "rejected":
        return { kind: "rejected", code: "account_not_found" };
      case "cancelled":
        return { kind: "rejected", code: CANCELLED };
      case "returned":
        return { kind: "returned", code: "returned", ...tellSum(id, payment, "returned") };
    }
  }

  function isSilent({ fate }: Payment): boolean {
    return fate.isSilent && !isHealed;
  }

  return {
    submit:
      (id: string, sum: Sum): Serve<SubmitAnswer> =>
      (reply, refuse) => {
        guarded(() => books().onSubmit(id));
        const payment = getPayment(id);
        payment.sum ??= sum;
        const { state, fate } = payment;
        payment.submits += 1;
        if (state === "unknown" && payment.submits > fate.unavailable) accept(id, payment);
        if (isSilent(payment)) return;
        if (payment.state === "unknown") {
          refuse(new Error("The bank is closed"));
          return;
        }
        if (state !== "unknown" && state !== "cancelled" && fate.again === "duplicate") {
          reply({ kind: "rejected", code: DUPLICATE });
          return;
        }
        const isUnknown = state !== "unknown" && fate.again === "unknown";
        const answer = answerFor(id, payment);
        const fits = answer.kind !== "returned" && answer.kind !== "notFound" && !isUnknown;
        reply(fits ? answer : { kind: "unknown" });
      },

    query:
      (id: string): Serve<QueryAnswer> =>
      (reply) => {
        guarded(() => books().onQuery(id));
        const payment = getPayment(id);
        if (isSilent(payment)) return;
        reply(answerFor(id, payment));
      },

    cancel:
      (id: string): Serve<CancelAnswer> =>
      (reply) => {
        const payment = getPayment(id);
        if (payment.state === "unknown" || payment.state === "accepted") {
          if (!isSilent(payment)) payment.state = "cancelled";
        }
        if (isSilent(payment)) return;
        reply(payment.state === "cancelled" ? "cancelled" : "no");
      },

    /** Stores an operator's decision if it is what the bank has done. */
    decide:
      (id: string, end: End): Serve<DecideAnswer> =>
      (reply) => {
        const payment = getPayment(id);
        if (isSilent(payment)) return;
        if (isHeld(payment) && payment.state === end) {
          payment.fate.isHeld = false;
          payment.decided = end;
          guarded(() => books().onDecided(id));
        }
        reply(payment.decided === end ? "decided" : "no");
      },

    /** Whether only an operator's decision ends the payment. */
    isHeld: (id: string): boolean => isHeld(getPayment(id)),

    findState: (id: string): BankState => payments.get(id)?.state ?? "unknown",
    heal(): void {
      isHealed = true;
    },
  };
}
