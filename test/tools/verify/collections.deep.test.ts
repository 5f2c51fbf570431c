// Verification finds and names tampered data of collected money: payments and the links that they
// hold, refunds and their parts of a payment, transfers to the business's wallet, and their events.

import { randomUUID } from "node:crypto";
import mongoose, { type mongo } from "mongoose";
import type { Payment } from "../../../services/payment-links/payments/payment.model.ts";
import type { Refund } from "../../../services/payment-links/refunds/refund.model.ts";
import type { StoredBlock } from "../../../services/wallet-ledger/journal.model.ts";
import type { AccountTransfer } from "../../../services/wallet-ledger/transfer.model.ts";
import type { Event } from "../../../services/webhooks/queue/event.model.ts";
import { idAfter, newId } from "../../../shared/ids.ts";
import type { Rule } from "../../../tools/verify/findings.ts";
import { verify } from "../../../tools/verify/verify.ts";
import { until } from "../../support/system.ts";
import { expectNamed, reworded, tampered, withAdded, withOther } from "../../support/tampering.ts";
import { UNSENT } from "../../support/unsent.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../../support/world.ts";

let world: World;
let business: TestBusiness;
let accountId: string;
let connection: mongoose.Connection;
let payments: mongo.Collection<Payment>;
let refunds: mongo.Collection<Refund>;
let transfers: mongo.Collection<AccountTransfer>;
let events: mongo.Collection<Event>;
let blocks: mongo.Collection<StoredBlock>;
let links: mongo.Collection<{ _id: string }>;

/** The ids of settled documents by their names in this test. */
const at = new Map<string, string>();
const idOf = (name: string) => at.get(name) as string;

beforeAll(async () => {
  world = await startWorld();
  connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
  const db = connection.getClient().db(connection.name);
  payments = db.collection("payments");
  refunds = db.collection("payment_refunds");
  transfers = db.collection("ledger_transfers");
  events = db.collection("webhook_events");
  blocks = db.collection("ledger_blocks");
  links = db.collection("payment_links");
  business = await world.business();
  accountId = await world.collectionAccount(business);
  await arrange();
  const allSent = async () =>
    (await payments.countDocuments(UNSENT)) === 0 && (await refunds.countDocuments(UNSENT)) === 0;
  await until(allSent, { awaited: "every outbox" });
  // Stops all services, so that each damage can be undone completely.
  for (const broker of world.brokers) await broker.stop();
});

afterAll(async () => {
  // Every damage was undone.
  expect(await verify(connection)).toMatchObject({ ok: true, violations: [] });
  await connection?.close();
  await world?.stop();
});

async function arrange(): Promise<void> {
  const post = async (path: string, body: object) =>
    world.http.post(`/v1/business/${business.id}/${path}`, body, { token: business.token });
  const pay = async (lastFour: string, fields: object = {}) => {
    const link = await world.paymentLink(business, { isOpenLink: false, ...fields });
    return dataOf(await world.pay(link, await world.cardToken(lastFour)), 200).id as string;
  };
  const refund = async (payment: string, amount: number) => {
    const body = { amount, reference: randomUUID() };
    return dataOf(await post(`payments/${payment}/refunds`, body), 201).id as string;
  };
  at.set("paid", await pay("4242", { notifyPayee: true }));
  at.set("declined", await pay("0002"));
  at.set("refunded", await pay("4242"));
  at.set("not refunded", await pay("5126"));
  at.set("refund", await refund(idOf("refunded"), 10));
  at.set("refused", await refund(idOf("not refunded"), 10));
  const { id: walletId } = await world.wallet(business, business);
  for (const [name, amount, status] of [
    ["transferred", 20, 201],
    ["too much", 5_000, 400],
  ] as const) {
    const body = { walletId, amount, reference: name };
    expect((await post(`collection-accounts/${accountId}/transfers`, body)).status).toBe(status);
    at.set(name, (await transfers.findOne({ reference: name }))?._id as string);
  }
}

test("undamaged books have no violation, and the report counts the documents", async () => {
  const { checked } = await verify(connection);
  // The end of each of four payments, one notification, and the ends of both refunds.
  expect(checked).toMatchObject({
    payments: 4,
    refunds: 2,
    moves: 2,
    events: 7,
  });
});

describe("a payment", () => {
  test.each<[string, object, Rule, string]>([
    ["amount", { totalMinor: 9_999 }, "postings", "amount"],
    ["fees", { feesMinor: 1 }, "postings", "fees"],
    ["account", { collectionAccountId: "another" }, "postings", "wallet"],
    ["currency", { currency: "EUR" }, "postings", "EUR"],
    ["credit", { amountMinor: 1 }, "states", "credit its charge"],
    ["total than its link's", { totalMinor: 9_999 }, "holds", "9999"],
    ["business than its link's", { businessId: "another" }, "holds", "another"],
    ["kind of fee than its link's", { "fee.kind": "WIRE" }, "holds", "WIRE"],
    ["link that it holds", { holds: "another" }, "states", "another"],
    ["state", { status: "FAILED" }, "states", "FAILED"],
    ["step", { step: "charge" }, "states", "charge"],
    ["number of sent states", { relayed: 0 }, "states", "has sent 0 of its"],
    ["invalid list of states", { states: null }, "states", "nothing"],
    ["sum refunded", { refundedMinor: 100 }, "refunded", "100"],
    ["sum of fees refunded", { refundedFeesMinor: 1 }, "refunded", "fees 1"],
    [
      "list of refunds",
      { refunds: [{ id: newId(), amountMinor: 0, feesMinor: 0 }] },
      "refunded",
      "no refund",
    ],
  ])("with another %s is a violation", async (_case, $set, rule, name) => {
    const report = await tampered(connection, payments, idOf("paid"), { $set });
    expectNamed(report, rule, idOf("paid"), name);
  });

  test("that is missing is a violation", async () => {
    const report = await tampered(connection, payments, idOf("paid"), null);
    expectNamed(report, "postings", idOf("paid"), "payment that is not there");
    expectNamed(report, "events", idOf("paid"), "no payment");
  });

  test("with a missing link is a violation", async () => {
    const { linkId } = (await payments.findOne({ _id: idOf("paid") })) as Payment;
    expectNamed(await tampered(connection, links, linkId, null), "holds", idOf("paid"), linkId);
  });

  test("that no longer holds its single-use link is a violation", async () => {
    const report = await tampered(connection, payments, idOf("paid"), { $unset: { holds: "" } });
    expectNamed(report, "holds", idOf("paid"), "does not hold");
  });

  test("that holds the link of another one is a violation", async () => {
    const paid = (await payments.findOne({ _id: idOf("paid") })) as Payment;
    const { holds } = paid;
    const id = newId();
    const second: Payment = { ...paid, _id: id, key: id, step: "charge", status: "PENDING" };
    await payments.dropIndex("holds_1");
    const report = await withAdded(connection, payments, { ...second, states: [], relayed: 0 });
    await payments.createIndex(
      { holds: 1 },
      { unique: true, partialFilterExpression: { holds: { $exists: true } } },
    );
    expectNamed(report, "holds", String(holds), paid._id, second._id);
  });

  test("that claims success after a decline is a violation", async () => {
    const states = [{ status: "SUCCEEDED" as const, at: Date.now() }];
    const lie = { $set: { status: "SUCCEEDED" as const, states } };
    const report = await tampered(connection, payments, idOf("declined"), lie);
    expectNamed(report, "payments", "collection", idOf("declined"), "0 times");
    expectNamed(report, "events", idOf("declined"), "status");
  });

  test("that claims failure after its collection is a violation", async () => {
    const states = [{ status: "FAILED" as const, at: Date.now() }];
    const lie = { status: "FAILED" as const, states, relayed: 1 };
    const report = await tampered(connection, payments, idOf("paid"), {
      $set: lie,
      $unset: { holds: "" },
    });
    expectNamed(report, "payments", idOf("paid"), "moved money");
  });

  test.each([1, 2])("with a missing event %d is a violation", async (seq) => {
    const id = idAfter(idOf("paid"), seq);
    expectNamed(
      await tampered(connection, events, id, null),
      "events",
      idOf("paid"),
      `state ${seq}`,
    );
  });
});

describe("a refund", () => {
  test.each<[string, object, Rule, string]>([
    ["amount", { amountMinor: 999 }, "postings", "amount"],
    ["amount than its payment's", { amountMinor: 999 }, "refunded", "999"],
    ["fees", { feesMinor: 0 }, "postings", "fees"],
    ["account", { collectionAccountId: "another" }, "postings", "wallet"],
    ["link", { linkId: "another" }, "refunded", "another"],
    ["kind of fee than its payment's", { "fee.kind": "WIRE" }, "refunded", "WIRE"],
    ["payment", { paymentId: "another" }, "refunded", "not there"],
    ["state", { status: "FAILED" }, "states", "entered"],
    ["step", { step: "ask" }, "states", "step"],
    ["sight", { visible: false }, "states", "is not visible"],
    ["number of sent states", { relayed: 0 }, "states", "has sent 0 of its"],
    ["end", { step: "declined", visible: false, status: "PENDING" }, "refunds", "moved money"],
  ])("with another %s is a violation", async (_case, $set, rule, name) => {
    const report = await tampered(connection, refunds, idOf("refund"), { $set });
    expectNamed(report, rule, idOf("refund"), name);
  });

  test("that is missing is a violation", async () => {
    const report = await tampered(connection, refunds, idOf("refund"), null);
    expectNamed(report, "postings", idOf("refund"), "not there");
    expectNamed(report, "refunded", idOf("refunded"), idOf("refund"));
    expectNamed(report, "events", idOf("refund"), "no refund");
  });

  test("that claims failure without a reversal is a violation", async () => {
    const states = [{ status: "FAILED" as const, at: Date.now() }];
    const lie = { $set: { status: "FAILED" as const, states } };
    const report = await tampered(connection, refunds, idOf("refund"), lie);
    expectNamed(report, "refunds", "reversal", idOf("refund"), "0 times");
    expectNamed(report, "refunded", idOf("refund"), "moved nothing");
    expectNamed(report, "events", idOf("refund"), "status");
  });

  test("that claims success after its reversal is a violation", async () => {
    const states = [{ status: "SUCCEEDED" as const, at: Date.now() }];
    const lie = { $set: { status: "SUCCEEDED" as const, states } };
    const report = await tampered(connection, refunds, idOf("refused"), lie);
    expectNamed(report, "refunds", idOf("refused"), "was reversed");
    expectNamed(report, "refunded", idOf("refused"), "0 less 0");
  });

  test("that is absent from its payment is a violation", async () => {
    const nothing = { refunds: [], refundedMinor: 0, refundedFeesMinor: 0 };
    const report = await tampered(connection, payments, idOf("refunded"), { $set: nothing });
    expectNamed(report, "refunded", idOf("refund"), "nothing");
  });

  test("of more than the charged amount is a violation", async () => {
    const most = { amountMinor: 99_999, feesMinor: 999 };
    const lie = {
      refunds: [{ id: idOf("refund"), ...most }],
      refundedMinor: 99_999,
      refundedFeesMinor: 999,
    };
    const report = await tampered(connection, payments, idOf("refunded"), { $set: lie });
    expectNamed(report, "refunded", idOf("refunded"), "amount 99999 of");
    expectNamed(report, "refunded", idOf("refunded"), "fees 999 of");
  });

  test("of the whole payment without a part of the fees is a violation", async () => {
    const { totalMinor } = (await payments.findOne({ _id: idOf("refunded") })) as Payment;
    const lie = { refundedMinor: totalMinor };
    const report = await tampered(connection, payments, idOf("refunded"), { $set: lie });
    expectNamed(report, "refunded", idOf("refunded"), "fees not");
  });

  test("of a payment that did not succeed is a violation", async () => {
    const report = await tampered(connection, payments, idOf("declined"), {
      $set: { refundedMinor: 1 },
    });
    expectNamed(report, "refunded", idOf("declined"), "did not succeed");
  });

  test("with a missing event is a violation", async () => {
    const report = await tampered(connection, events, idAfter(idOf("refused"), 1), null);
    expectNamed(report, "events", idOf("refused"), "state 1, FAILED");
  });
});

describe("an event", () => {
  test.each([
    ["paid", 1, '"eventType":"COLLECTION"', '"eventType":"NOTIFICATION"'],
    ["paid", 1, '"status":"SUCCEEDED"', '"status":"FAILED"'],
    ["paid", 1, '"net":"25.00"', '"net":"26.00"'],
    ["paid", 2, '"currency":"USD"', '"currency":"EUR"'],
    ["refund", 1, '"amount":10', '"amount":10.01'],
    ["refund", 1, '"feesReturned":"', '"feesReturned":"1'],
  ])(
    "of the document %s, number %d, with another %s is a violation",
    async (name, seq, from, to) => {
      const id = idAfter(idOf(name), seq);
      const report = await reworded(connection, events, id, (body) => body.replace(from, to));
      expectNamed(report, "events", id, idOf(name));
    },
  );

  test.each(["paymentId", "transactionId", "paymentLinkId", "collectionAccountId", "timestamp"])(
    "with another %s in its body is a violation",
    async (field) => {
      const id = idAfter(idOf("paid"), 1);
      const report = await reworded(connection, events, id, withOther(field));
      expectNamed(report, "events", id, field);
    },
  );

  test("of a notification that claims to be the collection is a violation", async () => {
    const id = idAfter(idOf("paid"), 2);
    const { body } = (await events.findOne({ _id: id })) as Event;
    const eventType = "COLLECTION" as const;
    const lie = { eventType, body: body.replace("NOTIFICATION", eventType) };
    expectNamed(
      await tampered(connection, events, id, { $set: lie }),
      "events",
      id,
      "NOTIFICATION",
    );
  });

  test("of a state that the payment has not entered is a violation", async () => {
    const first = (await events.findOne({ _id: idAfter(idOf("declined"), 1) })) as Event;
    const _id = idAfter(idOf("declined"), 2);
    const report = await withAdded(connection, events, { ...first, _id, seq: 2 });
    expectNamed(report, "events", _id, "state 2");
  });
});

describe("a transfer", () => {
  test.each<[string, object, Rule, string]>([
    ["amount", { amountMinor: 1 }, "postings", "amount"],
    ["wallet", { walletId: "another" }, "postings", "wallet"],
    ["account", { accountId: "another" }, "postings", "wallet"],
    ["currency", { currency: "EUR" }, "postings", "EUR"],
    ["end", { status: "FAILED" }, "transit", "out 1, in 1"],
  ])("with another %s is a violation", async (_case, $set, rule, name) => {
    const report = await tampered(connection, transfers, idOf("transferred"), { $set });
    expectNamed(report, rule, idOf("transferred"), name);
  });

  test("that claims success after a decline is a violation", async () => {
    const lie = { $set: { status: "SUCCESS" as const } };
    const report = await tampered(connection, transfers, idOf("too much"), lie);
    expectNamed(report, "transit", idOf("too much"), "out 0, in 0");
  });

  test("that is missing is a violation", async () => {
    const report = await tampered(connection, transfers, idOf("transferred"), null);
    expectNamed(report, "postings", idOf("transferred"), "not there");
  });

  test("that has arrived without leaving is a violation of the transit rule", async () => {
    // The newest block of its partition, so that only the renamed posting is missing.
    const out = `${idOf("transferred")}:out`;
    const block = (await blocks.findOne({ "transfers.id": out })) as StoredBlock;
    const renamed = block.transfers.map((each) =>
      each.id === out ? { ...each, id: `${newId()}:out` } : each,
    );
    const report = await tampered(connection, blocks, block._id, { $set: { transfers: renamed } });
    expectNamed(report, "transit", idOf("transferred"), "out 0, in 1");
  });

  test("that has arrived but is still stored as pending is no violation", async () => {
    const due = { states: [], relayed: 0, nextAttemptAt: Date.now() + 60_000 };
    const lie = { $set: { step: "post" as const, status: "PENDING" as const, ...due } };
    const arrived = await tampered(connection, transfers, idOf("transferred"), lie);
    expect([arrived.ok, arrived.checked["transfers on their way"]]).toEqual([true, undefined]);
  });
});

test("a missing index for single-use links is a violation", async () => {
  await payments.dropIndex("holds_1");
  const report = await verify(connection);
  const isSet = { holds: { $exists: true } };
  await payments.createIndex({ holds: 1 }, { unique: true, partialFilterExpression: isSet });
  expectNamed(report, "indexes", "payments", '{"holds":1}');
});
