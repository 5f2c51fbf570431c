// Verification finds and names tampered data beside the ledger: a payout's amount, fees, wallet or
// state, a funding, an event; and removed documents.

import mongoose, { type mongo } from "mongoose";
import type { Payout } from "../../../services/payouts/payout.model.ts";
import type { Funding } from "../../../services/wallet-ledger/funding.model.ts";
import type { Event } from "../../../services/webhooks/queue/event.model.ts";
import type { LongerRetention } from "../../../services/webhooks/retention.ts";
import { STATUSES } from "../../../shared/contracts/transactions.ts";
import { idAfter, newId } from "../../../shared/ids.ts";
import { PARTITIONS, partitionFor } from "../../../shared/rpc/partitions.ts";
import { verify } from "../../../tools/verify/verify.ts";
import { until } from "../../support/system.ts";
import { expectNamed, tampered as reportOn } from "../../support/tampering.ts";
import { UNSENT } from "../../support/unsent.ts";
import { anEvent } from "../../support/webhook-events.ts";
import { dataOf, startWorld, type World } from "../../support/world.ts";

let world: World;
let connection: mongoose.Connection;
let payouts: mongo.Collection<Payout>;
let events: mongo.Collection<Event>;
let fundings: mongo.Collection<Funding>;
let otherWallet: string;

/** The ids of settled payouts by their outcome. */
const ended = new Map<string, string>();

beforeAll(async () => {
  world = await startWorld({ environment: { WEBHOOK_RETENTION: "30d" } });
  connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
  const db = connection.getClient().db(connection.name);
  payouts = db.collection<Payout>("payouts");
  events = db.collection<Event>("webhook_events");
  fundings = db.collection<Funding>("ledger_fundings");
  const { business, user, wallet } = await world.payer(1_000);
  // A wallet in another partition, which has no posting with the payouts' ids.
  const place = (walletId: string) => partitionFor(walletId, PARTITIONS);
  do {
    otherWallet = (await world.wallet(business, await world.user(business), 1_000)).id;
  } while (place(otherWallet) === place(wallet.id));
  const withdraw = async (lastFour: string) => {
    const bank = await world.bank(business, wallet, lastFour);
    return dataOf(await world.withdraw(user, bank, { amount: 50 }), 200).id as string;
  };
  ended.set("SUCCESS", await withdraw("6789"));
  ended.set("FAILED", await withdraw("0001"));
  ended.set("returned", await withdraw("0007"));
  ended.set("PENDING", await withdraw("0010"));
  ended.set("declined", newId());
  await world.withdraw(user, await world.bank(business, wallet), { amount: 5_000 });
  for (const [name, status] of [
    ["SUCCESS", "SUCCESS"],
    ["FAILED", "FAILED"],
    ["returned", "FAILED"],
  ] as const) {
    await world.status(business, ended.get(name) as string, status);
  }
  const allSent = async () => (await payouts.countDocuments(UNSENT)) === 0;
  await until(allSent, { awaited: "every outbox" });
  const declined = await payouts.findOne({ step: "declined" });
  ended.set("declined", (declined as Payout)._id);
  // Events without a document beside those of payouts.
  const kinds = ["ENDPOINT", "TEST"] as const;
  const others = kinds.map((eventType) =>
    anEvent({ businessId: business.id, body: { eventType, status: "SUCCEEDED", payload: null } }),
  );
  await world.call("webhooks.publish", { events: others });
  // Stops all services, so that each damage can be undone completely.
  for (const broker of world.brokers) await broker.stop();
});

afterAll(async () => {
  // Every damage was undone.
  expect(await verify(connection)).toMatchObject({ ok: true, violations: [] });
  await connection.close();
  await world.stop();
});

const idOf = (name: string) => ended.get(name) as string;

/** The report of a verification while a document is changed, or removed for null. */
const tampered = <T extends { _id: string }>(
  collection: mongo.Collection<T>,
  id: string,
  set: object | null,
) => reportOn(connection, collection, id, set && { $set: set as never });

test("undamaged books have no violation, and the report counts the documents", async () => {
  const { checked } = await verify(connection);
  // Three events of the successful and of the failed payout, four of the returned one, one of the
  // pending one, two without a document, and two of fundings.
  expect(checked).toMatchObject({ payouts: 5, events: 15 });
  expect(checked.fundings).toBeGreaterThanOrEqual(2);
});

describe.each([["SUCCESS"], ["FAILED"], ["returned"], ["PENDING"]])("a payout: %s", (name) => {
  test.each([
    ["amountMinor", 5_001, ["amount", "5001", "5000"]],
    ["amountMinor", "5000", ["wallet's leg"]],
    ["feesMinor", 24, ["fees", "24", "25"]],
    ["method", "RTP", ["amount", "clearing-ACH", "clearing-RTP"]],
    ["currency", "EUR", ["amount", "USD", "EUR"]],
    ["walletId", 7, ["wallet", "7"]],
  ] as const)("with another %s is a violation: %s", async (field, value, names) => {
    const id = idOf(name);
    expectNamed(await tampered(payouts, id, { [field]: value }), "postings", id, ...names);
  });

  test("with the wallet of another user is a violation", async () => {
    const id = idOf(name);
    const report = await tampered(payouts, id, { walletId: otherWallet });
    expectNamed(report, "postings", id, otherWallet, "wallet");
    expectNamed(report, "payouts", id, "0 times");
  });

  test("that is missing is a violation", async () => {
    const report = await tampered(payouts, idOf(name), null);
    expectNamed(report, "postings", idOf(name), "not there");
    expectNamed(report, "events", idOf(name), "no payout");
  });

  test("with states that no service sends is a violation", async () => {
    const report = await tampered(payouts, idOf(name), {
      relayed: 0,
      nextAttemptAt: Date.now() + 3_600_000,
    });
    expectNamed(report, "states", idOf(name), "has sent 0 of its");
  });

  test.each([
    ["states", null],
    ["states", [null]],
    ["status", 7],
    ["step", null],
  ])("with an invalid %s is a violation: %j", async (field, value) => {
    expectNamed(await tampered(payouts, idOf(name), { [field]: value }), "states", idOf(name));
  });

  test("that is invisible is a violation", async () => {
    const report = await tampered(payouts, idOf(name), { visible: false });
    expectNamed(report, "states", idOf(name));
  });

  test("that claims to be declined is a violation", async () => {
    const declined = {
      step: "declined",
      visible: false,
      status: "PENDING",
      states: [],
      relayed: 0,
    };
    const report = await tampered(payouts, idOf(name), declined);
    expectNamed(report, "payouts", idOf(name), "moved money");
    expectNamed(report, "events", idOf(name));
  });

  test("in every other visible state is a violation", async () => {
    const { status } = (await payouts.findOne({ _id: idOf(name) })) as Payout;
    for (const other of STATUSES) {
      if (other === status) continue;
      const report = await tampered(payouts, idOf(name), { status: other });
      expectNamed(report, "states", idOf(name), other, `entered ${status} last`);
    }
  });

  test("in every other visible state, with matching entered states and step, is a violation", async () => {
    const { status, states } = (await payouts.findOne({ _id: idOf(name) })) as Payout;
    for (const other of STATUSES) {
      if (other === status) continue;
      const path = STATUSES.slice(0, STATUSES.indexOf(other) + 1);
      const entered = path.map((each, i) => ({ ...states[i], status: each, at: states[0]?.at }));
      const step = other === "SUCCESS" || other === "FAILED" ? "closed" : "settle";
      const lie = { status: other, states: entered, relayed: entered.length, step };
      const report = await tampered(payouts, idOf(name), lie);
      expectNamed(report, "events", idOf(name));
      const wasReversed = status === "FAILED";
      if (wasReversed) expectNamed(report, "payouts", idOf(name), "was reversed");
      else if (other === "FAILED")
        expectNamed(report, "payouts", "reversal", idOf(name), "0 times");
    }
  });

  test("with a missing event is a violation", async () => {
    const id = idOf(name);
    const { states } = (await payouts.findOne({ _id: id })) as Payout;
    for (const [i, { status }] of states.entries()) {
      const report = await tampered(events, idAfter(id, i + 1), null);
      expectNamed(report, "events", id, `state ${i + 1}, ${status}`);
    }
  });
});

test("a declined payout that claims to be accepted is a violation", async () => {
  const states = [{ status: "PENDING", at: Date.now() }];
  const lie = { step: "submit", visible: true, states };
  const report = await tampered(payouts, idOf("declined"), lie);
  expectNamed(report, "payouts", "debit", idOf("declined"), "0 times");
});

test("a declined payout with another amount is a violation", async () => {
  const report = await tampered(payouts, idOf("declined"), { amountMinor: 1 });
  expectNamed(report, "postings", idOf("declined"), "payload hash");
});

test("a successful payout in the step before the rail is a violation", async () => {
  const report = await tampered(payouts, idOf("SUCCESS"), { step: "submit" });
  expectNamed(report, "states", idOf("SUCCESS"), "submit");
});

describe("an event", () => {
  const eventOf = async (name: string, seq: number) =>
    (await events.findOne({ _id: idAfter(idOf(name), seq) })) as Event;

  test.each([
    ["status", '"status":"SUCCESS"', '"status":"FAILED"'],
    ["amount", '"amount":50', '"amount":51'],
    ["feeCharged", '"feeCharged":"0.25"', '"feeCharged":"0.26"'],
    ["currency", '"currency":"USD"', '"currency":"EUR"'],
    ["eventType", '"eventType":"WITHDRAWAL"', '"eventType":"TEST"'],
  ])("with another %s in its body is a violation", async (_case, from, to) => {
    const { _id, body } = await eventOf("SUCCESS", 3);
    expect(body).toContain(from);
    const report = await tampered(events, _id, { body: body.replace(from, to) });
    expectNamed(report, "events", _id, idOf("SUCCESS"));
  });

  test.each([["transactionId"], ["walletId"], ["entityId"], ["timestamp"]])(
    "with an invalid %s in its body is a violation",
    async (field) => {
      const { _id, body } = await eventOf("SUCCESS", 3);
      const parsed = JSON.parse(body) as { payload: object };
      const other = { ...parsed, payload: { ...parsed.payload, [field]: "another" } };
      const report = await tampered(events, _id, { body: JSON.stringify(other) });
      expectNamed(report, "events", _id, field);
    },
  );

  test.each([
    ["truncated body", { body: '{"eventType":"WITH' }],
    ["body, not an object,", { body: "null" }],
    ["place", { seq: 2 }],
    ["place after the last state", { seq: 9 }],
    ["business", { businessId: "another" }],
    ["time", { at: new Date(4e12) }],
    ["type", { eventType: "COLLECTION" }],
    ["transaction", { transactionId: "another" }],
  ])("with another %s is a violation", async (_case, set) => {
    const { _id } = await eventOf("SUCCESS", 3);
    expectNamed(await tampered(events, _id, set), "events", _id);
  });

  test("of a state that its payout does not have is a violation", async () => {
    const last = await eventOf("PENDING", 1);
    const seq = 2;
    const body = last.body.replace("PENDING", "SUCCESS");
    const invented = { ...last, _id: idAfter(idOf("PENDING"), seq), seq, body };
    await events.insertOne(invented);
    const report = await verify(connection);
    await events.deleteOne({ _id: invented._id });
    expectNamed(report, "events", invented._id, "state 2");
  });

  test("that is not acknowledged yet is pending, stored or not", async () => {
    const id = idOf("PENDING");
    await payouts.updateOne({ _id: id }, { $set: { relayed: 0 } });
    const stored = await verify(connection);
    const missing = await tampered(events, idAfter(id, 1), null);
    await payouts.updateOne({ _id: id }, { $set: { relayed: 1 } });
    expect([stored.violations, missing.violations]).toEqual([[], []]);
  });

  test("that has expired may be missing; a younger one may not", async () => {
    const id = idOf("SUCCESS");
    const dayMs = 86_400_000;
    const { states } = (await payouts.findOne({ _id: id })) as Payout;
    const [expired, kept] = [40, 20].map((days) => Date.now() - days * dayMs);
    const reports = [];
    for (const at of [expired, kept]) {
      const before = await events.find({ transactionId: id }).toArray();
      await events.deleteMany({ transactionId: id });
      const old = states.map((state) => ({ ...state, at: at as number }));
      reports.push(await tampered(payouts, id, { states: old }));
      await events.insertMany(before);
    }
    expect(reports[0]?.violations).toEqual([]);
    expectNamed(reports[1] as never, "events", id, "no event");
  });
});

test("an event that was removed before the retention grew may be missing; a younger one may not", async () => {
  const id = idOf("SUCCESS");
  const { states } = (await payouts.findOne({ _id: id })) as Payout;
  const dayMs = 86_400_000;
  const kept = connection
    .getClient()
    .db(connection.name)
    .collection<LongerRetention>("webhook_retention");
  await kept.insertOne({ _id: "webhook_events", since: new Date(Date.now() - 10 * dayMs) });
  const before = await events.find({ transactionId: id }).toArray();
  await events.deleteMany({ transactionId: id });
  const reports = [];
  for (const days of [20, 5]) {
    const old = states.map((state) => ({ ...state, at: Date.now() - days * dayMs }));
    reports.push(await tampered(payouts, id, { states: old }));
  }
  await events.insertMany(before);
  await kept.deleteMany();
  expect(reports[0]?.violations).toEqual([]);
  expectNamed(reports[1] as never, "events", id, "no event");
});

test.each([
  ["without a retention", { at: 1 }],
  ["of the time and another field", { at: 1, _id: 1 }],
] as const)(
  "an index %s in place of the one that removes events excuses no missing event",
  async (_case, key) => {
    const id = idOf("SUCCESS");
    const { states } = (await payouts.findOne({ _id: id })) as Payout;
    const [ttl] = (await events.indexes()).filter((index) => index.expireAfterSeconds);
    await events.dropIndex("at_1");
    await events.createIndex(key, { name: "other" });
    const before = await events.find({ transactionId: id }).toArray();
    await events.deleteMany({ transactionId: id });
    const old = states.map((state) => ({ ...state, at: 1 }));
    const report = await tampered(payouts, id, { states: old });
    await events.insertMany(before);
    await events.dropIndex("other");
    await events.createIndex({ at: 1 }, { expireAfterSeconds: ttl?.expireAfterSeconds as number });
    expectNamed(report, "events", id, "no event");
  },
);

describe("a funding", () => {
  const funding = async () => (await fundings.findOne({ walletId: otherWallet })) as Funding;

  test.each([
    ["amount", { amountMinor: 100_001 }, "postings"],
    ["wallet", { walletId: "another" }, "postings"],
    ["currency", { currency: "EUR" }, "postings"],
    ["state", { status: "FAILED" }, "fundings"],
  ] as const)("with another %s is a violation", async (_case, set, rule) => {
    const { _id } = await funding();
    expectNamed(await tampered(fundings, _id, set), rule, _id);
  });

  test("that is missing is a violation", async () => {
    const { _id } = await funding();
    expectNamed(await tampered(fundings, _id, null), "postings", _id, "not there");
  });

  test("that succeeded without a transfer is a violation", async () => {
    const _id = newId();
    await fundings.insertOne({ ...(await funding()), _id, reference: "another" });
    // The funding must be older than the verification.
    await until(() => newId().slice(0, 13) > _id.slice(0, 13));
    const report = await verify(connection);
    await fundings.deleteOne({ _id });
    expectNamed(report, "fundings", _id, "0 times");
  });
});
