// The Stripe module after a loss of its books, as after a restore of payrail's database to an
// earlier moment: Stripe's keys and search take their place.

import { randomUUID } from "node:crypto";
import type { Acquirer, ChargeAnswer, VoidAnswer } from "../../../partners/types.ts";
import { newId } from "../../../shared/ids.ts";
import { aCharge, aRefund, openStripeBed, type StripeBed } from "../../support/stripe.ts";

const HOUR_MS = 3_600_000;
const CAPTURED = { kind: "captured", amountMinor: 2_500, currency: "USD" };
const REFUNDED = { kind: "refunded", amountMinor: 1_000, currency: "USD" };

let bed: StripeBed;
let acquirer: Acquirer;

beforeEach(async () => {
  bed = await openStripeBed();
  acquirer = bed.open();
});

afterEach(() => bed.close());

/** Ids whose age shows, as those of payments, and others, as those of renewals. */
const IDS: [string, () => string][] = [
  ["an id with a time", () => newId()],
  ["an id without a time", () => randomUUID()],
];
/** Before Stripe's search has the charge; after that; and after the end of its key. */
const LATER: [string, number][] = [
  ["at once", 0],
  ["two minutes later", 120_000],
  ["a day before its key ends", 23 * HOUR_MS],
  ["after its key has ended", 25 * HOUR_MS],
];
const CASES = IDS.flatMap(([of, id]) =>
  LATER.map(([when, passMs]) => ({ of, when, passMs, id: id() })),
);

const saved = () => bed.books.addCard("visa", true);

test.each(CASES)("a captured charge of $of is found again $when", async ({ id, passMs }) => {
  const asks: (() => Promise<VoidAnswer | ChargeAnswer>)[] = [
    () => acquirer.charge(aCharge(saved(), { id })),
    () => acquirer.charge(aCharge(saved(), { id, amountMinor: 1_000 })),
    () => acquirer.void(id),
  ];
  for (const ask of asks) {
    const charge = aCharge(saved(), { id });
    expect(await bed.outcomeOf(() => acquirer.charge(charge))).toEqual(CAPTURED);
    await bed.loseBooks();
    bed.clock.aheadMs += passMs;
    expect(await bed.outcomeOf(ask)).toEqual(CAPTURED);
    expect(bed.captures(id)).toBe(1);
  }
});

test.each(CASES)("a declined charge of $of is never made $when", async ({ id, passMs }) => {
  const declined = aCharge(bed.books.addCard("declined", true), { id });
  expect((await acquirer.charge(declined)).kind).toBe("declined");
  await bed.loseBooks();
  bed.clock.aheadMs += passMs;
  const again = await bed.outcomeOf(() => acquirer.charge(aCharge(saved(), { id })));
  expect(again.kind).toBe("declined");
  expect(bed.captures(id)).toBe(0);
});

test.each(CASES)("a voided charge of $of is never made $when", async ({ id, passMs }) => {
  expect(await acquirer.void(id)).toEqual({ kind: "voided" });
  await bed.loseBooks();
  bed.clock.aheadMs += passMs;
  const charged = await bed.outcomeOf(() => acquirer.charge(aCharge(saved(), { id })));
  expect(charged).toEqual({ kind: "declined", code: "voided" });
  expect(await acquirer.void(id)).toEqual({ kind: "voided" });
  expect(bed.captures(id)).toBe(0);
});

test.each(CASES)("a refund of a charge of $of is one refund $when", async ({ id, passMs }) => {
  await bed.outcomeOf(() => acquirer.charge(aCharge(saved(), { id })));
  const refund = aRefund(id, 1_000);
  expect(await acquirer.refund(refund)).toEqual(REFUNDED);
  await bed.loseBooks();
  bed.clock.aheadMs += passMs;
  expect(await bed.outcomeOf(() => acquirer.refund(refund))).toEqual(REFUNDED);
  expect(bed.refunds(refund.id)).toBe(1);
});

test("a lost record whose intent the search does not have yet is unknown, and nothing else", async () => {
  const charge = aCharge(saved(), { id: newId() });
  await acquirer.charge(charge);
  await bed.loseBooks();
  await expect(acquirer.void(charge.id)).rejects.toThrow("search does not have the intent yet");
  expect(bed.captures(charge.id)).toBe(1);
});
