// A model of a rail: a bank that accepts an id at most once, and answers early, late, never, or with
// a wrong answer. The fate of a payment is drawn at the first request about it.

import {
  CANCELLED,
  type CancelAnswer,
  DUPLICATE,
  type QueryAnswer,
  type SubmitAnswer,
} from "../../../partners/types.ts";
import type { Random } from "../random.ts";
import type { Timeline } from "../timeline.ts";
import type { Books } from "./books.ts";
import type { Serve } from "./network.ts";

interface Fate {
  /** The time after which the payment settles or is rejected, in ms; 0: at once. */
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
}

interface Payment {
  fate: Fate;
  submits: number;
  state: BankState;
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
const CONTRADICTIONS: { [end in "paid" | "refused"]: QueryAnswer[] } = {
  paid: [{ kind: "rejected", code: "account_not_found" }, { kind: "notFound" }],
  refused: [{ kind: "accepted" }, { kind: "settled" }],
};

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
      ...{ fate: drawFate(), submits: 0, state: "unknown", regret: null },
    };
    payments.set(id, payment);
    return payment;
  }

  function drawFate(): Fate {
    const returns = returnsWithinMs > 0 && random.chance(0.3);
    return {
      afterMs: random.chance(0.25) ? 0 : random.pick([200, 3_000, 20_000]),
      end: random.chance(0.35) ? "rejected" : "settled",
      returnsAfterMs: returns ? random.next() * returnsWithinMs : null,
      again: random.pick(["same", "duplicate", "duplicate", "unknown"]),
      unavailable: random.chance(0.2) ? random.between(1, 2) : 0,
      isSilent: random.chance(0.1),
      contradicts: random.chance(0.25),
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
    const answer = random.pick(CONTRADICTIONS[isPaid ? "paid" : "refused"]);
    if (isRefused) payment.regret = answer;
    return answer;
  }

  function answerFor(id: string, payment: Payment): QueryAnswer {
    const contradiction = contradict(id, payment);
    if (contradiction) return contradiction;
    switch (payment.state) {
      case "unknown":
        return { kind: "notFound" };
      case "accepted":
        return {
          kind: "accepted",
          ...(random.chance(0.7) && { askAfterMs: random.between(10, 4_000) }),
        };
      case "settled":
        return { kind: "settled" };
      case "rejected":
        return { kind: "rejected", code: "account_not_found" };
      case "cancelled":
        return { kind: "rejected", code: CANCELLED };
      case "returned":
        return { kind: "returned", code: "returned" };
    }
  }

  function isSilent({ fate }: Payment): boolean {
    return fate.isSilent && !isHealed;
  }

  return {
    submit:
      (id: string): Serve<SubmitAnswer> =>
      (reply, refuse) => {
        guarded(() => books().onSubmit(id));
        const payment = getPayment(id);
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

    findState: (id: string): BankState => payments.get(id)?.state ?? "unknown",
    heal(): void {
      isHealed = true;
    },
  };
}
