// Charges, voids and 3-D Secure of the Stripe module, against the stand-in for Stripe.

import { randomUUID } from "node:crypto";
import type { Acquirer, Charge } from "../../../partners/types.ts";
import { newId } from "../../../shared/ids.ts";
import { aCharge, openStripeBed, type StripeBed } from "../../support/stripe.ts";
import type { CardKind, StripeIntent } from "../../support/stripe-books.ts";

const CREATE = "POST /v1/payment_intents";
const CONFIRM = "POST /v1/payment_intents/:id/confirm";
const CANCEL = "POST /v1/payment_intents/:id/cancel";
const CAPTURED = { kind: "captured", amountMinor: 2_500, currency: "USD" };
const VOIDED = { kind: "voided" };
const OTHER_SUMS: { of: string; other: Partial<Charge> }[] = [
  { of: "more", other: { amountMinor: 9_900 } },
  { of: "less", other: { amountMinor: 100 } },
  { of: "another currency", other: { currency: "EUR" } },
];

let bed: StripeBed;
let acquirer: Acquirer;

beforeAll(async () => {
  bed = await openStripeBed();
  acquirer = bed.open();
});

afterAll(() => bed.close());

const saved = (kind: CardKind = "visa") => bed.books.addCard(kind, true);
/** A card for one payment, which needs no customer. */
const single = () => bed.books.addCard("visa");
const intentOf = (id: string): StripeIntent => {
  const found = [...bed.books.intents.values()].find(({ metadata }) => metadata.payrail_id === id);
  if (!found) throw new Error(`Stripe has no intent of ${id}`);
  return found;
};

describe("a charge", () => {
  test("is captured once, also if it is repeated and asked concurrently", async () => {
    const charge = aCharge(saved());
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => bed.outcomeOf(() => acquirer.charge(charge))),
    );
    expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(["captured"]));
    expect(await acquirer.charge(charge)).toEqual(CAPTURED);
    expect(await acquirer.void(charge.id)).toEqual(CAPTURED);
    expect(bed.captures(charge.id)).toBe(1);
    expect(intentOf(charge.id)).toMatchObject({ amount: 2_500, currency: "usd" });
  });

  test("with a card for one payment is captured while its customer is present", async () => {
    const charge = aCharge(bed.books.addCard("visa"), { isCustomerPresent: true });
    expect(await acquirer.charge(charge)).toEqual(CAPTURED);
  });

  test.each<[CardKind, string]>([
    ["declined", "card_declined"],
    ["poor", "insufficient_funds"],
    ["expired", "expired_card"],
    ["secure", "authentication_required"],
  ])("with a card that is %s is declined as %s, and never made later", async (kind, code) => {
    const charge = aCharge(saved(kind));
    const declined = { kind: "declined", code };
    expect(await acquirer.charge(charge)).toEqual(declined);
    expect(intentOf(charge.id).status).toBe("canceled");
    expect(await acquirer.charge({ ...charge, token: saved() })).toEqual(declined);
    expect(await acquirer.void(charge.id)).toEqual(declined);
    expect(bed.captures(charge.id)).toBe(0);
  });

  test.each([
    ["an unknown card", () => ({ token: "pm_none" })],
    ["a text that is no token", () => ({ token: `unknown_${randomUUID()}` })],
    ["an unknown customer", () => ({ token: "pm_none.cus_none" })],
    ["a card without its customer", () => ({ token: saved().split(".")[0] as string })],
    ["too small an amount", () => ({ token: saved(), amountMinor: 10 })],
    ["too small an amount for any card", () => ({ token: single(), amountMinor: 10 })],
    ["no amount", () => ({ token: saved(), amountMinor: -1 })],
  ])("with %s is declined, and never made later", async (_, wrong) => {
    const charge = aCharge(saved(), wrong());
    const answer = await acquirer.charge(charge);
    expect(answer).toEqual({ kind: "declined", code: expect.any(String) });
    expect(await acquirer.charge({ ...charge, token: saved(), amountMinor: 2_500 })).toEqual(
      answer,
    );
    expect(await acquirer.void(charge.id)).toEqual(answer);
    await bed.loseBooks();
    bed.clock.aheadMs += 60_000;
    expect((await acquirer.charge(aCharge(saved(), { id: charge.id }))).kind).toBe("declined");
    expect(bed.captures(charge.id)).toBe(0);
  });

  test.each([
    ["an answer 500", { status: 500 }],
    ["a request limit", { status: 429 }],
    ["another request under way with its key", { status: 409, code: "idempotency_key_in_use" }],
    ["a revoked key", { status: 401 }],
    ["a closed connection", "cut" as const],
  ])("is unknown after %s, and its repeat is captured once", async (_, interference) => {
    for (const route of [CREATE, CONFIRM]) {
      const charge = aCharge(saved());
      bed.misbehaveOnce(route, false, interference);
      await expect(acquirer.charge(charge)).rejects.toThrow();
      expect(bed.captures(charge.id)).toBe(0);
      expect(await acquirer.charge(charge)).toEqual(CAPTURED);
      expect(bed.captures(charge.id)).toBe(1);
    }
  });

  test.each([
    ["500", { status: 500 }],
    ["a closed connection", "cut" as const],
  ])("is captured once if Stripe captures it and answers %s", async (_, interference) => {
    const charge = aCharge(saved());
    bed.misbehaveOnce(CONFIRM, true, interference);
    await expect(acquirer.charge(charge)).rejects.toThrow();
    expect(await acquirer.void(charge.id)).toEqual(CAPTURED);
    expect(await acquirer.charge(charge)).toEqual(CAPTURED);
    expect(bed.captures(charge.id)).toBe(1);
  });

  test.each(OTHER_SUMS)(
    "whose intent is created without an answer is never captured if $of is asked",
    async ({ other }) => {
      const charge = aCharge(saved(), { id: newId() });
      bed.misbehaveOnce(CREATE, true, "cut");
      await expect(acquirer.charge(charge)).rejects.toThrow();
      const declined = { kind: "declined", code: "other_sum" };
      expect(await acquirer.charge({ ...charge, ...other })).toEqual(declined);
      expect(await acquirer.charge(charge)).toEqual(declined);
      expect(await acquirer.void(charge.id)).toEqual(declined);
      expect(intentOf(charge.id).amount).toBe(2_500);
      expect(bed.captures(charge.id)).toBe(0);
    },
  );

  test.each(OTHER_SUMS)(
    "that was captured is told with its sum if $of is asked",
    async ({ other }) => {
      const charge = aCharge(saved());
      expect(await acquirer.charge(charge)).toEqual(CAPTURED);
      expect(await acquirer.charge({ ...charge, ...other })).toEqual(CAPTURED);
      expect(bed.captures(charge.id)).toBe(1);
    },
  );

  test("that was captured in part is told with the captured sum", async () => {
    const charge = aCharge(saved());
    await acquirer.charge(charge);
    intentOf(charge.id).amount_received = 2_400;
    const captured = { ...CAPTURED, amountMinor: 2_400 };
    expect(await acquirer.void(charge.id)).toEqual(captured);
    expect(await acquirer.charge(charge)).toEqual(captured);
  });

  test("whose creation Stripe answered 500 is unknown for a day, and then captured once", async () => {
    const charge = aCharge(saved());
    bed.misbehaveOnce(CREATE, true, { status: 500 });
    await expect(acquirer.charge(charge)).rejects.toThrow("500");
    await expect(acquirer.charge(charge)).rejects.toThrow("500");
    bed.clock.aheadMs += 24 * 3_600_000;
    expect(await acquirer.charge(charge)).toEqual(CAPTURED);
    expect(bed.captures(charge.id)).toBe(1);
  });

  test("that the bank processes is unknown until the bank has decided", async () => {
    for (const isApproved of [true, false]) {
      const charge = aCharge(saved("slow"));
      expect((await acquirer.charge(charge)).kind).toBe("unknown");
      expect((await acquirer.void(charge.id)).kind).toBe("unknown");
      bed.books.finish(intentOf(charge.id).id, isApproved);
      const kind = isApproved ? "captured" : "declined";
      expect((await acquirer.charge(charge)).kind).toBe(kind);
      expect(bed.captures(charge.id)).toBe(isApproved ? 1 : 0);
    }
  });

  test("that is declined waits for Stripe's cancel before it says so", async () => {
    const charge = aCharge(saved("declined"));
    bed.misbehaveOnce(CANCEL, false, { status: 500 });
    await expect(acquirer.charge(charge)).rejects.toThrow("500");
    expect(await acquirer.charge(charge)).toEqual({ kind: "declined", code: "card_declined" });
    expect(intentOf(charge.id).status).toBe("canceled");
  });
});

describe("a void", () => {
  test("of an id without a charge stays, also against a later charge", async () => {
    for (const id of [randomUUID(), newId()]) {
      expect(await acquirer.void(id)).toEqual(VOIDED);
      expect(await acquirer.charge(aCharge(saved(), { id }))).toEqual({
        kind: "declined",
        code: "voided",
      });
      expect(await acquirer.void(id)).toEqual(VOIDED);
      expect(bed.captures(id)).toBe(0);
    }
  });

  test("of a charge whose creation had no answer does not wait for Stripe's search", async () => {
    const charge = aCharge(saved(), { id: newId() });
    bed.misbehaveOnce(CREATE, true, "cut");
    await expect(acquirer.charge(charge)).rejects.toThrow();
    expect(await acquirer.void(charge.id)).toEqual(VOIDED);
    expect(intentOf(charge.id).status).toBe("canceled");
  });

  test("in a race with a charge agrees with it", async () => {
    for (let round = 0; round < 20; round++) {
      const charge = aCharge(saved(), { id: newId() });
      const [charged, voided] = await Promise.all([
        bed.outcomeOf(() => acquirer.charge(charge)),
        bed.outcomeOf(() => acquirer.void(charge.id)),
      ]);
      const isCaptured = charged.kind === "captured";
      expect(voided.kind).toBe(isCaptured ? "captured" : "voided");
      expect(bed.captures(charge.id)).toBe(isCaptured ? 1 : 0);
    }
  });
});

describe("3-D Secure", () => {
  async function begun() {
    const charge = aCharge(bed.books.addCard("secure"), { isCustomerPresent: true });
    const { client_secret: action } = await acquirer
      .charge(charge)
      .then((answer) => ({ answer, ...intentOf(charge.id) }));
    expect(await acquirer.charge(charge)).toEqual({ kind: "action", action });
    expect(action.length).toBeLessThanOrEqual(1_000);
    return { charge, intent: intentOf(charge.id).id };
  }

  test("captures the charge once its customer has confirmed it", async () => {
    const { charge, intent } = await begun();
    bed.books.finish(intent, true);
    expect(await acquirer.charge(charge)).toEqual(CAPTURED);
    expect(bed.captures(charge.id)).toBe(1);
  });

  test("declines the charge that its customer does not confirm", async () => {
    const { charge, intent } = await begun();
    bed.books.finish(intent, false);
    const code = "payment_intent_authentication_failure";
    expect(await acquirer.charge(charge)).toEqual({ kind: "declined", code });
    expect(bed.captures(charge.id)).toBe(0);
  });

  test("ends with a void, and a confirmation after it moves no money", async () => {
    const { charge, intent } = await begun();
    expect(await acquirer.void(charge.id)).toEqual(VOIDED);
    bed.books.finish(intent, true);
    expect(bed.captures(charge.id)).toBe(0);
    expect((await acquirer.charge(charge)).kind).toBe("declined");
  });

  test("ends with a charge whose customer has left", async () => {
    const { charge } = await begun();
    const code = "authentication_required";
    const answer = await acquirer.charge({ ...charge, isCustomerPresent: false });
    expect(answer).toEqual({ kind: "declined", code });
  });

  test("leaves no secret in the books", async () => {
    const { charge, intent } = await begun();
    const documents = await Promise.all(
      (await bed.database.collections()).map((each) => each.find().toArray()),
    );
    const stored = JSON.stringify(documents);
    expect(stored).toContain(intent);
    for (const secret of ["_secret_", charge.token]) expect(stored).not.toContain(secret);
  });
});
