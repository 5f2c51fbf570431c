// Verification finds and names tampered data in the ledger's own books: any byte of an old block, a
// balance, a watermark, an index.

import { DEFAULT_BOUNDS } from "../../services/wallet-ledger/bounds.ts";
import {
  type Block,
  hashBlock,
  type Leg,
  type Transfer,
} from "../../services/wallet-ledger/journal.model.ts";
import { createLedger, type Ledger, ledgerSchemas } from "../../services/wallet-ledger/ledger.ts";
import { systemAccount } from "../../services/wallet-ledger/postings.ts";
import { openAccount } from "../../services/wallet-ledger/wallets.ts";
import { systemClock } from "../../shared/clock.ts";
import { database } from "../../shared/database.ts";
import { loadConfig } from "../../shared/env.ts";
import { newId } from "../../shared/ids.ts";
import type { Rule } from "../../verification/findings.ts";
import { verifyLedger } from "../../verification/verify.ts";
import { testEnvironment } from "../support/system.ts";

const db = database(loadConfig(testEnvironment()), "verify-test", ledgerSchemas);
const blocks = db.models.ledger_blocks.collection;
const accounts = db.models.ledger_accounts.collection;
const watermarks = db.models.ledger_watermarks.collection;

let p: number;
let walletId: string;
/** A block of each kind of transfer, by kind. */
const journal = new Map<string, Block>();

beforeAll(async () => {
  await db.open();
  const ledger: Ledger = await createLedger(db, systemClock, () => {}, DEFAULT_BOUNDS);
  const owner = { businessId: newId(), entityId: newId(), currency: "USD" as const };
  const { ledger_accounts } = db.models;
  const opened = await openAccount(
    ledger_accounts,
    { ...owner, type: "SPEND" },
    ledger.partitionFor,
  );
  walletId = opened.id;
  p = ledger.partitionFor(walletId);
  const payoutId = newId();
  const payout = { currency: "USD", method: "RTP", amountMinor: 100, feesMinor: 50 } as const;
  const funding = { kind: "funding", currency: "USD", amountMinor: 10_000 } as const;
  // One posting at a time, so that each has its own block.
  for (const [kind, posting] of Object.entries({
    funding: { id: newId(), walletId, ...funding },
    debit: { id: payoutId, kind: "payout", walletId, ...payout } as const,
    reversal: { id: `${payoutId}:reversal`, kind: "payout-reversal", walletId, ...payout } as const,
    decline: { id: newId(), kind: "payout", walletId, ...payout, amountMinor: 90_000 } as const,
    disabling: { id: newId(), kind: "disable", walletId } as const,
    enabling: { id: newId(), kind: "enable", walletId } as const,
    last: { id: newId(), kind: "payout", walletId, ...payout } as const,
  })) {
    await ledger.log.post({ posting });
    journal.set(kind, (await blockAt(journal.size + 1)) as Block);
  }
  await ledger.stop();
});

afterAll(async () => {
  await db.connection.dropDatabase();
  await db.close();
});

async function blockAt(n: number) {
  return db.models.ledger_blocks.findOne({ p, n }).lean();
}

/** The report of a verification after a change, which is then undone. */
async function foundAfter(change: () => Promise<unknown>, undo: () => Promise<unknown>) {
  await change();
  const report = await verifyLedger(db.connection);
  await undo();
  return report;
}

/** Asserts that one violation of the rule contains all the names. */
async function expectNamed(
  rule: Rule,
  names: string[],
  change: () => Promise<unknown>,
  undo: () => Promise<unknown>,
): Promise<void> {
  const { ok, violations } = await foundAfter(change, undo);
  expect(ok).toBe(false);
  const named = violations.filter(
    (violation) =>
      violation.rule === rule && names.every((name) => violation.detail.includes(name)),
  );
  if (named.length === 0)
    throw new Error(`${rule}: no ${names.join()} in ${JSON.stringify(violations)}`);
}

const replace = ({ _id, ...rest }: Block) => blocks.replaceOne({ _id: _id as never }, rest);
const setAccount = (id: string, set: object) =>
  accounts.updateOne({ _id: id as never }, { $set: set });
const setMark = (set: object) => watermarks.updateOne({ _id: p as never }, { $set: set });

test("untouched books have no violation, and the report counts the documents", async () => {
  const { ok, violations, violationCount, checked } = await verifyLedger(db.connection);
  expect({ ok, violations, violationCount }).toEqual({
    ok: true,
    violations: [],
    violationCount: 0,
  });
  expect(checked).toMatchObject({ blocks: 7, transfers: 7, partitions: 16 });
});

type Path = (string | number)[];

/** Every path in a block that leads to a value. */
function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, each]) => placesIn(each, [...path, key]));
}

/** Replaces a block by another one, also with another `_id`. */
async function swap(old: Block, other: Block): Promise<void> {
  await blocks.deleteOne({ _id: old._id as never });
  await blocks.insertOne(other as never);
}

/**
 * Flips one bit of a number (in its second byte), or of one character in the middle of a string.
 */
function flipped(value: unknown): unknown {
  if (typeof value === "number") return value % 2_048 < 1_024 ? value + 1_024 : value - 1_024;
  const text = String(value);
  const middle = Math.floor(text.length / 2);
  const character = String.fromCharCode((text.charCodeAt(middle) || 48) ^ 1);
  return text.slice(0, middle) + character + text.slice(middle + 1);
}

function flippedAt(block: Block, path: Path): Block {
  const copy = structuredClone(block);
  let place = copy as unknown as Record<string, unknown>;
  for (const key of path.slice(0, -1)) place = place[key] as Record<string, unknown>;
  const last = path.at(-1) as string;
  place[last] = flipped(place[last]);
  return copy;
}

test.each([["funding"], ["debit"], ["reversal"], ["decline"], ["disabling"], ["enabling"]])(
  "a changed byte in any field of an old block is a violation: %s",
  async (kind) => {
    const block = journal.get(kind) as Block;
    const places = placesIn(block);
    expect(places.length).toBeGreaterThanOrEqual(12);
    for (const path of places) {
      const tampered = flippedAt(block, path);
      const report = await foundAfter(
        () => swap(block, tampered),
        () => swap(tampered, block),
      );
      // A block with another number or partition is found in its new place.
      const isMoved = tampered.p !== p || tampered.n !== block.n;
      const name = isMoved ? `block ${tampered.p}:${tampered.n}` : `block ${p}:${block.n}`;
      const named = report.violations.filter(({ detail }) => detail.includes(name));
      expect({ path, ok: report.ok, isNamed: named.length > 0 }).toEqual({
        path,
        ok: false,
        isNamed: true,
      });
    }
    expect((await verifyLedger(db.connection)).ok).toBe(true);
  },
);

test.each([
  ["null", { transfers: null }],
  ["a string", { transfers: "none" }],
  ["a list of null", { transfers: [null] }],
  ["invalid legs", { "transfers.0.legs": 7 }],
])("a block with invalid transfers is a violation: %s", async (_case, set) => {
  const block = journal.get("debit") as Block;
  await expectNamed(
    "hashes",
    [`block ${p}:${block.n}`],
    () => blocks.updateOne({ _id: block._id as never }, { $set: set }),
    () => replace(block),
  );
});

/**
 * The block with a new hash. An attacker may know the hash function, but must rehash all later
 * blocks.
 */
const rehashed = (block: Block): Block => ({ ...block, hash: hashBlock(block) });

function debitWith(change: Partial<Transfer>): Block {
  const block = journal.get("debit") as Block;
  return { ...block, transfers: block.transfers.map((each) => ({ ...each, ...change })) };
}

describe("a block that was tampered with and hashed again is a violation", () => {
  const debit = () => journal.get("debit") as Block;
  const legs = (): Leg[] => (debit().transfers[0] as Transfer).legs;
  const cases: [string, Rule, () => Partial<Transfer>][] = [
    ["a leg", "sums", () => ({ legs: legs().with(0, [walletId, -151]) })],
    [
      "all legs",
      "balances",
      () => ({ legs: legs().map(([id, amountMinor]): Leg => [id, amountMinor * 2]) }),
    ],
    [
      "more than there is",
      "funds",
      () => ({ legs: legs().map(([id, amountMinor]): Leg => [id, amountMinor * 100]) }),
    ],
    ["an unknown account", "accounts", () => ({ legs: legs().with(1, ["unknown", 100]) })],
    ["a decline with legs", "declines", () => ({ outcome: "declined", reason: "funds" })],
    ["a balance", "balances", () => ({ balance: 1 })],
    ["a statement's chain", "statements", () => ({ prev: 7 })],
    [
      "money in transit",
      "transit",
      () => ({ legs: legs().with(1, [systemAccount(p, "transit", "USD"), 100]) }),
    ],
  ];
  test.each(cases)("%s", async (_case, rule, change) => {
    const names = rule === "transit" ? ["100 USD"] : [`block ${p}:${debit().n}`];
    const tampered = () => replace(rehashed(debitWith(change())));
    const undo = () => replace(debit());
    await expectNamed(rule, names, tampered, undo);
    await expectNamed("links", [`block ${p}:${debit().n + 1}`], tampered, undo);
  });

  test("with a duplicate transfer", async () => {
    const twice = rehashed({ ...debit(), transfers: debit().transfers.flatMap((t) => [t, t]) });
    const id = (debit().transfers[0] as Transfer).id;
    await expectNamed(
      "ids",
      [id, `block ${p}:${debit().n}`],
      () => replace(twice),
      () => replace(debit()),
    );
  });
});

test.each([
  ["debit", "numbers"],
  ["last", "watermarks"],
] as const)("a missing block is a violation: %s", async (kind, rule) => {
  const block = journal.get(kind) as Block;
  await expectNamed(
    rule,
    [kind === "last" ? "block 7" : `block ${p}:3`],
    () => blocks.deleteOne({ _id: block._id as never }),
    () => blocks.insertOne(block as never),
  );
});

test("an unknown field of a block is a violation", async () => {
  const block = journal.get("debit") as Block;
  await expectNamed(
    "hashes",
    [`block ${p}:${block.n}`, "note"],
    () => blocks.updateOne({ _id: block._id as never }, { $set: { note: "x" } }),
    () => replace(block),
  );
});

describe("a wallet", () => {
  test.each([
    ["balance", { "checkpoint.balance": 9_851 }, "checkpoints"],
    ["balance that is no number", { "checkpoint.balance": "9850" }, "checkpoints"],
    ["mark", { "checkpoint.disabled": true }, "checkpoints"],
    ["missing checkpoint", { checkpoint: null }, "checkpoints"],
    ["block", { "checkpoint.n": 6 }, "watermarks"],
    ["missing block", { "checkpoint.n": 8 }, "checkpoints"],
    ["partition", { p: 99 }, "accounts"],
    ["type", { type: "SYSTEM" }, "accounts"],
    ["currency", { currency: "EUR" }, "sums"],
  ] as const)("with another %s is a violation", async (_case, set, rule) => {
    const wallet = await accounts.findOne({ _id: walletId as never });
    const { _id, ...rest } = wallet as NonNullable<typeof wallet>;
    await expectNamed(
      rule,
      rule === "sums" ? [`block ${p}:1`] : [walletId],
      () => setAccount(walletId, set),
      () => accounts.replaceOne({ _id }, rest),
    );
  });

  test("that is missing is a violation", async () => {
    const wallet = await accounts.findOne({ _id: walletId as never });
    await expectNamed(
      "accounts",
      [walletId, `block ${p}:1`],
      () => accounts.deleteOne({ _id: walletId as never }),
      () => accounts.insertOne(wallet as never),
    );
  });

  test("without postings, but with a balance, is a violation", async () => {
    const { _id: id } = (await accounts.findOne({ "checkpoint.n": 0 })) as unknown as {
      _id: string;
    };
    await expectNamed(
      "checkpoints",
      [id],
      () => setAccount(id, { "checkpoint.balance": 5 }),
      () => setAccount(id, { "checkpoint.balance": 0 }),
    );
  });
});

describe("a watermark", () => {
  test.each([
    ["at no block", { n: 99 }],
    ["at another block", { hash: "x" }],
    ["of another number of partitions", { of: 15 }],
  ])("%s is a violation", async (_case, set) => {
    const mark = await watermarks.findOne({ _id: p as never });
    const { _id, ...rest } = mark as NonNullable<typeof mark>;
    await expectNamed(
      "watermarks",
      [`partition ${p}`],
      () => setMark(set),
      () => watermarks.replaceOne({ _id }, rest),
    );
  });

  test("that is missing, with its partition, is a violation", async () => {
    const mark = await watermarks.findOne({ _id: p as never });
    await expectNamed(
      "watermarks",
      [`partition ${p}`],
      () => watermarks.deleteOne({ _id: p as never }),
      () => watermarks.insertOne(mark as never),
    );
  });
});

test("the missing unique index of ids is a violation", async () => {
  await expectNamed(
    "indexes",
    ["transfers.id"],
    () => blocks.dropIndex("p_1_transfers.id_1"),
    () => db.models.ledger_blocks.createIndexes(),
  );
});

test("a frequent violation hides no other one, and is counted", async () => {
  const block = journal.get("funding") as Block;
  const many = { ...block.transfers[0], legs: [] } as unknown as Transfer;
  const wallet = await accounts.findOne({ _id: walletId as never });
  const report = await foundAfter(
    async () => {
      await setAccount(walletId, { "checkpoint.balance": 1 });
      await replace({ ...block, transfers: Array.from({ length: 200 }, () => many) });
    },
    async () => {
      await setAccount(walletId, { checkpoint: wallet?.checkpoint });
      await replace(block);
    },
  );
  expect(report.violated).toMatchObject({ ids: 199 });
  expect(report.violations.filter(({ rule }) => rule === "ids")).toHaveLength(20);
  expect(report.violations.map(({ rule }) => rule)).toContain("checkpoints");
});

test("a verification stops at its abort signal", async () => {
  const verification = verifyLedger(db.connection, { signal: AbortSignal.abort() });
  await expect(verification).rejects.toThrow("aborted");
});
