// The life of a subscription: its trial, its periods in order, and the money that they collect.

import type { Invoice } from "../../../services/payment-links/billing/invoice.model.ts";
import type { PaymentLink } from "../../../services/payment-links/links/link.model.ts";
import type { Payment } from "../../../services/payment-links/payments/payment.model.ts";
import type { Event } from "../../../services/webhooks/queue/event.model.ts";
import { type BillingBooks, DAY_MS, openBillingBooks } from "../../support/billing.ts";
import { allStored } from "../../support/stored.ts";
import { until } from "../../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../../support/world.ts";

let world: World;
let books: BillingBooks;

beforeAll(async () => {
  world = await startWorld();
  books = await openBillingBooks(world);
});

afterAll(async () => {
  await books.close();
  await world.stop();
});

afterEach(() => world.verifyBooks());

const at = (text: string) => new Date(text).toISOString();
const account = async (business: TestBusiness) =>
  world.balance(business, { id: await world.collectionAccount(business) });
const paymentsOf = async (business: TestBusiness, subscriptionId: string) => {
  const path = `/v1/business/${business.id}/payments?subscriptionId=${subscriptionId}`;
  return dataOf(await world.http.get(path, { token: business.token }), 200);
};

describe("a subscription", () => {
  test("shows the delivery of its invoice in the timeline of the renewal", async () => {
    const business = await world.business();
    await world.hook(business);
    const id = await world.subscription(business);
    await world.testClock(business, "2030-01-01");
    const [payment] = await paymentsOf(business, id);
    const path = `/v1/transactions/${payment.id}/timeline`;
    const delivered = async () => {
      const timeline = dataOf(await world.http.get(path, { token: business.token }), 200);
      return timeline.deliveries.length > 0 && timeline;
    };
    expect(await until(delivered, { awaited: "the invoice's delivery" })).toMatchObject({
      states: [{ status: "PENDING" }, { status: "SUCCESS" }],
      entries: [{ entry: "CREDIT", amount: "23.97" }],
      deliveries: [{ eventType: "INVOICE" }],
    });
  });

  test("gives each renewal ids of its own, which its payment and its events keep", async () => {
    const business = await world.business();
    const id = await world.subscription(business);
    await world.testClock(business, "2030-02-01");
    const stored = await allStored(world);
    const invoices = (stored.invoices as Invoice[]).filter((each) => each.subscriptionId === id);
    const payments = stored.payments as Payment[];
    const events = stored.webhook_events as Event[];
    const ids = invoices.map(({ _id, origin }) => {
      expect(payments.find(({ renewal }) => renewal?.invoiceId === _id)?.origin).toEqual(origin);
      expect(events.find(({ transactionId }) => transactionId === _id)?.origin).toEqual(origin);
      return origin?.requestId ?? "none";
    });
    expect(ids).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), expect.any(String)]);
    expect(ids[0]).not.toBe(ids[1]);
  });

  test("is charged once at the start of each period, and the net is credited", async () => {
    const business = await world.business();
    const hook = await world.hook(business);
    const id = await world.subscription(business);
    await world.testClock(business, Date.parse("2030-01-01") - 1);
    expect(await world.ofSubscription(business, id)).toMatchObject({
      status: "trialing",
      currentPeriod: null,
      nextInvoiceAt: at("2030-01-01"),
    });
    expect(await world.ofSubscription(business, id, "/invoices")).toEqual([]);
    expect(await account(business)).toBe("0.00");

    await world.testClock(business, "2030-01-01");
    const [first] = await world.ofSubscription(business, id, "/invoices");
    expect(first).toMatchObject({
      number: 1,
      status: "paid",
      total: "25.00",
      charged: "25.00",
      periodStart: at("2030-01-01"),
      periodEnd: at("2030-02-01"),
      issuedAt: at("2030-01-01"),
      paidAt: at("2030-01-01"),
      nextAttemptAt: null,
      attempts: [{ status: "SUCCEEDED", at: at("2030-01-01"), reason: null }],
    });
    expect(await world.ofSubscription(business, id)).toMatchObject({
      status: "active",
      currentPeriod: { periodStart: at("2030-01-01"), periodEnd: at("2030-02-01") },
      nextInvoiceAt: at("2030-02-01"),
      openInvoiceId: null,
    });
    expect(await account(business)).toBe("23.97");

    await world.testClock(business, "2030-04-15T10:00:00Z");
    const invoices = await world.ofSubscription(business, id, "/invoices");
    expect(
      invoices.map(({ number, periodStart, paidAt }: Record<string, string>) => [
        number,
        periodStart,
        paidAt,
      ]),
    ).toEqual(
      [1, 2, 3, 4].map((month) => {
        const begun = at(`2030-0${month}-01`);
        return [month, begun, begun];
      }),
    );
    expect(await account(business)).toBe("95.88");
    const payments = await paymentsOf(business, id);
    expect(payments).toHaveLength(4);
    for (const [i, payment] of payments.entries()) {
      expect(payment).toMatchObject({
        id: invoices[i].attempts[0].paymentId,
        subscriptionId: id,
        invoiceId: invoices[i].id,
        status: "SUCCEEDED",
        amount: "25.00",
        net: "23.97",
      });
    }
    expect(Object.values(await books.chargedOf(id))).toEqual([1, 1, 1, 1]);
    const events = () => hook.received.map(({ body }) => `${body.eventType} ${body.status}`);
    await until(() => events().length >= 5, { awaited: "events" });
    expect(events().toSorted()).toEqual([...Array(4).fill("INVOICE paid"), "SUBSCRIPTION created"]);
  });

  test("posts each renewal under the kind of its link's fee", async () => {
    const business = await world.business();
    const link = await world.recurringLink(business);
    const links = books.connection.collection<PaymentLink>("payment_links");
    await links.updateOne({ _id: link.id }, { $set: { "fee.kind": "WIRE" } });
    dataOf(await world.setup(link, await world.cardToken()), 200);
    await world.testClock(business, "2030-02-01");
    const renewals = await books.payments.find({ linkId: link.id }).toArray();
    expect(renewals.map(({ fee }) => fee.kind)).toEqual(["WIRE", "WIRE"]);
  });

  test("charges the fee on top if the customer pays it, and can be refunded", async () => {
    const business = await world.business();
    const id = await world.subscription(business, { customerPays: true });
    await world.testClock(business, "2030-01-20");
    const [invoice] = await world.ofSubscription(business, id, "/invoices");
    expect(invoice).toMatchObject({ total: "25.00", charged: "26.06" });
    expect(await account(business)).toBe("25.00");
    const path = `/v1/business/${business.id}/payments/${invoice.attempts[0].paymentId}/refunds`;
    const refund = { amount: 10, reference: "sorry" };
    const answer = await world.http.post(path, refund, { token: business.token });
    expect(dataOf(answer, 201)).toMatchObject({ status: "SUCCEEDED", amount: "10.00" });
    const [payment] = await paymentsOf(business, id);
    expect(payment.refunded).toBe("10.00");
    expect(Number(await account(business))).toBeLessThan(16);
  });

  test("that starts late is billed at once from its set-up on, not for the past", async () => {
    const business = await world.business();
    await world.testClock(business, "2030-05-31T12:00:00Z");
    const id = await world.subscription(business);
    expect(await world.ofSubscription(business, id)).toMatchObject({
      status: "active",
      startDate: at("2030-05-31T12:00:00Z"),
    });
    const [first] = await books.paid(id, 1);
    expect(first).toMatchObject({
      periodStart: Date.parse("2030-05-31T12:00:00Z"),
      periodEnd: Date.parse("2030-06-30T12:00:00Z"),
    });
    await world.testClock(business, "2030-07-31T12:00:00Z");
    const starts = (await books.invoicesOf(id)).map(({ periodStart }) => periodStart);
    const days = ["2030-05-31", "2030-06-30", "2030-07-31"];
    expect(starts).toEqual(days.map((day) => Date.parse(`${day}T12:00:00Z`)));
  });

  test("of a closed link is the only one of the link", async () => {
    const business = await world.business();
    const link = await world.recurringLink(business, { isOpenLink: false });
    const card = await world.cardToken();
    const { subscriptionId } = dataOf(await world.setup(link, card), 200);
    expect((await world.setup(link, card)).status).toBe(409);
    await world.testClock(business, "2030-02-01");
    expect(await books.paid(subscriptionId, 2)).toHaveLength(2);
    expect(await books.subscriptions.countDocuments({ linkId: link.id })).toBe(1);
  });

  test("continues after its link was disabled", async () => {
    const business = await world.business();
    const link = await world.recurringLink(business);
    const { subscriptionId } = dataOf(await world.setup(link, await world.cardToken()), 200);
    const path = `/v1/business/${business.id}/payment-links/${link.id}/disable`;
    dataOf(await world.http.post(path, undefined, { token: business.token }), 200);
    await world.testClock(business, "2030-01-01");
    expect(await books.paid(subscriptionId, 1)).toHaveLength(1);
  });
});

describe("a subscription billed by usage", () => {
  test("is invoiced at the end of each period; an invoice of 0.00 needs no payment", async () => {
    const business = await world.business();
    const consumptionDetails = { unit: "call", costPerUnit: 0.01 };
    const recurringCharge = { type: "consumption", consumptionDetails };
    const id = await world.subscription(business, { recurringCharge });
    await world.testClock(business, "2030-01-10");
    expect(await world.ofSubscription(business, id)).toMatchObject({ status: "active" });
    expect(await books.invoicesOf(id)).toEqual([]);
    const usage = { units: 1_234.5, reference: "one" };
    dataOf(await world.toSubscription(business, id, "usage", usage), 201);
    await world.testClock(business, "2030-03-01");
    const [january, february, ...more] = await world.ofSubscription(business, id, "/invoices");
    expect(more).toEqual([]);
    // 12.345 is rounded half up.
    expect(january).toMatchObject({
      status: "paid",
      total: "12.35",
      periodStart: at("2030-01-01"),
      periodEnd: at("2030-02-01"),
      issuedAt: at("2030-02-01"),
    });
    expect(february).toMatchObject({
      status: "paid",
      total: "0.00",
      charged: "0.00",
      attempts: [],
      paidAt: at("2030-03-01"),
    });
    expect(await paymentsOf(business, id)).toHaveLength(1);
  });

  test("credits nothing if the fee exceeds the charge", async () => {
    const business = await world.business();
    const consumptionDetails = { unit: "call", costPerUnit: 0.01 };
    const recurringCharge = { type: "consumption", consumptionDetails };
    const id = await world.subscription(business, { recurringCharge });
    await world.testClock(business, "2030-01-10");
    const usage = { units: 7, reference: "one" };
    dataOf(await world.toSubscription(business, id, "usage", usage), 201);
    await world.testClock(business, "2030-02-01");
    const [payment] = await paymentsOf(business, id);
    expect(payment).toMatchObject({
      status: "SUCCEEDED",
      amount: "0.07",
      fees: "0.07",
      net: "0.00",
    });
    expect(await account(business)).toBe("0.00");
  });
});

test("seats that are charged at once have an invoice before the next period's", async () => {
  const business = await world.business();
  const seatDetails = { baseFee: 10, costPerSeat: 5, newSeatBillingType: "immediate" };
  const recurringCharge = { type: "seating", seatDetails, startDate: at("2030-04-01") };
  const id = await world.subscription(business, { recurringCharge });
  await world.testClock(business, "2030-04-16");
  expect(
    dataOf(await world.toSubscription(business, id, "seats", { seats: 3 }), 200),
  ).toMatchObject({
    seats: 3,
    nextInvoiceAt: at("2030-05-01"),
  });
  await world.testClock(business, Date.parse("2030-05-01") + DAY_MS);
  const totals = (await world.ofSubscription(business, id, "/invoices")).map(
    ({ total, status }: Record<string, string>) => [total, status],
  );
  expect(totals).toEqual([
    ["15.00", "paid"],
    ["5.00", "paid"],
    ["25.00", "paid"],
  ]);
});

test("the invoices of a business are numbered without a gap over all subscriptions", async () => {
  const business = await world.business();
  const link = await world.recurringLink(business, {
    recurringCharge: { interval: { type: "week", count: 1 } },
  });
  const card = await world.cardToken();
  await Promise.all(Array.from({ length: 8 }, () => world.setup(link, card)));
  await world.testClock(business, "2030-02-01");
  const invoices = await books.invoices.find({ businessId: business.id }).toArray();
  const numbers = invoices.map(({ number }) => number).toSorted((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: 8 * 5 }, (_, i) => i + 1));
});
