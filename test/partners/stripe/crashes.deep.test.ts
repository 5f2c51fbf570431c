// Deaths and races of the Stripe module: an instance dies, or waits, before and after each of its
// effects, which are its writes and reads of the books and its requests to Stripe. Another instance
// asks on. Afterwards each id is captured at most once, and never if an answer said otherwise.

import { randomUUID } from "node:crypto";
import type { Acquirer, ChargeAnswer, VoidAnswer } from "../../../partners/types.ts";
import { newId } from "../../../shared/ids.ts";
import {
  aCharge,
  aRefund,
  type Hook,
  openStripeBed,
  type StripeBed,
} from "../../support/stripe.ts";
import type { CardKind } from "../../support/stripe-books.ts";

/** More effects than any operation has, so that each walk ends. */
const EFFECTS_AT_MOST = 60;

let bed: StripeBed;

beforeAll(async () => {
  bed = await openStripeBed();
});

afterAll(() => bed.close());

type Answer = ChargeAnswer | VoidAnswer;
type Ask = (acquirer: Acquirer) => Promise<Answer>;

/** Stops an instance at its effect of this number; the first moment is 1. */
function stopAt(moment: number) {
  let count = 0;
  let stopped = () => {};
  let goOn = () => {};
  const isStopped = new Promise<"stopped">((resolve) => {
    stopped = () => resolve("stopped");
  });
  const isOver = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const hook: Hook = () => {
    count += 1;
    if (count !== moment) return;
    stopped();
    return isOver;
  };
  return { hook, isStopped, goOn };
}

/** The questions about one charge, of a card of this kind. */
function questions(kind: CardKind, id: string) {
  const token = bed.books.addCard(kind, true);
  const charge: Ask = (acquirer) => acquirer.charge(aCharge(token, { id }));
  const end: Ask = (acquirer) => acquirer.void(id);
  return { charge, void: end };
}

/** Money has moved as every answer said, and all answers say the same. */
function check(id: string, answers: (Answer | null)[]): void {
  const ends = answers.filter((answer) => answer && answer.kind !== "unknown") as Answer[];
  const captured = bed.captures(id);
  expect(captured).toBeLessThanOrEqual(1);
  const kinds = ends.map(({ kind }) => kind === "captured");
  expect(kinds).toEqual(kinds.map(() => captured === 1));
}

const silent = (work: Promise<Answer>) => work.catch(() => null);

/** An id with a time is found by its key, one without a time by the search first. */
const CARDS: { kind: CardKind; of: string; id: () => string }[] = [
  { kind: "visa", of: "a new id", id: newId },
  { kind: "visa", of: "an id without a time", id: randomUUID },
  { kind: "declined", of: "a new id", id: newId },
];
const CASES = (["charge", "void"] as const).flatMap((first) =>
  (["charge", "void"] as const).flatMap((second) =>
    CARDS.map((card) => ({ first, second, ...card })),
  ),
);

describe.each(CASES)("$first, then $second, of $of with a card $kind", (of) => {
  test("holds if the first instance dies at any effect", async () => {
    for (let moment = 1; ; moment++) {
      expect(moment).toBeLessThan(EFFECTS_AT_MOST);
      const id = of.id();
      const ask = questions(of.kind, id);
      const { hook, isStopped } = stopAt(moment);
      const doomed = silent(ask[of.first](bed.open(hook)));
      const first = await Promise.race([doomed, isStopped]);
      const heir = bed.open();
      const second = await bed.outcomeOf(() => ask[of.second](heir));
      const [third, last] = [await ask.charge(heir), await ask.void(heir)];
      check(id, [first === "stopped" ? null : first, second, third, last]);
      if (first !== "stopped") return;
    }
  });

  test("holds if the first instance waits at any effect for the second one", async () => {
    for (let moment = 1; ; moment++) {
      expect(moment).toBeLessThan(EFFECTS_AT_MOST);
      const id = of.id();
      const ask = questions(of.kind, id);
      const { hook, isStopped, goOn } = stopAt(moment);
      const waiting = silent(ask[of.first](bed.open(hook)));
      const isOver = (await Promise.race([waiting, isStopped])) !== "stopped";
      const other = bed.open();
      const second = await silent(ask[of.second](other));
      goOn();
      const first = await waiting;
      const last = await bed.outcomeOf(() => ask.void(other));
      check(id, [first, second, last]);
      if (isOver) return;
    }
  });

  test("holds if the first instance dies at any effect, and the books are lost", async () => {
    for (let moment = 1; ; moment++) {
      expect(moment).toBeLessThan(EFFECTS_AT_MOST);
      const id = of.id();
      const ask = questions(of.kind, id);
      const { hook, isStopped } = stopAt(moment);
      const doomed = silent(ask[of.first](bed.open(hook)));
      const first = await Promise.race([doomed, isStopped]);
      await bed.loseBooks();
      const heir = bed.open();
      const second = await bed.outcomeOf(() => ask[of.second](heir));
      check(id, [first === "stopped" ? null : first, second, await ask.void(heir)]);
      if (first !== "stopped") return;
    }
  });
});

describe.each(["dies", "waits"])("a refund whose first instance %s at any effect", (what) => {
  test("is one refund", async () => {
    const token = bed.books.addCard("visa", true);
    for (let moment = 1; ; moment++) {
      expect(moment).toBeLessThan(EFFECTS_AT_MOST);
      const charge = aCharge(token);
      const refund = aRefund(charge.id, 1_000);
      const heir = bed.open();
      await bed.outcomeOf(() => heir.charge(charge));
      const { hook, isStopped, goOn } = stopAt(moment);
      const first = bed
        .open(hook)
        .refund(refund)
        .catch(() => null);
      const isOver = (await Promise.race([first, isStopped])) !== "stopped";
      expect(await bed.outcomeOf(() => heir.refund(refund))).toMatchObject({
        kind: "refunded",
        amountMinor: 1_000,
      });
      if (what === "waits") {
        goOn();
        await first;
      }
      expect(bed.refunds(refund.id)).toBe(1);
      if (isOver) return;
    }
  });
});
