// Random histories of the Stripe module: several instances ask about few charges while Stripe
// fails, connections break, time passes, the books are lost and an id is asked for other sums.
// Whatever happens, each id is charged and each refund is made at most once, and all conclusive
// answers about an id agree with the money and its sum.

import { randomUUID } from "node:crypto";
import type { Acquirer, RefundAnswer, VoidAnswer } from "../../../partners/types.ts";
import { newId } from "../../../shared/ids.ts";
import { aCharge, aRefund, openStripeBed, type StripeBed } from "../../support/stripe.ts";
import type { CardKind } from "../../support/stripe-books.ts";
import type { Interference } from "../../support/stripe-server.ts";
import { type Random, seeded } from "../../support/traffic.ts";

const HISTORIES = 200;
const QUESTIONS = 12;
const HOUR_MS = 3_600_000;

const FAULTS: [isExecuted: boolean, Interference][] = [
  [false, "cut"],
  [true, "cut"],
  [false, { status: 500 }],
  [true, { status: 500 }],
  [false, { status: 429 }],
  [false, { status: 409, code: "idempotency_key_in_use" }],
];
const ROUTES = [
  "POST /v1/payment_intents",
  "POST /v1/payment_intents/:id/confirm",
  "POST /v1/payment_intents/:id/cancel",
  "GET /v1/payment_intents/:id",
  "GET /v1/payment_intents/search",
  "POST /v1/refunds",
  "GET /v1/refunds",
];
const KINDS: CardKind[] = ["visa", "visa", "declined", "secure", "slow"];

const UNKNOWN = { kind: "unknown" } as const;

let bed: StripeBed;

beforeAll(async () => {
  bed = await openStripeBed();
});

afterAll(() => bed.close());

async function history({ below, oneOf: pick }: Random): Promise<void> {
  const isIn = (percent: number) => below(100) < percent;
  const id = isIn(50) ? newId() : randomUUID();
  const charge = aCharge(bed.books.addCard(pick(KINDS), true), { id });
  const refunds = [aRefund(id, 1_000), aRefund(id, 1_000)];
  const instances = [bed.open(), bed.open()];
  const answers: VoidAnswer[] = [];
  const refunded = new Map<string, Set<string>>();
  const wrongSums: object[] = [];
  const checkSum = (answer: VoidAnswer | RefundAnswer, moved?: { amount: number }) => {
    if ("amountMinor" in answer && answer.amountMinor !== moved?.amount) wrongSums.push(answer);
  };
  const madeRefund = (refundId: string) =>
    [...bed.books.refunds.values()].find(({ metadata }) => metadata.payrail_id === refundId);
  const captured = () =>
    [...bed.books.intents.values()].find(
      (each) => each.metadata.payrail_id === id && each.captures > 0,
    );

  async function ask(acquirer: Acquirer): Promise<void> {
    const what = pick(["charge", "charge", "charge", "void", "refund", "finish"]);
    if (what === "refund" && answers.some(({ kind }) => kind === "captured")) {
      const refund = pick(refunds);
      const asked = { ...refund, amountMinor: pick([1_000, 1_000, 400]) };
      const answer = await acquirer.refund(asked).catch((): RefundAnswer => UNKNOWN);
      checkSum(answer, madeRefund(refund.id));
      refunded.set(refund.id, (refunded.get(refund.id) ?? new Set()).add(answer.kind));
    } else if (what === "finish") {
      for (const { id: intent } of bed.books.intents.values()) bed.books.finish(intent, isIn(50));
    } else if (what === "void") {
      answers.push(await acquirer.void(id).catch((): VoidAnswer => UNKNOWN));
    } else {
      const amountMinor = pick([2_500, 2_500, 2_500, 9_900]);
      const asked = { ...charge, amountMinor, isCustomerPresent: isIn(50) };
      const answer = await acquirer.charge(asked).catch((): VoidAnswer => UNKNOWN);
      if (answer.kind !== "action") answers.push(answer);
    }
  }

  for (let i = 0; i < QUESTIONS; i++) {
    if (isIn(40)) bed.misbehaveOnce(pick(ROUTES), ...pick(FAULTS));
    if (isIn(10)) await bed.loseBooks();
    if (isIn(20)) bed.clock.aheadMs += pick([60_000, HOUR_MS, 23 * HOUR_MS, 25 * HOUR_MS]);
    await Promise.all(instances.slice(0, isIn(50) ? 2 : 1).map(ask));
  }
  bed.clock.aheadMs += 25 * HOUR_MS;
  for (const { id: intent } of bed.books.intents.values()) bed.books.finish(intent, isIn(50));
  bed.behave();
  const [last] = instances as [Acquirer];
  answers.push(await bed.outcomeOf(() => last.void(id)));

  for (const answer of answers) checkSum(answer, captured());
  expect(wrongSums).toEqual([]);
  const captures = bed.captures(id);
  expect(captures).toBeLessThanOrEqual(1);
  const ends = answers.filter(({ kind }) => kind !== "unknown");
  expect(ends.map(({ kind }) => kind === "captured")).toEqual(ends.map(() => captures === 1));
  for (const refund of refunds) {
    expect(bed.refunds(refund.id)).toBeLessThanOrEqual(1);
    const kinds = refunded.get(refund.id) ?? new Set();
    if (kinds.has("refunded")) expect(bed.refunds(refund.id)).toBe(1);
    if (kinds.has("refused")) expect(bed.refunds(refund.id)).toBe(0);
  }
}

test(`each of ${HISTORIES} random histories moves money as its answers say`, async () => {
  const random = seeded();
  for (let i = 0; i < HISTORIES; i++) await history(random);
});
