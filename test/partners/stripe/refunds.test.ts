// Refunds, the list and the errors of the Stripe module, against the stand-in for Stripe.

import { randomUUID } from "node:crypto";
import type { Acquirer, AcquirerEntry } from "../../../partners/types.ts";
import { newId } from "../../../shared/ids.ts";
import { aCharge, aRefund, openStripeBed, type StripeBed } from "../../support/stripe.ts";

const REFUND = "POST /v1/refunds";
const HOUR_MS = 3_600_000;
const REFUNDED = { kind: "refunded", amountMinor: 1_000, currency: "USD" };

let bed: StripeBed;
let acquirer: Acquirer;

beforeEach(async () => {
  bed = await openStripeBed();
  acquirer = bed.open();
});

afterEach(() => bed.close());

async function captured() {
  const charge = aCharge(bed.books.addCard("visa", true), { id: newId() });
  expect(await acquirer.charge(charge)).toMatchObject({ kind: "captured" });
  return charge;
}

describe("a refund", () => {
  test("is made once, also if it is repeated, concurrent, and older than its key", async () => {
    const refund = aRefund((await captured()).id, 1_000);
    const answers = await Promise.all(Array.from({ length: 5 }, () => acquirer.refund(refund)));
    expect(answers).toEqual(answers.map(() => REFUNDED));
    for (const passMs of [0, 25 * HOUR_MS]) {
      bed.clock.aheadMs += passMs;
      expect(await acquirer.refund(refund)).toEqual(REFUNDED);
      // A repeat with another sum is answered by the refund that was made.
      expect(await acquirer.refund({ ...refund, amountMinor: 90 })).toEqual(REFUNDED);
      expect(await acquirer.refund({ ...refund, currency: "EUR" })).toEqual(REFUNDED);
    }
    expect(bed.refunds(refund.id)).toBe(1);
  });

  test("is found among more refunds than a page of the list has", async () => {
    const { id } = await captured();
    const first = aRefund(id, 1);
    await acquirer.refund(first);
    for (let i = 0; i < 120; i++) {
      const params = [
        ...Object.entries({ payment_intent: [...bed.books.intents.keys()][0], amount: 1 }),
      ];
      bed.books.createRefund(new Map(params.map(([name, value]) => [name, String(value)])));
    }
    bed.clock.aheadMs += 25 * HOUR_MS;
    expect(await acquirer.refund(first)).toEqual({ ...REFUNDED, amountMinor: 1 });
    expect(bed.refunds(first.id)).toBe(1);
  });

  test.each([
    ["500", { status: 500 }],
    ["a closed connection", "cut" as const],
  ])("that Stripe makes and answers with %s is unknown, and is then found", async (_, after) => {
    const refund = aRefund((await captured()).id, 1_000);
    bed.misbehaveOnce(REFUND, true, after);
    await expect(acquirer.refund(refund)).rejects.toThrow();
    expect(await acquirer.refund(refund)).toEqual(REFUNDED);
    expect(bed.refunds(refund.id)).toBe(1);
  });

  test("above the rest of the charge is refused, and is not made later", async () => {
    const { id } = await captured();
    const [part, more] = [aRefund(id, 2_000), aRefund(id, 600)];
    expect(await acquirer.refund(part)).toEqual({ ...REFUNDED, amountMinor: 2_000 });
    const refused = { kind: "refused", code: "amount_too_large" };
    expect(await acquirer.refund(more)).toEqual(refused);
    for (const each of bed.books.refunds.values()) each.status = "failed";
    expect(await acquirer.refund(more)).toEqual(refused);
    expect((await acquirer.refund(aRefund(id, 600))).kind).toBe("refunded");
    expect(bed.refunds(more.id)).toBe(0);
  });

  test("that Stripe has not ended is unknown until it has", async () => {
    bed.books.settings.refundStatus = "pending";
    const [paid, failed] = [
      aRefund((await captured()).id, 1_000),
      aRefund((await captured()).id, 1),
    ];
    for (const refund of [paid, failed]) {
      expect(await acquirer.refund(refund)).toEqual({ kind: "unknown" });
      expect(await acquirer.refund(refund)).toEqual({ kind: "unknown" });
    }
    const [first, second] = [...bed.books.refunds.values()];
    Object.assign(first ?? {}, { status: "succeeded" });
    Object.assign(second ?? {}, { status: "failed", failure_reason: "expired_or_canceled_card" });
    expect(await acquirer.refund(paid)).toEqual(REFUNDED);
    const refused = { kind: "refused", code: "expired_or_canceled_card" };
    expect(await acquirer.refund(failed)).toEqual(refused);
    expect([bed.refunds(paid.id), bed.refunds(failed.id)]).toEqual([1, 1]);
  });

  test("of a charge that was never made is refused, and then the charge is never made", async () => {
    const charge = aCharge(bed.books.addCard("visa", true));
    const refused = { kind: "refused", code: "no_such_charge" };
    expect(await acquirer.refund(aRefund(charge.id, 1))).toEqual(refused);
    expect((await acquirer.charge(charge)).kind).toBe("declined");
    expect(bed.captures(charge.id)).toBe(0);
  });

  test("of a declined charge, in another currency, or of no amount is refused", async () => {
    const declined = aCharge(bed.books.addCard("declined", true));
    await acquirer.charge(declined);
    const { id } = await captured();
    for (const wrong of [
      aRefund(declined.id, 1),
      { ...aRefund(id, 1_000), currency: "EUR" as const },
      aRefund(id, -1),
    ]) {
      expect((await acquirer.refund(wrong)).kind).toBe("refused");
      expect(bed.refunds(wrong.id)).toBe(0);
    }
  });
});

test("the list has the charges and refunds that have ended, across pages, and no others", async () => {
  const since = bed.clock.now() - 1_000;
  const expected: Partial<AcquirerEntry>[] = [];
  for (let i = 0; i < 105; i++) {
    const { id } = await captured();
    expected.push({ id, kind: "charge", state: "done", amountMinor: 2_500, currency: "USD" });
  }
  const refund = aRefund(String(expected[0]?.id), 1_000);
  await acquirer.refund(refund);
  expected.push({ id: refund.id, kind: "refund", state: "done", amountMinor: 1_000 });
  const declined = aCharge(bed.books.addCard("declined", true));
  await acquirer.charge(declined);
  expected.push({ id: declined.id, kind: "charge", state: "refused" });
  await acquirer.void(randomUUID());
  await acquirer.charge(aCharge(bed.books.addCard("slow", true)));
  bed.books.createIntent(new Map([["amount", "100"]]));
  const listed: AcquirerEntry[] = [];
  for await (const entry of acquirer.list?.(since) ?? []) listed.push(entry);
  expect(listed).toHaveLength(expected.length);
  for (const entry of expected) expect(listed).toContainEqual(expect.objectContaining(entry));
  for (const { at } of listed) expect(at).toBeGreaterThanOrEqual(since);
  for await (const entry of acquirer.list?.(bed.clock.now() + 1_000) ?? []) {
    throw new Error(`The list has ${entry.id}, which is older`);
  }
});

test("an error has Stripe's code and not its message, which may have a token", async () => {
  bed.misbehaveOnce("GET /v1/payment_methods/:id", false, { status: 500, code: "broken" });
  const { message } = await acquirer.tokenInfo("pm_1").then(
    () => new Error("No error"),
    (error: Error) => error,
  );
  expect(message).toMatch(/^Stripe answered StripeAPIError: \w+, 500, req_\d+$/);
  expect(message).not.toContain("Refused");
});
