// During a rolling update, nodes of the previous release and of this one read and drive each
// other's documents (docs/change/versions.md). This release completes everything that the previous
// one left, and its own documents have the shapes that the previous one reads.
//
// RELEASE=1 in the environment keeps this code as the previous release of the next one.

import mongoose from "mongoose";
import type { Payout } from "../../services/payouts/payout.model.ts";
import { verify } from "../../tools/verify/verify.ts";
import { live } from "../support/lived.ts";
import {
  contractsOfToday,
  KEYS,
  keepRelease,
  previousRelease,
  type ReleasedDatabase,
  readCollections,
} from "../support/release.ts";
import { settableClock } from "../support/settable-clock.ts";
import { testEnvironment, until } from "../support/system.ts";
import { UNSENT } from "../support/unsent.ts";
import { startWorld } from "../support/world.ts";
import { misread, shapeOf } from "./shapes.ts";
import { startStoppable } from "./unfinished.ts";

/** A database that this code fills with documents in every state, finished and not. */
async function databaseOfToday(): Promise<ReleasedDatabase> {
  const { world, leaveUnfinished, goOn } = await startStoppable({
    WEBHOOK_RETRY_SCHEDULE: "1d",
    // The requests that are not answered in time are errors.
    LOG_LEVEL: "fatal",
    ...KEYS,
  });
  const connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
  const db = connection.getClient().db(connection.name);
  try {
    await live(world, db);
    const awaited = await leaveUnfinished();
    // A claim lasts as long as an attempt, and the kept documents have none.
    const claimed = () => db.collection("webhook_deliveries").findOne({ claim: { $ne: null } });
    await until(async () => (await claimed()) === null);
    return { awaited, collections: await readCollections(db) };
  } finally {
    goOn();
    await connection.close();
    await world.stop();
  }
}

const SECOND_MS = 1_000;

/**
 * The fields that this release adds to every document of a collection, or leaves out of some.
 * Whatever reads one handles its absence.
 */
const NEW_FIELDS: string[] = [
  // This release packs these fields into `row`. Both releases read both forms (block-format.ts).
  "ledger_blocks.transfers[].kind",
  "ledger_blocks.transfers[].payloadHash",
  "ledger_blocks.transfers[].outcome",
  "ledger_blocks.transfers[].legs",
  "ledger_blocks.transfers[].balance",
  "ledger_blocks.transfers[].prev",
  "ledger_blocks.transfers[].disabled",
  "ledger_blocks.transfers[].row",
  // This release adopts the documents without them that it meets (earlier-requests.ts).
  ...["ledger_fundings", "ledger_transfers"].flatMap((name) =>
    [
      ...["v", "writtenBy", "states", "relayed", "needsAttention", "origin", "step"],
      "balanceMinor",
    ].map((field) => `${name}.${field}`),
  ),
  "linked_accounts.list",
  "linked_accounts.keys",
  "linked_accounts.folded",
  "payouts.totalMinor",
  "subscriptions.subscriberHash",
];

let today: ReleasedDatabase;

beforeAll(async () => {
  today = await databaseOfToday();
  if (process.env.RELEASE) keepRelease({ contracts: contractsOfToday(), database: today });
});

test("this release completes everything that the previous one left unfinished", async () => {
  const { awaited, collections } = previousRelease().database;
  const MONGO_URL = testEnvironment().MONGO_URL as string;
  const connection = await mongoose.createConnection(MONGO_URL).asPromise();
  const db = connection.getClient().db(connection.name);
  for (const [name, documents] of Object.entries(collections)) {
    if (documents.length > 0) await db.collection(name).insertMany(documents);
  }
  const environment = { MONGO_URL, WEBHOOK_RETRY_SCHEDULE: "1d", ...KEYS };
  // The older the kept payouts are, the longer they wait between two questions to the rail.
  const clock = settableClock();
  const world = await startWorld({ environment, payoutsInstead: [{ clock }] });
  try {
    const payouts = db.collection<Payout>("payouts");
    for (const [id, statuses] of Object.entries(awaited)) {
      const isEnded = async () => {
        const payout = await payouts.findOne({ _id: id });
        if (payout && ["closed", "declined"].includes(payout.step)) return payout;
        if (Number(payout?.nextAttemptAt) > clock.now() + SECOND_MS) clock.aheadMs += SECOND_MS;
        return null;
      };
      const ended = await until(isEnded, {
        awaited: `the end of payout ${id} (${statuses.join()})`,
      });
      expect(ended.states.map(({ status }) => status)).toEqual(statuses);
    }
    const isOpen = { step: { $nin: ["closed", "declined"] }, nextAttemptAt: { $lte: Date.now() } };
    for (const name of ["payouts", "payments", "payment_refunds", "subscriptions", "invoices"]) {
      const left = () => db.collection(name).countDocuments({ $or: [isOpen, UNSENT] });
      await until(async () => (await left()) === 0, { awaited: `the end of all ${name}` });
    }
    // A release that was kept just now has leases that still last.
    const charging = () => db.collection("payments").countDocuments({ step: "charge" });
    await until(async () => (await charging()) === 0, { awaited: "the end of all charges" });
    expect(await verify(connection)).toMatchObject({ ok: true, violations: [] });
  } finally {
    await connection.close();
    await world.stop();
  }
});

test("the previous release reads the documents of this one, and this one those of the previous", () => {
  const { collections } = previousRelease().database;
  // Without documents there is nothing to compare.
  const filled = (all: ReleasedDatabase["collections"]) =>
    Object.keys(all).filter((name) => all[name]?.length);
  expect(filled(today.collections)).toEqual(expect.arrayContaining(filled(collections)));
  const lines: string[] = [];
  for (const [name, documents] of Object.entries(collections)) {
    const before = shapeOf(documents);
    const now = shapeOf(today.collections[name] ?? []);
    for (const line of [...misread(before, now), ...misread(now, before)]) lines.push(name + line);
  }
  expect(lines).toEqual(NEW_FIELDS.map((field) => `${field}: may be missing`));
});

test("a field that may be missing, and a value of another type, are named", () => {
  const payout = { _id: "a", amount: 25, states: [{ status: "PENDING", at: 1 }] };
  const shape = shapeOf([payout]);
  const { amount, ...without } = payout;
  expect(misread(shape, shapeOf([payout, without]))).toEqual([".amount: may be missing"]);
  expect(misread(shape, shapeOf([{ ...payout, amount: String(amount) }]))).toEqual([
    ".amount: string, where there was number",
  ]);
  expect(misread(shape, shapeOf([{ ...payout, states: [{ status: "PENDING" }] }]))).toEqual([
    ".states[].at: may be missing",
  ]);
  expect(misread(shape, shapeOf([{ ...payout, colour: "blue" }]))).toEqual([]);
});
