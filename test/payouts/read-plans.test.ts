// MongoDB's own plan of each read of many payouts, in every combination of its filters: the index
// that the model's comment names, no sort in memory, and hardly more keys than what is found.

import type { EventEmitter } from "node:events";
import mongoose, { type Connection, type Model, type mongo } from "mongoose";
import type { Deps } from "../../services/payouts/deps.ts";
import { countOpen, eraseEntity } from "../../services/payouts/erasure.ts";
import { gatherHolders } from "../../services/payouts/idempotency.ts";
import { gatherLimitUse } from "../../services/payouts/limits.ts";
import { listAttention, listWithdrawals } from "../../services/payouts/listing.ts";
import {
  BY_ACCOUNT,
  BY_AMOUNT,
  BY_REFERENCE,
  DECLINES,
  FLAGGED_OF_BUSINESS,
  IN_REVIEW,
  OF_BUSINESS,
  OWN,
  type Payout,
  payoutSchema,
  TO_PAYEE,
} from "../../services/payouts/payout.model.ts";
import { listReviews, readReviewGauges } from "../../services/payouts/review.ts";
import { readStatistics } from "../../services/payouts/statistics.ts";
import { listPayouts } from "../../services/payouts/transaction-list.ts";
import { systemClock } from "../../shared/clock.ts";
import { idMaker, newId } from "../../shared/ids.ts";
import { readBacklog } from "../../shared/resumable/backlog.ts";
import { earliestDue, findDue } from "../../shared/resumable/due.ts";
import { ATTENTION_INDEX, DUE_INDEX, WAITING_INDEX } from "../../shared/resumable/schema.ts";
import { readWaiting } from "../../shared/resumable/waiting.ts";
import { ERASED_DIGITS } from "../../shared/storage/erased.ts";

const NOW = Date.now();
const MINUTE_MS = 60_000;
const LIMIT = 10;
const OF_EACH_ENTITY = 300;
/** Of so many payouts one has another amount, and of twice as many one has no stored total. */
const AMONG = 60;

const [business, other] = [newId(), newId()];
/** The first entity is the business itself, as for every business. */
const entities = [business, newId(), newId()];
const entityId = entities[1] as string;
const accounts = [newId(), newId()];

let connection: Connection;
let model: Model<Payout>;
let payouts: mongo.Collection<Payout>;
/** Oldest first. */
let ids: string[];

beforeAll(async () => {
  const url = new URL(process.env.TEST_MONGO_URL as string);
  url.pathname = "/test_payout_read_plans";
  connection = await mongoose.createConnection(url.href, { monitorCommands: true }).asPromise();
  await connection.dropDatabase();
  model = connection.model("payouts", payoutSchema, "payouts");
  await model.createIndexes();
  payouts = connection.getClient().db(connection.name).collection<Payout>("payouts");
  const made = [
    ...entities.flatMap((id) => payoutsOf(business, id)),
    ...payoutsOf(other, newId()),
  ].toSorted((a, b) => (a._id < b._id ? -1 : 1));
  await payouts.insertMany(made);
  ids = made.map(({ _id }) => _id);
});

afterAll(async () => {
  await connection.dropDatabase();
  await connection.close();
});

/** An entity's payouts, one a minute. Most have succeeded, some are declined, few need anything. */
function payoutsOf(businessId: string, id: string): Payout[] {
  const flow = id === businessId ? "PAYOUT" : "PAYMENT";
  return Array.from({ length: OF_EACH_ENTITY }, (_, i) => {
    const isOpen = i % 50 === 1;
    const isDeclined = i % 20 === 2;
    return {
      _id: idMaker({ now: () => NOW - i * MINUTE_MS })(),
      businessId,
      entityId: id,
      linkedAccountId: accounts[i % 5 === 0 ? 1 : 0],
      flow,
      status: isOpen ? "PENDING" : i % 10 === 3 ? "FAILED" : "SUCCESS",
      step: isDeclined ? "declined" : isOpen ? "settle" : "closed",
      visible: !isDeclined,
      needsAttention: i % 100 === 1,
      currency: "USD",
      method: "ACH",
      amountMinor: i % AMONG === 4 ? 975 : 100,
      feesMinor: 25,
      ...(i % (2 * AMONG) !== 4 && { totalMinor: i % AMONG === 4 ? 1_000 : 125 }),
      states: [{ status: "PENDING", at: NOW }],
      lastFour: ERASED_DIGITS,
      idempotencyKey: `key ${i}`,
      merchantKey: `${id} ${i}`,
      reference: `${id} ${i}`,
      ...(id === business && { payeeId: entityId }),
      ...(isDeclined && { declined: "funds" }),
      ...(i < 3 && { slot: i }),
      ...(i % 50 === 6 && { reviewSince: NOW - i * MINUTE_MS }),
      ...(isOpen && { rail: "ours", unknownSince: NOW, nextAttemptAt: NOW - i * MINUTE_MS }),
    } as unknown as Payout;
  });
}

interface Plan {
  /** The names of the stages, and the keys of the indexes, that it uses. */
  stages: Set<string>;
  indexes: Set<string>;
  keys: number;
}

/** The plans of the reads that a function sends. */
async function plansOf(read: () => Promise<unknown>): Promise<Plan[]> {
  const sent: mongo.Document[] = [];
  const listen = ({ command }: { command: mongo.Document }) => {
    if (command.find === "payouts" || command.aggregate === "payouts") sent.push(command);
  };
  const client: EventEmitter = connection.getClient();
  client.on("commandStarted", listen);
  await read();
  client.off("commandStarted", listen);
  return Promise.all(sent.map(explained));
}

/** What a read has beside its query, which the command `explain` does not take. */
const BESIDE = ["lsid", "$clusterTime", "$db", "readConcern"];

async function explained(sent: mongo.Document): Promise<Plan> {
  const command = Object.fromEntries(
    Object.entries(sent).filter(([name]) => !BESIDE.includes(name)),
  );
  const explain = { explain: command, verbosity: "executionStats" };
  const plan: Plan = { stages: new Set(), indexes: new Set(), keys: 0 };
  const visit = (value: unknown, name = ""): void => {
    if (name === "rejectedPlans" || value === null) return;
    if (name === "stage" && typeof value === "string") plan.stages.add(value);
    if (name === "keyPattern") plan.indexes.add(JSON.stringify(value));
    if (name === "totalKeysExamined") plan.keys = Math.max(plan.keys, value as number);
    else if (typeof value === "object") {
      for (const [field, each] of Object.entries(value)) visit(each, field);
    }
  };
  visit(await connection.getClient().db(connection.name).command(explain));
  return plan;
}

/** Each index of a list is read in the order of its `_id`, and ends before this many keys. */
async function expectPlans(
  read: () => Promise<unknown>,
  indexes: object[],
  { keys, isSorted = false }: { keys: number; isSorted?: boolean },
): Promise<void> {
  const plans = await plansOf(read);
  expect(plans.map((plan) => [...plan.indexes])).toEqual(
    indexes.map((index) => [JSON.stringify(index)]),
  );
  for (const plan of plans) {
    expect([plan.stages.has("SORT"), plan.stages.has("COLLSCAN")]).toEqual([isSorted, false]);
    expect(plan.keys).toBeGreaterThan(0);
    expect(plan.keys).toBeLessThanOrEqual(keys);
  }
}

/** Every choice of none or one of each filter's values. */
function choices(filters: Record<string, unknown[]>): Record<string, unknown>[] {
  return Object.entries(filters).reduce<Record<string, unknown>[]>(
    (chosen, [name, values]) =>
      chosen.flatMap((each) => [each, ...values.map((value) => ({ ...each, [name]: value }))]),
    [{}],
  );
}

/** A page and one more; the start of each range; and what a filter beside the index leaves out. */
const OF_A_PAGE = { keys: 2 * (LIMIT + 1) + 16 };
/** All of one entity's, or of the business's; each range has one key more. */
const OF_AN_ENTITY = { keys: OF_EACH_ENTITY + 16 };
const OF_THE_BUSINESS = { keys: 3 * OF_EACH_ENTITY + 16 };
const RANGE = { from: [new Date(NOW - 250 * MINUTE_MS)], to: [new Date(NOW - 50 * MINUTE_MS)] };
const isoRange = (at: Date[]) => at.map((each) => each.toISOString());
const CLOCK = { ...systemClock, now: () => NOW };

/** No payout here is at the step `debit`, so the ledger is not asked. */
const reading = () => ({
  payouts: model,
  isDebited: () => Promise.reject(new Error("Not asked")),
  findParties: () => Promise.reject(new Error("Not asked")),
});

test("the list of a business, by every combination of filters", async () => {
  const all = choices({
    flow: ["PAYMENT", "WITHDRAWAL"],
    status: ["SUCCESS"],
    entityId: [entityId],
    needsAttention: [false, true],
    from: isoRange(RANGE.from),
    to: isoRange(RANGE.to),
    cursor: [ids[700]],
  });
  for (const filter of all) {
    const read = () => listPayouts(reading(), { businessId: business, limit: LIMIT, ...filter });
    const own = filter.entityId ? OWN : OF_BUSINESS;
    await expectPlans(read, [filter.needsAttention ? FLAGGED_OF_BUSINESS : own], OF_A_PAGE);
  }
});

const BY_ID = { _id: 1 } as const;

test("the list of a business by the accounts and the entities that a search finds", async () => {
  const found = [
    { alternatives: [{ linkedAccountIds: accounts }], indexes: [BY_ACCOUNT] },
    {
      alternatives: [{ linkedAccountIds: accounts, entityIds: [entityId] }],
      indexes: [BY_ACCOUNT],
    },
    { alternatives: [{ entityIds: entities }], indexes: [OWN] },
    {
      alternatives: [{ linkedAccountIds: [accounts[1]] }, { entityIds: [entityId] }],
      indexes: [BY_ACCOUNT, OWN],
    },
  ];
  for (const { alternatives, indexes } of found) {
    for (const filter of choices({ status: ["SUCCESS"], to: isoRange(RANGE.to) })) {
      const asked = { businessId: business, limit: LIMIT, ...filter, parties: { alternatives } };
      const read = () => listPayouts(reading(), asked as never);
      // The other business has payouts to the same accounts.
      await expectPlans(read, [...indexes, BY_ID], { keys: 8 * (LIMIT + 1) + 16 });
    }
  }
});

test("the list of a business by an account and a reference", async () => {
  const list = (filter: object) => () =>
    listPayouts(reading(), { businessId: business, limit: LIMIT, ...filter });
  // A fifth of the payouts are to this account, of both businesses.
  await expectPlans(list({ linkedAccountId: accounts[1] }), [BY_ACCOUNT], { keys: 40 });
  // At most one payout has the reference.
  const byReference = list({ reference: `${entityId} 40` });
  await expectPlans(byReference, [BY_REFERENCE], { keys: 1, isSorted: true });
});

test("the list of a business by parties that many match, read until a page has matched", async () => {
  // A fifth of the payouts match, so the second part is as long as the first one lets expect.
  const findParties = async ({ amongAccounts = [] }: { amongAccounts?: string[] }) => ({
    alternatives: [{ linkedAccountIds: amongAccounts.filter((id) => id === accounts[1]) }],
    isOfBusiness: false,
  });
  const parties = { search: "a", alternatives: null };
  for (const filter of choices({ status: ["SUCCESS"], from: isoRange(RANGE.from) })) {
    const asked = { businessId: business, limit: LIMIT, ...filter, parties };
    const read = () => listPayouts({ ...reading(), findParties }, asked);
    const plans = await plansOf(read);
    const lists = plans.slice(0, -1).map(({ indexes }) => [...indexes]);
    expect(new Set(lists.flat())).toEqual(new Set([JSON.stringify(OF_BUSINESS)]));
    expect(lists.length).toBeLessThanOrEqual(4);
    for (const { keys } of plans) expect(keys).toBeLessThanOrEqual(20 * (LIMIT + 1) + 16);
  }
});

test("the list of a business by an amount that few payouts have", async () => {
  const filters = choices({
    status: ["PENDING"],
    entityId: [entityId],
    from: isoRange(RANGE.from),
  });
  for (const filter of filters) {
    const asked = { businessId: business, limit: LIMIT, ...filter };
    const read = () => listPayouts(reading(), { ...asked, amountFrom: "9.99", amountTo: "10.00" });
    const plans = await plansOf(read);
    // The count reads no document, and the second range has the payouts without a stored total.
    const byAmount = plans.filter(({ indexes }) => indexes.has(JSON.stringify(BY_AMOUNT)));
    expect(byAmount).toHaveLength(3);
    expect(byAmount[0]?.stages.has("FETCH")).toBe(false);
    expect(plans.filter((each) => !byAmount.includes(each)).length).toBeLessThanOrEqual(1);
    for (const { keys } of plans) expect(keys).toBeLessThanOrEqual(4 * AMONG);
  }
});

test("the list of an entity's own withdrawals, by every combination of filters", async () => {
  const all = choices({
    status: ["SUCCESS"],
    linkedAccountId: [accounts[0]],
    idempotencyKey: ["key 40"],
    cursor: [ids[1_100]],
  });
  const actor = { sub: entityId, role: "user" } as never;
  for (const filter of all) {
    const own = filter.linkedAccountId ? BY_ACCOUNT : OWN;
    const index = filter.idempotencyKey ? { entityId: 1, idempotencyKey: 1 } : own;
    const read = () => listWithdrawals(reading(), actor, { limit: LIMIT, ...filter });
    // Here several entities have payouts to one account.
    const ofAccount = filter.linkedAccountId ? { keys: 8 * (LIMIT + 1) + 16 } : OF_A_PAGE;
    if (!filter.idempotencyKey) await expectPlans(read, [index], ofAccount);
    // At most one payout has the key.
    else await expectPlans(read, [index], { keys: 1, isSorted: true });
  }
  const merchant = { sub: business, role: "merchant" } as never;
  const ofKey = () => listWithdrawals(reading(), merchant, { idempotencyKey: `${entityId} 40` });
  const [plan] = await plansOf(ofKey);
  const keys = [
    { businessId: 1, merchantKey: 1 },
    { entityId: 1, idempotencyKey: 1 },
  ];
  expect([...(plan?.indexes ?? [])].toSorted()).toEqual(keys.map((each) => JSON.stringify(each)));
  expect(plan?.keys).toBeLessThanOrEqual(2);
});

test("the statistics of a business", async () => {
  for (const range of choices({ from: isoRange(RANGE.from), to: isoRange(RANGE.to) })) {
    const read = () =>
      readStatistics({ ...reading(), payouts }, { businessId: business, ...range }, NOW);
    await expectPlans(read, [OF_BUSINESS], OF_THE_BUSINESS);
  }
});

test("the erasure of an entity", async () => {
  const deps = { payouts, clock: CLOCK, machine: {} } as unknown as Deps;
  const key = { businessId: business, entityId };
  await expectPlans(() => countOpen(deps, key), [DUE_INDEX, OWN, TO_PAYEE], OF_AN_ENTITY);
  const erased = () => eraseEntity(deps, key, async () => {});
  await expectPlans(erased, [OWN, OWN, DECLINES, DECLINES, TO_PAYEE, TO_PAYEE], OF_AN_ENTITY);
});

test("a withdrawal's limits, its key and its reference", async () => {
  const limits = { withdrawalLimit: { count: 9, windowMs: 90 * MINUTE_MS } };
  const use = gatherLimitUse(payouts, CLOCK, { ...limits, declineLimit: limits.withdrawalLimit });
  await expectPlans(() => use(entityId), [{ entityId: 1, slot: 1 }, DECLINES], { keys: 8 });
  const holders = gatherHolders(payouts);
  const key = { field: "idempotencyKey", owner: entityId, value: "key 40" } as const;
  await expectPlans(() => holders(key), [{ entityId: 1, idempotencyKey: 1 }], { keys: 2 });
  const ofBusiness = { owner: business, value: `${entityId} 40` };
  const merchantKey = { field: "merchantKey", ...ofBusiness } as const;
  await expectPlans(() => holders(merchantKey), [{ businessId: 1, merchantKey: 1 }], { keys: 2 });
  const reference = { field: "reference", ...ofBusiness } as const;
  await expectPlans(() => holders(reference), [{ reference: 1, businessId: 1 }], { keys: 2 });
});

test("the sweeps, the metrics and the lists of operators", async () => {
  const due = () => findDue(payouts, "nextAttemptAt", NOW, LIMIT);
  await expectPlans(() => earliestDue(payouts, "nextAttemptAt"), [DUE_INDEX], { keys: 1 });
  await expectPlans(due, [DUE_INDEX], { keys: LIMIT });
  const gauges = () => readBacklog(payouts, "payout", CLOCK);
  await expectPlans(gauges, [DUE_INDEX, ATTENTION_INDEX, DUE_INDEX], { keys: 30 });
  const inReview = () => readReviewGauges(payouts, CLOCK);
  await expectPlans(inReview, [IN_REVIEW], { keys: 31 });
  const [ofGauges] = await plansOf(inReview);
  expect(ofGauges?.stages.has("FETCH")).toBe(false);
  expect((await inReview()).map(({ value }) => value)).toEqual([24, 256 * 60]);
  await expectPlans(() => listReviews(model, { limit: LIMIT }), [IN_REVIEW], { keys: LIMIT + 1 });
  const waiting = () => readWaiting("payout", payouts, "rail", "ours", ["settle"]);
  await expectPlans(waiting, [WAITING_INDEX.rail], { keys: 30 });
  const list = (state: "flagged" | "unknown" | "overdue") => () =>
    listAttention(model, { state, limit: LIMIT }, NOW);
  await expectPlans(list("flagged"), [ATTENTION_INDEX], { keys: LIMIT + 1 });
  // These are few, and are sorted.
  await expectPlans(list("unknown"), [WAITING_INDEX.rail], { keys: 30, isSorted: true });
  await expectPlans(list("overdue"), [DUE_INDEX], { keys: 30, isSorted: true });
});

test("the list of a business by one amount that many payouts have, in the index's order", async () => {
  const [many, id] = [newId(), newId()];
  const made = Array.from({ length: 18 }, () => payoutsOf(many, id)).flat();
  await payouts.insertMany(made.map(withoutUnique));
  const list = (amountFrom: string, amountTo: string) => () =>
    listPayouts(reading(), { businessId: many, limit: LIMIT, amountFrom, amountTo });
  const [counted, ...plans] = await plansOf(list("1.25", "1.25"));
  expect(counted?.keys).toBeGreaterThan(5_000);
  expect(plans.map(({ stages }) => stages.has("SORT"))).toEqual([false, false, false]);
  for (const { keys } of plans) expect(keys).toBeLessThanOrEqual(OF_A_PAGE.keys + 18 * 3);
  // Several amounts are not in the order of the list, so the list is read on until enough match.
  const [, ofList] = await plansOf(list("1.00", "1.25"));
  expect(ofList?.indexes).toEqual(new Set([JSON.stringify(OF_BUSINESS)]));
  expect(ofList?.keys).toBeLessThanOrEqual(OF_A_PAGE.keys);
});

function withoutUnique(payout: Payout): Payout {
  const { slot: _s, idempotencyKey: _i, merchantKey: _m, reference: _r, ...rest } = payout;
  return rest;
}
