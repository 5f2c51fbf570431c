// Verification finds and names tampered billing data: subscriptions and their periods, invoices and
// their numbers, usage and credit, the renewals that pay the invoices, their events, and the unique
// indexes.

import mongoose, { type mongo } from "mongoose";
import type {
  Invoice,
  InvoiceLine,
} from "../../../services/payment-links/billing/invoice.model.ts";
import type { Subscription } from "../../../services/payment-links/billing/subscription.model.ts";
import type { UsageEntry } from "../../../services/payment-links/billing/usage.model.ts";
import type { Payment } from "../../../services/payment-links/payments/payment.model.ts";
import type { Event } from "../../../services/webhooks/queue/event.model.ts";
import { idAfter, newId } from "../../../shared/ids.ts";
import type { Rule } from "../../../tools/verify/findings.ts";
import { verify } from "../../../tools/verify/verify.ts";
import { until } from "../../support/system.ts";
import { expectNamed, reworded, tampered, withAdded, withOther } from "../../support/tampering.ts";
import { UNSENT } from "../../support/unsent.ts";
import { startWorld, type TestBusiness, type World } from "../../support/world.ts";

let world: World;
let business: TestBusiness;
let connection: mongoose.Connection;
let db: mongo.Db;
let subscriptions: mongo.Collection<Subscription>;
let invoices: mongo.Collection<Invoice>;
let payments: mongo.Collection<Payment>;
let events: mongo.Collection<Event>;
let usage: mongo.Collection<UsageEntry>;

/** The ids of settled documents by their names in this test. */
const at = new Map<string, string>();
const idOf = (name: string) => at.get(name) as string;

beforeAll(async () => {
  world = await startWorld();
  connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
  db = connection.getClient().db(connection.name);
  subscriptions = db.collection("subscriptions");
  invoices = db.collection("invoices");
  payments = db.collection("payments");
  events = db.collection("webhook_events");
  usage = db.collection("usage_log");
  business = await world.business();
  await arrange();
  const isSent = async (name: string) => (await db.collection(name).countDocuments(UNSENT)) === 0;
  const allSent = async () =>
    (await isSent("subscriptions")) && (await isSent("invoices")) && (await isSent("payments"));
  await until(allSent, { awaited: "every outbox" });
  // Stops all services, so that each damage can be undone completely.
  for (const broker of world.brokers) await broker.stop();
});

afterAll(async () => {
  // Every damage was undone, so no test passed because of another one.
  const report = await verify(connection);
  await connection?.close();
  await world?.stop();
  expect(report).toMatchObject({ ok: true, violations: [] });
});

/**
 * Creates subscriptions: one that pays; one by seats; one by usage that has ended; one with a
 * retried payment; one by seats that ended with its period and a last invoice; one with more
 * credit than it can use.
 */
async function arrange(): Promise<void> {
  const subscribe = async (
    name: string,
    fields: Parameters<World["subscription"]>[1],
    lastFour = "4242",
  ) => at.set(name, await world.subscription(business, fields, lastFour));
  const post = async (name: string, path: "usage" | "seats" | "cancel", body: object) => {
    const answer = await world.toSubscription(business, idOf(name), path, body);
    expect(answer.status).toBeLessThan(300);
  };
  await subscribe("paying", { isOpenLink: false, customerPays: true });
  await subscribe("seats", { recurringCharge: { type: "seating" } });
  await subscribe("usage", { recurringCharge: { type: "consumption" } });
  const march = { recurringCharge: { startDate: "2030-03-01T00:00:00.000Z" } };
  await subscribe("tried", march, "0341");
  const monthEnds = "2029-11-30T00:00:00.000Z";
  await subscribe("ended", { recurringCharge: { type: "seating", startDate: monthEnds } });
  const fortnights = { type: "seating", interval: { type: "week", count: 2 } };
  await subscribe("credit", { recurringCharge: fortnights });
  await world.testClock(business, "2030-01-10");
  await post("seats", "seats", { seats: 4 });
  await post("credit", "seats", { seats: 40 });
  await post("usage", "usage", { units: 2_000, reference: "calls" });
  await world.testClock(business, "2030-02-10");
  await post("seats", "seats", { seats: 0 });
  await post("credit", "seats", { seats: 0 });
  await post("ended", "seats", { seats: 2 });
  await post("ended", "cancel", { at: "period_end" });
  const late = { units: 1_000.000_001, reference: "late", at: "2030-01-20T00:00:00.000Z" };
  await post("usage", "usage", late);
  // In a period that never comes, so no invoice bills it.
  const ahead = { units: 1, reference: "ahead", at: "2030-03-20T00:00:00.000Z" };
  await post("usage", "usage", ahead);
  await post("usage", "cancel", { at: "now" });
  // Ends at the moment of its beginning.
  await subscribe("nothing", { recurringCharge: { type: "consumption" } });
  await post("nothing", "cancel", { at: "now" });
  await world.testClock(business, "2030-03-03");
  for (const [name, occasion] of [
    ["paying", "period:0"],
    ["seats", "period:1"],
    ["usage", "end"],
    ["tried", "period:0"],
  ] as const) {
    const invoice = await invoices.findOne({ subscriptionId: idOf(name), occasion });
    at.set(`invoice of ${name}`, (invoice as Invoice)._id);
    at.set(`payment of ${name}`, invoice?.attempts[0]?.paymentId as string);
  }
  const entries = usage.find({ subscriptionId: idOf("usage") });
  for (const entry of await entries.toArray()) at.set(`entry ${entry.seq}`, entry._id);
}

test("undamaged books have no violation, and the report counts the documents", async () => {
  const { checked, violations } = await verify(connection);
  // The invoices: paying has three in advance; seats three, one of them for 0; usage two, one of
  // them for a shorter period; tried one, with two attempts; ended three and one at the end; credit
  // five, two of which return as much as they can; nothing none.
  const looked = { subscriptions: 7, invoices: 18, usage: 6, payments: 16 };
  expect(checked).toMatchObject(looked);
  expect(violations).toEqual([]);
});

describe("a subscription", () => {
  test.each<[string, string, object, Rule, string]>([
    ["business", "paying", { businessId: "another" }, "billing", "another"],
    ["account", "paying", { collectionAccountId: "another" }, "billing", "another"],
    ["link", "paying", { linkId: "another" }, "billing", "not there"],
    ["currency", "paying", { "plan.currency": "EUR" }, "billing", "EUR"],
    ["price", "paying", { "plan.amountMinor": 1 }, "billing", "something else"],
    ["price of a seat", "seats", { "plan.charge.seatDetails.costPerSeat": 1 }, "billing", "else"],
    ["interval", "usage", { "plan.charge.interval.count": 2 }, "billing", "something else"],
    ["fee", "paying", { "plan.fee.fixed": 0 }, "billing", "something else"],
    ["kind of fee", "paying", { "plan.fee.kind": "WIRE" }, "billing", "something else"],
    ["payer of the fee", "paying", { "plan.customerPays": false }, "billing", "something else"],
    ["plan", "paying", { plan: null }, "billing", "its link"],
    ["link that it holds", "paying", { holds: "another" }, "billing", "holds the link another"],
    ["boundary", "paying", { boundary: 4 }, "billing", "3 of the 4 periods"],
    ["boundary (usage)", "usage", { boundary: 4 }, "billing", "1 of the 2 periods"],
    ["method", "paying", { methodId: "another" }, "billing", "no saved method"],
    ["method (retry)", "tried", { methodId: "another" }, "billing", "no saved method"],
    ["business, without a clock", "paying", { businessId: "another" }, "driven", "ever drive"],
    ["moment, without an end", "paying", { dueAt: null }, "driven", "ever drive"],
    ["credit", "credit", { creditMinor: 0 }, "credit", "its last invoice carries"],
    ["credit, without seats", "paying", { creditMinor: 1 }, "credit", "has no seats"],
    ["invoice", "tried", { "collecting.invoiceId": "another" }, "billing", "no invoice of it"],
    ["attempt", "tried", { "collecting.attempt": 4 }, "billing", "at attempt 4"],
    ["state", "paying", { status: "past_due" }, "states", "entered"],
    ["invalid list of states", "paying", { states: null }, "states", "nothing"],
    ["step", "paying", { step: "closed" }, "states", "step"],
    ["step (collect)", "paying", { step: "collect" }, "states", "to collect nothing"],
    ["step (issue)", "paying", { step: "issue" }, "states", "to issue nothing"],
    ["step (retry)", "tried", { step: "wait" }, "states", "is collecting"],
    ["invoice to issue", "paying", { issuing: { occasion: "end", at: 0 } }, "states", "is issuing"],
    ["end", "paying", { cancelledAt: 1 }, "states", "goes on"],
    ["number of sent states", "paying", { relayed: 0 }, "states", "has sent 0 of its"],
  ])("with another %s is a violation", async (_case, which, $set, rule, name) => {
    const report = await tampered(connection, subscriptions, idOf(which), { $set });
    expectNamed(report, rule, idOf(which), name);
  });

  test("that is cancelled without a time is a violation", async () => {
    const report = await tampered(connection, subscriptions, idOf("usage"), {
      $unset: { cancelledAt: "" },
    });
    expectNamed(report, "states", idOf("usage"), "at no time");
  });

  test("that was active again after its end is a violation", async () => {
    const entered = { status: "active" as const, at: Date.now() };
    const lie = { $push: { states: entered }, $set: { status: "active" as const, relayed: 4 } };
    const report = await tampered(connection, subscriptions, idOf("usage"), lie);
    expectNamed(report, "states", idOf("usage"), "cancelled, active");
  });

  test("that no longer holds its single-use link is a violation", async () => {
    const report = await tampered(connection, subscriptions, idOf("paying"), {
      $unset: { holds: "" },
    });
    expectNamed(report, "billing", idOf("paying"), "does not hold");
  });

  test("with a missing link is a violation", async () => {
    const { linkId } = (await subscriptions.findOne({ _id: idOf("paying") })) as Subscription;
    const links = db.collection<{ _id: string }>("payment_links");
    expectNamed(await tampered(connection, links, linkId, null), "billing", idOf("paying"), linkId);
  });

  test.each([
    ["anchor", "paying", { anchorAt: 1 }, "is of"],
    ["boundary", "paying", { boundary: 0 }, "which has not come"],
    ["boundary (usage)", "usage", { boundary: 2 }, "is of"],
  ])("with another %s than its invoice is a violation", async (_case, which, $set, name) => {
    const report = await tampered(connection, subscriptions, idOf(which), { $set });
    expectNamed(report, "invoices", idOf(`invoice of ${which}`), name);
  });

  test.each(["period:0", "period:1", "period:2"])(
    "without an invoice for %s, but with one for its end, is a violation",
    async (occasion) => {
      const found = await invoices.findOne({ subscriptionId: idOf("ended"), occasion });
      const report = await tampered(connection, invoices, found?._id as string, null);
      expectNamed(report, "billing", idOf("ended"), "2 of the 3 periods");
    },
  );

  test("without an invoice for the rest at its end is a violation", async () => {
    const found = await invoices.findOne({ subscriptionId: idOf("usage"), occasion: "end" });
    const report = await tampered(connection, invoices, found?._id as string, null);
    expectNamed(report, "billing", idOf("usage"), "1 of the 2 periods");
  });

  test("that ended without an invoice for a begun period is a violation", async () => {
    const { states } = (await subscriptions.findOne({ _id: idOf("paying") })) as Subscription;
    const cancelledAt = Date.parse("2030-04-01");
    const entered = [...states, { status: "cancelled" as const, at: Date.now() }];
    const lie = { step: "closed", status: "cancelled", states: entered, cancelledAt } as const;
    const report = await tampered(connection, subscriptions, idOf("paying"), { $set: lie });
    expectNamed(report, "billing", idOf("paying"), "the beginning of a period");
  });

  test("that ended with an unbilled time is a violation", async () => {
    const { anchorAt } = (await subscriptions.findOne({ _id: idOf("nothing") })) as Subscription;
    const later = { $set: { cancelledAt: anchorAt + 1 } };
    const report = await tampered(connection, subscriptions, idOf("nothing"), later);
    expectNamed(report, "billing", idOf("nothing"), "the beginning of a period");
    expectNamed(report, "usage", idOf("nothing"), "which is not billed");
  });

  test("that is missing is a violation", async () => {
    const report = await tampered(connection, subscriptions, idOf("paying"), null);
    expectNamed(report, "invoices", idOf("invoice of paying"), "no subscription");
    expectNamed(report, "events", idOf("paying"), "no subscription");
  });

  test.each([1, 3])("with a missing event %d is a violation", async (seq) => {
    const report = await tampered(connection, events, idAfter(idOf("usage"), seq), null);
    expectNamed(report, "events", idOf("usage"), `state ${seq}`);
  });

  test("with an event for a state that has none is a violation", async () => {
    const first = (await events.findOne({ _id: idAfter(idOf("usage"), 1) })) as Event;
    const _id = idAfter(idOf("usage"), 2);
    const report = await withAdded(connection, events, { ...first, _id, seq: 2 });
    expectNamed(report, "events", _id, "active, which has no event");
  });
});

/** The end of the first period. */
const JANUARY = Date.parse("2030-02-01");

describe("an invoice", () => {
  test.each<[string, string, object, Rule, string]>([
    ["business", "paying", { businessId: "another" }, "invoices", "another"],
    ["link", "paying", { linkId: "another" }, "invoices", "another"],
    ["account", "paying", { collectionAccountId: "another" }, "invoices", "another"],
    ["currency", "paying", { currency: "EUR" }, "invoices", "EUR"],
    ["subscription", "paying", { subscriptionId: "another" }, "invoices", "no subscription"],
    ["total", "paying", { totalMinor: 2_501 }, "invoices", "come to 2500"],
    ["line", "seats", { "lines.0.amountMinor": 1 }, "invoices", "its lines come to"],
    [
      "price than its plan",
      "paying",
      { "lines.0.amountMinor": 100, totalMinor: 100 },
      "invoices",
      "bills 1 for 100 for a period of 1 for 2500",
    ],
    ["charge", "paying", { chargeMinor: 2_607 }, "invoices", "charges 2607"],
    ["charge than its payment", "paying", { chargeMinor: 2_607 }, "renewals", "2607"],
    ["invalid charge", "paying", { chargeMinor: null }, "invoices", "no amounts"],
    ["fees", "paying", { feesMinor: 1 }, "invoices", "less 1"],
    ["credit", "paying", { amountMinor: 1 }, "invoices", "charges"],
    ["sum taken for it", "paying", { askedMinor: 2_607 }, "invoices", "charges 2606"],
    ["sum taken before its end", "tried", { askedMinor: 2_607 }, "states", "is not paid"],
    ["charge for a total of 0", "zero", { chargeMinor: 1 }, "invoices", "charges 1"],
    ["period", "paying", { periodEnd: 0 }, "invoices", "which is no time"],
    ["beginning", "paying", { periodStart: 1 }, "invoices", "is of 1 to"],
    ["end of its period", "paying", { periodEnd: 1 + JANUARY }, "invoices", "period 0 of"],
    ["end, once it is cut short", "usage", { periodEnd: 1 + JANUARY }, "invoices", "period 1 of"],
    ["price", "usage", { "lines.0.amountMinor": 1_001, "lines.1.amountMinor": 0 }, "usage", "1001"],
    [
      "quantity",
      "usage",
      { "lines.1.quantity": 1 },
      "usage",
      "instead of 1 for 1000, 0.000001 for 0",
    ],
    ["occasion", "paying", { occasion: "period:9" }, "invoices", "which has not come"],
    ["unknown occasion", "paying", { occasion: "luck" }, "invoices", "luck"],
    ["number", "paying", { number: 1_000 }, "invoices", "number 1000"],
    ["invalid number", "paying", { number: 0.5 }, "invoices", "number 0.5"],
    ["state", "paying", { status: "void" }, "states", "entered"],
    ["end than its subscription", "paying", { status: "void" }, "invoices", "subscription goes on"],
    ["step", "paying", { step: "open" }, "states", "step"],
    ["attempts", "paying", { attempts: [] }, "states", "attempts of none"],
    ["end of an attempt", "paying", { "attempts.0.status": "FAILED" }, "states", "FAILED"],
    ["end than its payment", "tried", { "attempts.0.status": "SUCCEEDED" }, "invoices", "FAILED"],
    ["payment", "paying", { "attempts.0.paymentId": "another" }, "invoices", "is not there"],
    ["number of sent states", "paying", { relayed: 0 }, "states", "has sent 0 of its"],
  ])("with another %s is a violation", async (_case, which, $set, rule, name) => {
    const id = which === "zero" ? await findZeroInvoice() : idOf(`invoice of ${which}`);
    expectNamed(await tampered(connection, invoices, id, { $set }), rule, id, name);
  });

  /** The invoice with the credit for returned seats. */
  async function findZeroInvoice(): Promise<string> {
    const found = await invoices.findOne({ totalMinor: 0 });
    return (found as Invoice)._id;
  }

  test("that is paid without a time is a violation", async () => {
    const id = idOf("invoice of paying");
    const report = await tampered(connection, invoices, id, { $unset: { paidAt: "" } });
    expectNamed(report, "states", id, "at no time");
  });

  test("for the end of an active subscription is a violation", async () => {
    const found = await invoices.findOne({ subscriptionId: idOf("seats"), occasion: "period:2" });
    const id = found?._id as string;
    const report = await tampered(connection, invoices, id, { $set: { occasion: "end" } });
    expectNamed(report, "invoices", id, "of a subscription that goes on");
  });

  test.each([
    ["begins with", "period:4", 0, "instead of"],
    ["carries", "period:3", -1, "instead of"],
    ["carries at last", "period:4", -1, "its last invoice carries"],
  ])("with another credit that it %s is a violation", async (_case, occasion, line, name) => {
    const wanted = { subscriptionId: idOf("credit"), occasion };
    const { _id, lines } = (await invoices.findOne(wanted)) as Invoice;
    // The lines have the same sum: one of another kind has the missing amount.
    const changed = lines.with(line, { ...(lines.at(line) as InvoiceLine), description: "Luck" });
    const report = await tampered(connection, invoices, _id, { $set: { lines: changed } });
    expectNamed(report, "credit", idOf("credit"), name);
  });

  test("that is open, but collected by no subscription, is a violation", async () => {
    const id = idOf("invoice of tried");
    const rests = { $set: { step: "wait" }, $unset: { collecting: "" } };
    const report = await tampered(connection, subscriptions, idOf("tried"), rests);
    expectNamed(report, "invoices", id, "no subscription collects it");
  });

  test("that claims to be open after its payment is a violation", async () => {
    const id = idOf("invoice of paying");
    const lie = { step: "open", status: "open", states: [], relayed: 0 };
    const attempts = { "attempts.0.status": "PENDING" };
    const change = { $set: { ...lie, ...attempts }, $unset: { paidAt: "" } };
    const report = await tampered(connection, invoices, id, change);
    expectNamed(report, "renewals", idOf("payment of paying"), "PENDING", id);
    expectNamed(report, "invoices", id, "no subscription collects it");
  });

  test("that is missing is a violation", async () => {
    const report = await tampered(connection, invoices, idOf("invoice of paying"), null);
    expectNamed(report, "billing", idOf("paying"), "2 of the 3 periods");
    expectNamed(report, "renewals", idOf("payment of paying"), "not there");
    expectNamed(report, "events", idOf("invoice of paying"), "no invoice");
  });

  test("with the number of another one is a violation", async () => {
    const [first, second] = await invoices.find().sort({ number: 1 }).limit(2).toArray();
    const report = await withoutIndex(invoices, { businessId: 1, number: 1 }, () =>
      tampered(connection, invoices, second?._id as string, { $set: { number: first?.number } }),
    );
    expectNamed(report, "invoices", String(first?._id), String(second?._id));
    expectNamed(report, "indexes", "invoices", "number");
  });

  test("for an already billed period is a violation", async () => {
    const paid = (await invoices.findOne({ _id: idOf("invoice of paying") })) as Invoice;
    const report = await withoutIndex(invoices, { subscriptionId: 1, occasion: 1 }, () =>
      withAdded(connection, invoices, { ...paid, _id: newId(), number: 1_000 }),
    );
    expectNamed(report, "billing", idOf("paying"), "twice for period:0");
    expectNamed(report, "indexes", "invoices", "occasion");
  });

  test("with a missing event is a violation", async () => {
    const id = idOf("invoice of tried");
    const report = await tampered(connection, events, idAfter(id, 2), null);
    expectNamed(report, "events", id, "state 2, failed");
  });
});

const NO_USAGE = { units: "0", late: "0" };

describe("an entry of a log of usage", () => {
  test.each<[string, number, object, string]>([
    ["subscription, where it was", 0, { subscriptionId: "0" }, "no entry 0 before it"],
    ["business", 0, { businessId: "another" }, "is of another"],
    ["place", 1, { seq: 9 }, "no entry 1 before it"],
    ["number of units", 0, { units: "1" }, "the reports come to 0: 1 (0 late)"],
    ["invalid number of units", 0, { units: "many" }, "no number of units"],
    ["sum", 0, { "periods.0.units": "1" }, "counts 0: 1 (0 late)"],
    ["sum, before it is closed", 0, { "periods.0.units": "1" }, "its reports come to 1 (0 late)"],
    ["missing sum", 0, { periods: null }, "counts nothing"],
    ["period", 0, { period: 1 }, "in period 1"],
    ["moment", 0, { at: 1 }, "usage of 1 in period 0"],
    ["period to be late for", 2, { isLate: false }, "in period 1"],
    ["period ahead", 3, { period: 3 }, "in period 3"],
    ["period that is over", 4, { periods: { 2: NO_USAGE } }, "the reports come to nothing"],
    ["end", 0, { open: null }, "leaves null open"],
    ["end, before others", 0, { open: null }, "after all was closed"],
    ["period to close", 1, { closes: 3 }, "closes period 3, and 0 is open"],
    ["period to bill", 1, { closes: 3 }, "closes period 3, which is not billed"],
    ["sum of the closed period", 1, { "closed.units": "1" }, "its reports come to 2000000000"],
    ["sum of late units of the closed period", 4, { "closed.late": "1" }, "(1 late), its reports"],
    ["price of the closed period", 1, { "closed.units": "1" }, "is billed as"],
  ])("with another %s is a violation", async (_case, seq, $set, name) => {
    const report = await tampered(connection, usage, idOf(`entry ${seq}`), { $set });
    expectNamed(report, "usage", idOf("usage"), name);
  });

  test("of no subscription is a violation", async () => {
    const id = idOf("entry 0");
    const report = await tampered(connection, usage, id, { $set: { subscriptionId: "0" } });
    expectNamed(report, "usage", id, "is of no subscription");
  });

  test.each([
    ["a report", 0, "no entry 0 before it"],
    ["the entry that closes a period", 1, "no entry 1 before it"],
    ["the entry that closes the last period", 4, "2 periods, of which the usage of 1 is closed"],
  ])("that is missing is a violation: %s", async (_case, seq, name) => {
    const report = await tampered(connection, usage, idOf(`entry ${seq}`), null);
    expectNamed(report, "usage", idOf("usage"), name);
  });

  test("with a missing invoice is a violation", async () => {
    const report = await tampered(connection, invoices, idOf("invoice of usage"), null);
    expectNamed(report, "usage", idOf("usage"), "closes period 1, which is not billed");
  });
});

/** Drops a unique index during the work. */
async function withoutIndex<T extends { _id: string }, R>(
  collection: mongo.Collection<T>,
  key: Record<string, 1>,
  work: () => Promise<R>,
): Promise<R> {
  const indexes = await collection.indexes();
  const found = indexes.find((index) => JSON.stringify(index.key) === JSON.stringify(key));
  const { name = "", partialFilterExpression } = found as mongo.IndexDescriptionInfo;
  await collection.dropIndex(name);
  try {
    return await work();
  } finally {
    const options = partialFilterExpression && { partialFilterExpression };
    await collection.createIndex(key, { unique: true, ...options });
  }
}

describe("a renewal", () => {
  test.each<[string, object, Rule, string]>([
    ["amount", { totalMinor: 9_999 }, "postings", "amount"],
    ["amount than its invoice", { totalMinor: 9_999 }, "renewals", "9999"],
    ["fees", { feesMinor: 1 }, "renewals", "less 1"],
    ["kind of fee than its plan's", { "fee.kind": "WIRE" }, "renewals", "WIRE"],
    ["business", { businessId: "another" }, "renewals", "another"],
    ["link", { linkId: "another" }, "renewals", "another"],
    ["subscription", { "renewal.subscriptionId": "another" }, "renewals", "another"],
    ["invoice", { "renewal.invoiceId": "another" }, "renewals", "not there"],
    [
      "invoice than the one that names it",
      { "renewal.invoiceId": "another" },
      "invoices",
      "not there",
    ],
    ["attempt", { "renewal.attempt": 2 }, "renewals", "not there on its invoice"],
  ])("with another %s is a violation", async (_case, $set, rule, name) => {
    const report = await tampered(connection, payments, idOf("payment of paying"), { $set });
    const named = rule === "invoices" ? "invoice of paying" : "payment of paying";
    expectNamed(report, rule, idOf(named), name);
  });

  test("that is stored as a payment of its link is a violation", async () => {
    const id = idOf("payment of paying");
    const report = await tampered(connection, payments, id, { $unset: { renewal: "" } });
    expectNamed(report, "invoices", idOf("invoice of paying"), id);
    expectNamed(report, "events", id, "no event");
  });

  test("that is missing is a violation", async () => {
    const id = idOf("payment of paying");
    const report = await tampered(connection, payments, id, null);
    expectNamed(report, "postings", id, "not there");
    expectNamed(report, "invoices", idOf("invoice of paying"), id);
  });

  test("that claims success after a decline is a violation", async () => {
    const id = idOf("payment of tried");
    const states = [{ status: "SUCCEEDED" as const, at: Date.now() }];
    const report = await tampered(connection, payments, id, {
      $set: { status: "SUCCEEDED", states },
    });
    expectNamed(report, "payments", "collection", id, "0 times");
    expectNamed(report, "renewals", id, "FAILED");
    expectNamed(report, "invoices", idOf("invoice of tried"), "SUCCEEDED");
  });

  test("that has not ended, but is collected by no subscription, is a violation", async () => {
    const id = idOf("payment of tried");
    const report = await tampered(connection, payments, id, {
      $set: { step: "charge", status: "PENDING", states: [], relayed: 0 },
    });
    expectNamed(report, "renewals", id, "has not ended");
  });

  test("that pays an invoice a second time is a violation", async () => {
    const paid = (await payments.findOne({ _id: idOf("payment of paying") })) as Payment;
    const second = { ...paid, _id: newId(), key: newId() };
    const report = await withAdded(connection, payments, second);
    expectNamed(report, "renewals", second._id, "not there on its invoice");
    expectNamed(report, "payments", "collection", second._id, "0 times");
  });
});

describe("an event", () => {
  test.each<[string, string, number, string, string]>([
    ["type", "paying", 1, '"type":"subscription"', '"type":"seating"'],
    ["amount", "paying", 1, '"amount":25', '"amount":26'],
    ["status", "usage", 3, '"status":"cancelled"', '"status":"created"'],
    ["end", "usage", 3, '"cancelledAt":"2030', '"cancelledAt":"2031'],
    ["start", "paying", 1, '"startDate":"2030', '"startDate":"2031'],
    ["amount", "invoice of paying", 1, '"amount":25', '"amount":26'],
    ["charge", "invoice of paying", 1, '"charged":"26.06"', '"charged":"25.00"'],
    ["number", "invoice of paying", 1, '"number":', '"number":1'],
    ["period", "invoice of paying", 1, '"periodEnd":"2030', '"periodEnd":"2031'],
    ["reason", "invoice of tried", 1, '"reason":"', '"reason":"Not that'],
    ["status", "invoice of tried", 2, '"status":"failed"', '"status":"paid"'],
  ])("with another %s (%s, number %d) is a violation", async (_field, name, seq, from, to) => {
    const id = idAfter(idOf(name), seq);
    const report = await reworded(connection, events, id, (body) => body.replace(from, to));
    expectNamed(report, "events", id, idOf(name));
  });

  test.each(["paymentId", "subscriptionId", "transactionId", "paymentLinkId", "currency"])(
    "of an invoice with another %s in its body is a violation",
    async (field) => {
      const id = idAfter(idOf("invoice of paying"), 1);
      const report = await reworded(connection, events, id, withOther(field));
      expectNamed(report, "events", id, field);
    },
  );
});

test.each<[string, Record<string, 1>]>([
  ["subscriptions", { holds: 1 }],
  ["subscriptions", { idempotencyKey: 1 }],
  ["subscriptions", { "methodLink.tokenHash": 1 }],
  ["usage_log", { subscriptionId: 1, seq: 1 }],
  ["usage_log", { subscriptionId: 1, reference: 1 }],
  ["usage_log", { subscriptionId: 1, closes: 1 }],
])("a missing unique index of %s is a violation: %j", async (name, key) => {
  const collection = db.collection<{ _id: string }>(name);
  const report = await withoutIndex(collection, key, () => verify(connection));
  expectNamed(report, "indexes", name, JSON.stringify(key));
});
