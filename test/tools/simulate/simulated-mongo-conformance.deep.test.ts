// The simulated MongoDB must agree with a real one: the same operations must have the same results
// on both, including errors.

import { randomBytes } from "node:crypto";
import mongoose, { type mongo, type Schema } from "mongoose";
import { type Payout, payoutSchema } from "../../../services/payouts/payout.model.ts";
import {
  type Account,
  accountSchema,
  type Block,
  blockSchema,
  hashBlock,
  type Transfer,
  type Watermark,
  watermarkSchema,
} from "../../../services/wallet-ledger/journal.model.ts";
import {
  type Collections,
  createStore,
  majority,
  transfersWhere,
} from "../../../services/wallet-ledger/store.ts";
import {
  runInsert,
  runUpdate,
  type Updated,
  type WriteRefusal,
} from "../../../shared/storage/commands.ts";
import { createCollections } from "../../../tools/simulate/ledger/database.ts";
import { drawPlan, UNSTORABLE } from "../../../tools/simulate/ledger/plan.ts";
import { PAYOUTS } from "../../../tools/simulate/payouts/database.ts";
import { openStandalone } from "../../../tools/simulate/standalone.ts";

interface Subject {
  client: mongo.MongoClient;
  collections: Collections & { payouts: mongo.Collection<Payout> };
}

/** More members than any replica set has. */
const UNMET = { writeConcern: { w: 50, j: true } } as const;

function transfer(id: string, wallet = "w1"): Transfer {
  const legs: Transfer["legs"] = [
    [wallet, 5],
    ["0:outside:USD", -5],
  ];
  const fields = { kind: "funding", payloadHash: "h", outcome: "committed" } as const;
  return { id, ...fields, legs, wallet, balance: 5, prev: 0 };
}

function block(p: number, n: number, ids: string[], _id = `${p}-${n}-${ids.join()}`): Block {
  const transfers = ids.map((id) => transfer(id));
  const content = { _id, p, n, at: 1, transfers, prevHash: "before" };
  return { ...content, hash: hashBlock(content) };
}

function account(id: string, n = 0, balance = 0): Account {
  const fields = {
    type: "SPEND",
    currency: "USD",
    createdAt: new Date(0),
  } as const;
  return { _id: id, p: 0, ...fields, checkpoint: { n, balance, disabled: false } };
}

const checkpoint = (id: string, n: number, balance: number, disabled = false) => ({
  filter: { _id: id },
  update: { $max: { checkpoint: { n, balance, disabled } } },
});

function payout(id: string, fields: Partial<Payout> = {}): Payout {
  return { _id: id, v: 0, entityId: "e", states: [], relayed: 0, ...fields } as unknown as Payout;
}

const PENDING = { status: "PENDING", at: 5 } as const;
const FAILED = { status: "FAILED", at: 6 } as const;

const listPayouts = ({ collections: { payouts } }: Subject) =>
  payouts.find({ entityId: "e" }).sort({ v: 1, nextAttemptAt: 1 }).toArray();

/** The outcome of a write: its refused parts, its counts, or its error. */
async function outcome(
  write: Promise<WriteRefusal[] | Updated | mongo.UpdateResult>,
): Promise<object> {
  try {
    const result = await write;
    if (Array.isArray(result)) return result.map(({ index, code }) => [index, code]);
    if ("matched" in result) return result;
    return { matched: result.matchedCount, modified: result.modifiedCount };
  } catch (error) {
    return { code: (error as mongo.MongoServerError).code };
  }
}

const listBlocks = async ({ collections: { blocks } }: Subject, p: number) =>
  (
    await blocks
      .find({ p, n: { $gt: 0 } })
      .sort({ n: 1 })
      .limit(100)
      .toArray()
  ).map(({ n }) => n);

const findAccount = ({ collections: { accounts } }: Subject, id: string) =>
  accounts.findOne({ _id: id });

/** The operations that must have the same result on both. Some blocks and accounts exist before. */
const OPERATIONS: Record<string, (subject: Subject) => Promise<unknown>> = {
  "an insert of several": ({ collections: { blocks } }) =>
    outcome(runInsert(blocks, [block(1, 1, ["a"]), block(2, 1, ["a"])])),

  "an insert of a taken number and of free numbers": async (subject) => {
    const { blocks } = subject.collections;
    const batch = [block(0, 4, ["d"]), block(0, 2, ["e"]), block(0, 5, ["f"])];
    return [await outcome(runInsert(blocks, batch)), await listBlocks(subject, 0)];
  },

  "an insert of which every block is refused": async (subject) => {
    const { blocks } = subject.collections;
    const batch = [block(0, 1, ["d"]), block(0, 4, ["x", "b"]), block(0, 3, ["e"])];
    return [await outcome(runInsert(blocks, batch)), await listBlocks(subject, 0)];
  },

  "an insert of an id that another block of the partition has": ({ collections: { blocks } }) =>
    outcome(runInsert(blocks, [block(0, 4, ["new", "c"]), block(1, 4, ["c"])])),

  "two blocks of one insert with the same id": async (subject) => {
    const { blocks } = subject.collections;
    const batch = [block(0, 4, ["d"]), block(0, 5, ["d"])];
    return [await outcome(runInsert(blocks, batch)), await listBlocks(subject, 0)];
  },

  "the same id twice within one block is not refused": ({ collections: { blocks } }) =>
    outcome(runInsert(blocks, [block(0, 4, ["d", "d"])])),

  "a block that is inserted twice": ({ collections: { blocks } }) =>
    outcome(runInsert(blocks, [block(0, 1, ["a"]), block(0, 4, ["d"])])),

  "another block under a taken _id": ({ collections: { blocks } }) =>
    outcome(runInsert(blocks, [block(0, 9, ["z"], "0-1-a")])),

  "a block that can never be stored, among others": async (subject) => {
    const { blocks } = subject.collections;
    const batch = [block(0, 4, ["d"]), block(1, 1, ["e", `${UNSTORABLE}1`]), block(0, 1, ["g"])];
    return [await outcome(runInsert(blocks, batch)), await listBlocks(subject, 0)];
  },

  "an insert with an unmet write concern is stored": async (subject) => {
    const { blocks } = subject.collections;
    const write = runInsert(blocks, [block(0, 4, ["d"])], UNMET);
    return [await outcome(write), await listBlocks(subject, 0)];
  },

  "an insert with a partial refusal and an unmet write concern": async (subject) => {
    const { blocks } = subject.collections;
    const batch = [block(0, 4, ["d"]), block(0, 1, ["e"])];
    const write = runInsert(blocks, batch, UNMET);
    return [await outcome(write), await listBlocks(subject, 0)];
  },

  "the first blocks after a number, in order": ({ collections: { blocks }, client }) =>
    blocks
      .find({ p: 0, n: { $gt: 1 } }, majority(client.startSession({ causalConsistency: true })))
      .sort({ n: 1 })
      .limit(1)
      .toArray(),

  "a block that was read has the hash that it was built with": async ({ collections }) => {
    const [read] = await collections.blocks
      .find({ p: 0, n: { $gt: 0 } })
      .sort({ n: 1 })
      .toArray();
    return hashBlock(read as Block) === read?.hash;
  },

  "transfers by id": async ({ collections: { blocks } }) => {
    const ids = ["c", "a", "nowhere"];
    const stages = [
      { $match: { p: 0, "transfers.id": { $in: ids } } },
      { $project: { at: 1, transfers: transfersWhere("id", ids) } },
    ];
    const found = await blocks.aggregate<Block>(stages).toArray();
    return found.toSorted((a, b) => a._id.localeCompare(b._id));
  },

  "a wallet's transfers in the tails of some partitions": ({ collections: { blocks } }) =>
    blocks
      .aggregate([
        {
          $match: {
            $or: [
              { p: 3, n: { $gt: 0 } },
              { p: 0, n: { $gt: 1 } },
            ],
          },
        },
        { $sort: { p: 1, n: 1 } },
        { $project: { p: 1, n: 1, transfers: transfersWhere("wallet", ["w1", "w2"]) } },
      ])
      .toArray(),

  "the transfers of a wallet without transfers": ({ collections: { blocks } }) =>
    blocks
      .aggregate([
        { $match: { p: 0, n: 2 } },
        { $project: { at: 1, transfers: transfersWhere("wallet", ["w9"]) } },
      ])
      .toArray(),

  "a read of existing and missing accounts": async ({ collections: { accounts } }) => {
    const found = await accounts.find({ _id: { $in: ["w2", "w9", "w1", "w2"] } }).toArray();
    return found.toSorted((a, b) => a._id.localeCompare(b._id));
  },

  "a read of a missing document": ({ collections: { watermarks } }) =>
    watermarks.findOne({ _id: 77 }),

  "a checkpoint over an older one": async (subject) => {
    const write = runUpdate(subject.collections.accounts, [checkpoint("w1", 6, 60)]);
    return [await outcome(write), await findAccount(subject, "w1")];
  },

  "a checkpoint over a newer one, over itself and over no account": async (subject) => {
    const { accounts } = subject.collections;
    const outcomes: object[] = [];
    for (const statement of [
      checkpoint("w1", 4, 4),
      checkpoint("w1", 5, 50),
      checkpoint("w1", 4, 99, true),
      checkpoint("w9", 1, 1),
    ]) {
      outcomes.push(await outcome(runUpdate(accounts, [statement])));
    }
    return [outcomes, await findAccount(subject, "w1"), await findAccount(subject, "w9")];
  },

  "an update that changes nothing": ({ collections: { accounts } }) =>
    outcome(accounts.updateOne({ _id: "w1" }, { $set: { currency: "USD" } })),

  "many checkpoints in one write": async (subject) => {
    const writes = [checkpoint("w1", 4, 4), checkpoint("w2", 9, 9), checkpoint("w9", 1, 1)];
    const write = runUpdate(subject.collections.accounts, writes);
    return [
      await outcome(write),
      await findAccount(subject, "w1"),
      await findAccount(subject, "w2"),
    ];
  },

  "an update without statements is an error": ({ collections: { accounts } }) =>
    outcome(runUpdate(accounts, [])),

  "checkpoints with an unmet write concern are stored": async (subject) => {
    const write = runUpdate(subject.collections.accounts, [checkpoint("w1", 8, 80)], UNMET);
    return [await outcome(write), await findAccount(subject, "w1")];
  },

  "a watermark with an unmet write concern is moved": async (subject) => {
    const { watermarks } = subject.collections;
    const update = { $set: { n: 3, hash: "x" } };
    const write = runUpdate(watermarks, [{ filter: { _id: 0, n: { $lt: 3 } }, update }], UNMET);
    return [await outcome(write), await watermarks.findOne({ _id: 0 })];
  },

  "documents are ordered by their first different field": async (subject) => {
    const { accounts } = subject.collections;
    const seen: unknown[] = [];
    for (const statement of [
      checkpoint("w1", 6, 10),
      checkpoint("w1", 6, 2 ** 40),
      checkpoint("w1", 6, 11, true),
      checkpoint("w1", 6, 2 ** 40, true),
      checkpoint("w1", 2 ** 35, -1),
      checkpoint("w1", 7, 1),
    ]) {
      await runUpdate(accounts, [statement]);
      seen.push((await findAccount(subject, "w1"))?.checkpoint);
    }
    return seen;
  },

  "a session has a time after a write, and a majority read after it sees the write": async ({
    client,
    collections: { accounts },
  }) => {
    const writing = client.startSession({ causalConsistency: true });
    await runUpdate(accounts, [checkpoint("w1", 7, 70)], { session: writing });
    const reading = client.startSession({ causalConsistency: true });
    if (writing.operationTime) reading.advanceOperationTime(writing.operationTime);
    if (writing.clusterTime) reading.advanceClusterTime(writing.clusterTime);
    const read = await accounts.findOne({ _id: "w1" }, majority(reading));
    await Promise.all([writing.endSession(), reading.endSession()]);
    return [Boolean(writing.operationTime), Boolean(reading.operationTime), read];
  },

  "places of a rate limit: taken, free, and missing": async (subject) => {
    const { payouts } = subject.collections;
    const batch = [
      payout("p8", { slot: 0 }),
      payout("p9", { v: 9 }),
      payout("p7", { slot: 2, v: 8 }),
    ];
    return [await outcome(runInsert(payouts, batch)), await listPayouts(subject)];
  },

  "a place that was given back is taken again once": async (subject) => {
    const { payouts } = subject.collections;
    const update = { $unset: { slot: "" } } as const;
    const writes = [
      { filter: { _id: "p1", slot: 1 }, update },
      { filter: { _id: "p1", slot: 0 }, update },
    ];
    const evicted = await outcome(runUpdate(payouts, writes));
    const batch = [payout("p8", { slot: 0, v: 8 }), payout("p9", { slot: 0, v: 9 })];
    return [evicted, await outcome(runInsert(payouts, batch)), await listPayouts(subject)];
  },

  "transitions of several payouts, guarded by their versions": async (subject) => {
    const update = {
      $set: { v: 3, nextAttemptAt: 9 },
      $unset: { relayAt: "" as const, slot: "" as const },
      $push: { states: { $each: [FAILED] } },
    };
    const writes = [
      { filter: { _id: { $in: ["p1", "p2", "p9"] }, v: 2 }, update, multi: true },
      { filter: { _id: { $in: ["p1"] }, v: 1 }, update, multi: true },
      { filter: { _id: { $in: ["p3"] }, v: 1 }, update, multi: true },
    ];
    const write = runUpdate(subject.collections.payouts, writes);
    return [await outcome(write), await listPayouts(subject)];
  },

  "outboxes that did not grow are cleared": async (subject) => {
    const clear = (count: number) => ({
      filter: { _id: { $in: ["p2", "p3"] }, states: { $size: count } },
      update: { $set: { relayed: count }, $unset: { relayAt: "" as const } },
      multi: true,
    });
    const toStep = [null, 40].map((stepAt) => ({
      filter: { _id: { $in: ["p1", "p2", "p3"] }, stepAt: stepAt ?? { $type: "null" as const } },
      update: {
        $set: { relayed: 2, nextAttemptAt: stepAt ?? 50 },
        $unset: { stepAt: "" as const },
      },
      multi: true,
    }));
    const write = runUpdate(subject.collections.payouts, [clear(1), clear(3), ...toStep]);
    return [await outcome(write), await listPayouts(subject)];
  },

  "due payouts, the longest due first, without those that are never due": async ({
    collections: { payouts },
  }) => {
    const due = await payouts
      .find({ nextAttemptAt: { $lte: 20 } }, { readConcern: { level: "majority" } })
      .sort({ nextAttemptAt: 1 })
      .limit(2)
      .toArray();
    const isOverdue = { relayAt: { $lte: 7 } };
    const ids = { $in: ["p1", "p2", "p3"] };
    const moved = await outcome(
      payouts.updateMany({ _id: ids, ...isOverdue }, { $set: { relayAt: 70 } }),
    );
    return [due, moved, await payouts.findOne({ _id: "p2" })];
  },

  "holders of places, and declines since a moment, in part": async ({
    collections: { payouts },
  }) => {
    const ofEntities = { entityId: { $in: ["e", "f"] } };
    const since = { declined: "funds", _id: { $gte: "p3" } } as const;
    const holders = payouts.find({ ...ofEntities, slot: { $exists: true } });
    const declines = payouts.find({ ...ofEntities, ...since });
    return [
      await holders.project({ slot: 1 }).sort({ slot: 1 }).toArray(),
      await declines.project({ entityId: 1, slot: 1 }).toArray(),
    ];
  },

  "a counter of a limit: who names it not, and a replacement of a version": async ({
    collections: { payouts },
  }) => {
    const counted = (id: string, counters: string[]) =>
      payouts.updateOne({ _id: id }, { $set: { counted: counters } });
    await counted("p1", ["a", "b"]);
    await counted("p2", ["b"]);
    const $match: mongo.Filter<Payout> = {
      _id: { $gte: "p1", $lt: "p4" },
      counted: { $ne: "a" },
      $or: [{ declined: { $ne: "funds" } }, { "states.status": "FAILED" }],
    };
    const $group = { _id: null, v: { $sum: "$v" }, count: { $sum: 1 } };
    const [sums] = await payouts.aggregate([{ $match }, { $group }]).toArray();
    const next = { ...payout("p1", { v: 3 }), counted: ["b"], slot: 0, nextAttemptAt: 1 };
    return [
      { v: sums?.v, count: sums?.count },
      await outcome(payouts.replaceOne({ _id: "p1", v: 2 }, next)),
      await outcome(payouts.replaceOne({ _id: "p1", v: 1 }, next)),
      await payouts.insertOne(next).catch(({ code }) => code),
      await payouts.findOne({ _id: "p1" }),
    ];
  },

  "the ledger's own store: blocks that are committed, refused and rejected": async (subject) => {
    const store = createStore(subject.client, subject.collections);
    const batch = [block(0, 4, ["d"]), block(0, 1, ["e"]), block(1, 1, [`${UNSTORABLE}1`])];
    const first = await store.appendBlocks(batch);
    const again = await store.appendBlocks(batch);
    const rest = await store.appendBlocks([block(0, 5, ["h"])]);
    return [first, again, rest, (await store.readBlocks(0, 2, 10)).map(({ n }) => n)];
  },

  "the ledger's own store: checkpoints and watermarks": async (subject) => {
    const store = createStore(subject.client, subject.collections);
    const state = { disabled: false, currency: "USD" } as const;
    await store.writeCheckpoints([
      { id: "w1", n: 9, balance: 90, ...state },
      { id: "w2", n: 1, balance: 10, ...state },
    ]);
    await store.moveWatermarks([{ p: 0, tip: { n: 3, hash: "x" } }]);
    await store.moveWatermarks([{ p: 0, tip: { n: 2, hash: "y" } }]);
    const [mark, accounts, found] = await Promise.all([
      store.readWatermark(0),
      store.readAccounts(["w1", "w2"]),
      store.findTransfers(0, ["b"]),
    ]);
    return [mark, accounts.toSorted((a, b) => a.id.localeCompare(b.id)), found];
  },
};

const BLOCKS = [block(0, 1, ["a"]), block(0, 2, ["b", "b2"]), block(0, 3, ["c"])];
const ACCOUNTS = [account("w1", 5, 50), account("w2", 2, 20)];
const WATERMARKS: Watermark[] = [{ _id: 0, n: 1, hash: "h", of: 4 }];

const PAYOUTS_THERE = [
  payout("p1", { v: 1, slot: 0, nextAttemptAt: 20 }),
  payout("p2", { v: 2, slot: 1, nextAttemptAt: 10, relayAt: 7, stepAt: 40, states: [PENDING] }),
  payout("p3", {
    v: 2,
    declined: "funds",
    relayAt: 8,
    stepAt: null,
    states: [PENDING, FAILED],
    nextAttemptAt: 30,
  }),
];

async function fill({
  collections: { blocks, accounts, watermarks, payouts },
}: Subject): Promise<void> {
  await runInsert(payouts, PAYOUTS_THERE);
  await runInsert(blocks, BLOCKS);
  await runInsert(accounts, ACCOUNTS);
  await runInsert(watermarks, WATERMARKS);
}

async function onSimulated(operation: (subject: Subject) => Promise<unknown>): Promise<unknown> {
  const plan = { ...drawPlan(1), partitionCount: 0 };
  const { client, through } = openStandalone([...createCollections(plan, [], []), PAYOUTS]);
  const subject = {
    client,
    collections: {
      blocks: client.collection("ledger_blocks"),
      accounts: client.collection("ledger_accounts"),
      watermarks: client.collection("ledger_watermarks"),
      payouts: client.collection("payouts"),
    },
  } as unknown as Subject;
  return through(fill(subject).then(() => operation(subject)));
}

const SCHEMAS = {
  blocks: blockSchema,
  accounts: accountSchema,
  watermarks: watermarkSchema,
  payouts: payoutSchema,
};

describe("the simulated MongoDB answers like a real one", () => {
  let connection: mongoose.Connection;

  beforeAll(async () => {
    const url = new URL(process.env.TEST_MONGO_URL as string);
    url.pathname = `/test_${randomBytes(8).toString("hex")}`;
    connection = await mongoose.createConnection(url.href, { autoIndex: false }).asPromise();
  });

  afterAll(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  /** Runs an operation on new collections of a real mongod, with the product's indexes. */
  async function onReal(
    number: number,
    operation: (subject: Subject) => Promise<unknown>,
  ): Promise<unknown> {
    const client = connection.getClient();
    const db = client.db(connection.name);
    const names = Object.keys(SCHEMAS) as (keyof typeof SCHEMAS)[];
    const named = names.map((name) => [name, `${name}_${number}`] as const);
    for (const [name, collection] of named) {
      const validator = { "transfers.id": { $not: new RegExp(`^${UNSTORABLE}`) } };
      await db.createCollection(collection, name === "blocks" ? { validator } : {});
      await connection.model(collection, SCHEMAS[name] as Schema, collection).createIndexes();
    }
    const collections = Object.fromEntries(
      named.map(([name, collection]) => [name, db.collection(collection)]),
    ) as unknown as Subject["collections"];
    await fill({ client, collections });
    return operation({ client, collections });
  }

  test.each(Object.keys(OPERATIONS))("%s", async (name) => {
    const operation = OPERATIONS[name] as (subject: Subject) => Promise<unknown>;
    const number = Object.keys(OPERATIONS).indexOf(name);
    const [real, simulated] = [await onReal(number, operation), await onSimulated(operation)];
    expect(simulated).toEqual(real);
  });
});
