// Invalid input to billing: each request is refused with a 4xx that names the error, and the stored
// data stays the same. hostile.test.ts checks for every field of every route that wrong types are
// refused, and that another business's ids answer like unknown ids.

import { randomUUID } from "node:crypto";
import mongoose from "mongoose";
import type { Subscription } from "../../../services/payment-links/billing/subscription.model.ts";
import type { Answer } from "../../support/http.ts";
import { withoutId } from "../../support/refusal.ts";
import { allStored, type Stored, settledStored } from "../../support/stored.ts";
import {
  dataOf,
  paymentBody,
  startWorld,
  type TestBusiness,
  type TestLink,
  type World,
} from "../../support/world.ts";

const START = "2030-01-01T00:00:00.000Z";
const NOW = "2030-01-10T00:00:00.000Z";
const A_MILLION_MILLIONS = 1_000_000_000_000;
const MOST_SEATS = 1_000_000;

let world: World;
let mine: TestBusiness;
let theirs: TestBusiness;
/** Subscriptions of `mine`, named by their charge type or their state. */
let used: string;
let seated: string;
let flat: string;
let onTrial: string;
let cancelled: string;
let ended: string;
/** A subscription of the other business. */
let usedOfOthers: string;
let invoiceId: string;
let recurring: TestLink;
let once: TestLink;
let card: string;
let before: Stored;

const consumption = { recurringCharge: { type: "consumption", startDate: START } };
const seating = { recurringCharge: { type: "seating", startDate: START } };

beforeAll(async () => {
  world = await startWorld();
  [mine, theirs] = [await world.business(), await world.business()];
  card = await world.cardToken();
  recurring = await world.recurringLink(mine, { isOpenLink: false });
  once = await world.paymentLink(mine);
  used = await world.subscription(mine, consumption);
  seated = await world.subscription(mine, seating);
  flat = await world.subscription(mine);
  cancelled = await world.subscription(mine, consumption);
  ended = await world.subscription(mine, seating);
  const later = { type: "consumption", startDate: "2031-01-01T00:00:00.000Z" };
  onTrial = await world.subscription(mine, { recurringCharge: later });
  usedOfOthers = await world.subscription(theirs, consumption);
  dataOf(await world.toSubscription(mine, ended, "cancel", { at: "period_end" }), 200);
  await world.testClock(mine, NOW);
  await world.testClock(theirs, NOW);
  dataOf(await world.toSubscription(mine, cancelled, "cancel", { at: "now" }), 200);
  const [invoice] = await world.ofSubscription(mine, flat, "/invoices");
  invoiceId = invoice.id;
  before = await settledStored(world);
});
afterAll(async () => {
  await world?.verifyBooks();
  await world?.stop();
});

afterEach(async () => expect(await allStored(world)).toEqual(before));

const refusal = ({ status, body }: Answer) => [status, body.message];

/** Expects the same answer for each of the values. */
async function expectEach(
  values: unknown[],
  ask: (value: never) => Promise<Answer>,
  ...answer: unknown[]
) {
  const answers: unknown[] = [];
  for (const value of values) answers.push([value, ...refusal(await ask(value as never))]);
  expect(answers).toEqual(values.map((value) => [value, ...answer]));
}
const usage = (id: string, body: object, business = mine) =>
  world.toSubscription(business, id, "usage", { reference: randomUUID(), units: 1, ...body });
const seats = (id: string, wanted: unknown) =>
  world.toSubscription(mine, id, "seats", { seats: wanted });
const cancel = (id: string, at: unknown) => world.toSubscription(mine, id, "cancel", { at });
/** Sends a body that JSON.stringify cannot produce. */
const raw = (subscriptionId: string, path: string, text: string) =>
  world.http.request("POST", `/v1/business/${mine.id}/subscriptions/${subscriptionId}/${path}`, {
    token: mine.token,
    raw: text,
    headers: { "content-type": "application/json" },
  });

describe("usage", () => {
  const message = expect.stringContaining(
    `units must be a number from 0.000001 to ${A_MILLION_MILLIONS} with at most 6 decimals`,
  );

  test("with an invalid number of units is refused", async () => {
    const few = [-1, -0.000_001, 0, -0, 0.000_000_1, 1.000_000_1, 0.1 + 0.2];
    const many = [A_MILLION_MILLIONS + 1, 1e15, Number.MAX_VALUE];
    const none = ["1", "Infinity", true, null, [1], { $gt: 0 }];
    await expectEach([...few, ...many, ...none], (units) => usage(used, { units }), 400, message);
  });

  test("with units that are not JSON is refused", async () => {
    const wrongs = ["NaN", "Infinity", "01", "+1", ".5", "0x10", "1_000", "1e"];
    const ask = (wrong: string) => raw(used, "usage", `{"units": ${wrong}, "reference": "a"}`);
    const notJson = expect.stringMatching(/^The body is not valid JSON/);
    await expectEach(wrongs, ask, 400, notJson);
  });

  test("with more units than the highest number is refused in every notation", async () => {
    const wrongs = ["1e400", "-1e400", "1e13", `1${"0".repeat(400)}`];
    const ask = (wrong: string) => raw(used, "usage", `{"units": ${wrong}, "reference": "a"}`);
    await expectEach(wrongs, ask, 400, message);
  });

  test("that would make an invoice exceed the highest charge is refused", async () => {
    const answer = await usage(used, { units: A_MILLION_MILLIONS });
    expect(refusal(answer)).toEqual([409, "An invoice would exceed 9999999999.99"]);
  });

  test("without a reference, or with an invalid one, is refused", async () => {
    const wrongs = [undefined, "", "  ", "a\u0000", "x".repeat(257), 7, { $ne: "" }, ["a"], null];
    for (const reference of wrongs) {
      expect((await usage(used, { reference })).status).toBe(400);
    }
  });

  test("with an invalid time, far ahead, or before its subscription is refused", async () => {
    const wrongs = ["", "soon", "2030-02-30", 0, Date.parse(NOW), "+012030-01-01", "2033-01-01"];
    for (const at of [...wrongs, "9999-12-31"]) {
      expect((await usage(used, { at })).status).toBe(400);
    }
    expect((await usage(used, { at: "2029-12-31T23:59:59.999Z" })).status).toBe(409);
  });

  test("of a subscription on trial, cancelled, or of another charge type is refused", async () => {
    const notTaken = "Usage is not accepted during the trial or after the subscription's end";
    expect(refusal(await usage(onTrial, {}))).toEqual([409, notTaken]);
    expect(refusal(await usage(cancelled, {}))).toEqual([409, notTaken]);
    // This time is before the cancellation.
    expect(refusal(await usage(cancelled, { at: "2030-01-05" }))).toEqual([409, notTaken]);
    const notByUsage = "The subscription is not billed by usage";
    for (const id of [flat, seated, ended]) {
      expect(refusal(await usage(id, {}))).toEqual([409, notByUsage]);
    }
  });

  test("of another business's subscription is answered like that of an unknown one", async () => {
    const others = await usage(usedOfOthers, {});
    const unknown = await usage(randomUUID(), {});
    const noId = await usage("1", {});
    expect(others.status).toBe(404);
    const notFound = withoutId(unknown.body);
    expect([withoutId(others.body), withoutId(noId.body)]).toEqual([notFound, notFound]);
    // The other way round: the business of the path decides, not the fields of the body.
    const claimed = await usage(used, { businessId: mine.id, id: used }, theirs);
    expect([claimed.status, withoutId(claimed.body)]).toEqual([404, notFound]);
  });
});

describe("seats", () => {
  test("an invalid number of seats is refused", async () => {
    const message = expect.stringContaining(`seats must be a whole number from 0 to ${MOST_SEATS}`);
    const wrongs = [-1, 1.5, 0.1, MOST_SEATS + 1, 1e308, "5", "", null, true, [5], { $inc: 1 }];
    await expectEach([...wrongs, undefined], (wrong) => seats(seated, wrong), 400, message);
  });

  test("a subscription without seats, or one that has ended, is refused", async () => {
    const notBySeats = "The subscription is not billed by seats";
    for (const id of [flat, used, cancelled, onTrial]) {
      expect(refusal(await seats(id, 5))).toEqual([409, notBySeats]);
    }
    expect(refusal(await seats(ended, 5))).toEqual([409, "The subscription is cancelled"]);
  });
});

describe("the test clock", () => {
  const set = (body: object, business = mine, token = mine.token) =>
    world.http.post(`/v1/business/${business.id}/test-clock`, body, { token });

  test("goes neither back nor far ahead", async () => {
    const back = ["2030-01-09T23:59:59.999Z", "2020-01-01", "0000-01-01"];
    const ahead = ["2040-01-10T00:00:00.001Z", "9999-12-31T23:59:59.999Z"];
    const message = `now must be ${NOW}, or at most 10 years later, and before 9990-01-01T00:00:00.000Z`;
    await expectEach([...back, ...ahead], (now) => set({ now }), 400, message);
  });

  test("refuses an invalid time", async () => {
    const years = ["+012030-01-01T00:00:00.000Z", "12030-01-01", "-000001-01-01"];
    const days = ["2030-13-01", "2031-02-29", "2030-01-10T25:00:00Z", "tomorrow", ""];
    const others = [Date.parse(NOW), null, undefined, { $date: NOW }, [NOW], true];
    const message = expect.stringContaining("now must be an ISO 8601 date or time");
    await expectEach([...years, ...days, ...others], (now) => set({ now }), 400, message);
  });

  test("of another business is answered like that of an unknown business", async () => {
    const others = await set({ now: NOW }, theirs, mine.token);
    const { status, body } = await set({ now: NOW }, { ...mine, id: randomUUID() }, mine.token);
    expect([others.status, withoutId(others.body)]).toEqual([status, withoutId(body)]);
    expect(status).toBe(404);
  });
});

describe("a checkout", () => {
  test("of the wrong kind is refused by a link", async () => {
    const message = "The payment link cannot be paid";
    expect(refusal(await world.setup(once, card))).toEqual([409, message]);
    expect(refusal(await world.pay(recurring, card))).toEqual([409, message]);
  });

  test("with an unknown card saves nothing", async () => {
    for (const token of [`card_${"A".repeat(43)}`, randomUUID(), recurring.token, mine.token]) {
      expect((await world.setup(recurring, token)).status).toBe(400);
    }
  });

  test("with operators and prototypes in its body saves nothing", async () => {
    const wrongs: Record<string, unknown>[] = [
      { customer: { $gt: "" } },
      { customer: undefined },
      { customer: null },
      { customer: [] },
      { customer: { email: { $ne: null }, firstName: "A", lastName: "B", phone: "1" } },
      { paymentMethod: { type: "card", token: { $gt: "" } } },
      { paymentMethod: { type: { $ne: "" }, token: card } },
      { paymentMethod: [{ type: "card", token: card }] },
      { paymentMethod: card },
      { fields: [] },
      { fields: { Company: { $gt: "" } } },
    ];
    for (const wrong of wrongs) {
      const answer = await world.setup(recurring, card, wrong);
      expect([wrong, answer.status]).toEqual([wrong, 400]);
    }
    const polluted = `{"__proto__": {"customer": 1}, "constructor": {"prototype": {"isOpenLink": true}}}`;
    const path = `/v1/checkout/${recurring.token}/setup`;
    const headers = { "content-type": "application/json" };
    const answer = await world.http.request("POST", path, { raw: polluted, headers });
    expect(answer.status).toBe(400);
    expect(({} as Record<string, unknown>).customer).toBeUndefined();
  });

  test("with an unknown token is not found", async () => {
    for (const token of [
      randomUUID(),
      "x".repeat(43),
      flat,
      invoiceId,
      mine.id,
      "%00",
      "__proto__",
    ]) {
      const answer = await world.setup({ token }, card);
      expect(refusal(answer)).toEqual([404, "Payment link not found"]);
    }
  });
});

describe("cancelling", () => {
  test("a cancelled subscription is refused in every way", async () => {
    for (const id of [cancelled, ended]) {
      for (const at of ["now", "period_end"]) {
        expect(refusal(await cancel(id, at))).toEqual([409, "The subscription is cancelled"]);
      }
      const link = await world.toSubscription(mine, id, "payment-method-link");
      expect(refusal(link)).toEqual([409, "The subscription is cancelled"]);
    }
  });

  test("a time other than the two allowed values is refused", async () => {
    const texts = ["later", "NOW", "Period_End", "", NOW];
    const others = [0, null, undefined, { $in: ["now"] }, ["now"], true];
    const message = expect.stringContaining("at must be one of now, period_end");
    await expectEach([...texts, ...others], (at) => cancel(flat, at), 400, message);
  });
});

test("an invoice of another subscription, even of the same business, is not found", async () => {
  const ask = (id: string, invoice: string) =>
    world.http.get(`/v1/business/${mine.id}/subscriptions/${id}/invoices/${invoice}`, {
      token: mine.token,
    });
  expect((await ask(flat, invoiceId)).status).toBe(200);
  for (const [id, invoice] of [
    [seated, invoiceId],
    [usedOfOthers, invoiceId],
    [flat, randomUUID()],
    [flat, flat],
    [flat, "1"],
  ] as const) {
    expect((await ask(id, invoice)).status).toBe(404);
  }
});

test("the query of a list cannot extend it to another business", async () => {
  const list = (query: string) =>
    world.http.get(`/v1/business/${mine.id}/subscriptions?${query}`, { token: mine.token });
  const { body: all } = await list("limit=100");
  const ids = all.data.map(({ id }: { id: string }) => id);
  expect(ids.toSorted()).toEqual([used, seated, flat, cancelled, ended, onTrial].toSorted());
  const { body: claimed } = await list(`limit=100&businessId=${theirs.id}&$where=1&status[x]=1`);
  expect([200, 400]).toContain(claimed.success ? 200 : 400);
  expect(JSON.stringify(claimed)).not.toContain(usedOfOthers);
  for (const query of ["status=paused", "status[$ne]=active", "status=active&status=trialing"]) {
    expect((await list(query)).status).toBe(400);
  }
  for (const query of [
    "paymentLinkId=1",
    "paymentLinkId[$gt]=",
    "limit=0",
    "limit=101",
    "page=-1",
  ]) {
    expect((await list(query)).status).toBe(400);
  }
});

describe("after a change", () => {
  afterAll(async () => {
    before = await settledStored(world);
  });

  /** A subscription with a new payment-method link. */
  async function withMethodLink(): Promise<{ id: string; link: { token: string } }> {
    const id = await world.subscription(mine);
    const made = dataOf(await world.toSubscription(mine, id, "payment-method-link"), 201);
    return { id, link: { token: made.url.split("/").at(-1) as string } };
  }

  test("a million million units are accepted once, and other units are refused", async () => {
    const consumptionDetails = { unit: "byte", costPerUnit: 0.000_001 };
    const recurringCharge = { type: "consumption", startDate: START, consumptionDetails };
    const id = await world.subscription(mine, { recurringCharge });
    const body = { units: A_MILLION_MILLIONS, reference: "all" };
    expect(dataOf(await usage(id, body), 201).units).toBe(A_MILLION_MILLIONS);
    before = await settledStored(world);
    expect((await usage(id, body)).status).toBe(201);
    const others = await usage(id, { ...body, units: 1 });
    expect(refusal(others)).toEqual([409, "The same reference was used with other values"]);
    expect(
      dataOf(
        await world.http.get(`/v1/business/${mine.id}/subscriptions/${id}/preview`, {
          token: mine.token,
        }),
        200,
      ).total,
    ).toBe("1000000.00");
  });

  test("a payment-method link is accepted once, and only for its own subscription", async () => {
    const { id, link } = await withMethodLink();
    const key = { "Idempotency-Key": "change" };
    const changed = dataOf(await world.setup(link, card, {}, key), 200);
    expect(changed.subscriptionId).toBe(id);
    before = await settledStored(world);
    expect(dataOf(await world.setup(link, card, {}, key), 200)).toEqual(changed);
    const other = await world.cardToken();
    before = await settledStored(world);
    expect((await world.setup(link, other, {}, key)).status).toBe(422);
    expect((await world.setup(link, card)).status).toBe(409);
    expect((await world.pay(link, card)).status).toBe(409);
  });

  test("an ended payment-method link is refused", async () => {
    const [expired, replaced, over] = [
      await withMethodLink(),
      await withMethodLink(),
      await withMethodLink(),
    ];
    await world.toSubscription(mine, replaced.id, "payment-method-link");
    dataOf(await cancel(over.id, "now"), 200);
    const connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
    await connection
      .collection<Subscription>("subscriptions")
      .updateOne({ _id: expired.id }, { $set: { "methodLink.expiresAt": Date.now() } });
    await connection.close();
    before = await settledStored(world);
    const message = "The payment link cannot be paid";
    expect(refusal(await world.setup(expired.link, card))).toEqual([409, message]);
    expect(refusal(await world.setup(over.link, card))).toEqual([409, message]);
    expect((await world.setup(replaced.link, card)).status).toBe(404);
  });

  test("a key belongs to one set-up with one body", async () => {
    const link = await world.recurringLink(mine);
    const key = { "Idempotency-Key": "once" };
    const first = dataOf(await world.setup(link, card, {}, key), 200);
    before = await settledStored(world);
    const { customer } = paymentBody(card);
    const others = { customer: { ...customer, email: "eve@example.com" } };
    expect((await world.setup(link, card, others, key)).status).toBe(422);
    expect(dataOf(await world.setup(link, card, {}, key), 200)).toEqual(first);
    for (const wrong of ["", " ", "x".repeat(300), "a\u00e9"]) {
      expect((await world.setup(link, card, {}, { "Idempotency-Key": wrong })).status).toBe(400);
    }
  });
});
