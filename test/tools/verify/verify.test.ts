// Verification finds and names tampered data in the ledger's own books: a block, a balance, a
// watermark, an index.

import { packBlock } from "../../../services/wallet-ledger/block-format.ts";
import {
  type Block,
  hashBlock,
  type Leg,
  type PackedTransfer,
  type Transfer,
} from "../../../services/wallet-ledger/journal.model.ts";
import { systemAccount } from "../../../services/wallet-ledger/postings.ts";
import type { Rule } from "../../../tools/verify/findings.ts";
import { verifyLedger } from "../../../tools/verify/verify.ts";
import { writeTestJournal } from "../../support/test-journal.ts";

const books = await writeTestJournal();
const { p, walletId, journal, blocks, accounts, watermarks } = books;
afterAll(() => books.close());

/** The report of a verification after a change, which is then undone. */
async function foundAfter(change: () => Promise<unknown>, undo: () => Promise<unknown>) {
  await change();
  const report = await verifyLedger(books.connection);
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

const replace = (block: Block) => {
  const { _id, ...rest } = packBlock(block);
  return blocks.replaceOne({ _id: _id as never }, rest);
};
const setAccount = (id: string, set: object) =>
  accounts.updateOne({ _id: id as never }, { $set: set });
const setMark = (set: object) => watermarks.updateOne({ _id: p as never }, { $set: set });

test("untouched books have no violation, and the report counts the documents", async () => {
  const { ok, violations, violationCount, checked } = await verifyLedger(books.connection);
  expect({ ok, violations, violationCount }).toEqual({
    ok: true,
    violations: [],
    violationCount: 0,
  });
  expect(checked).toMatchObject({ blocks: 7, transfers: 7, partitions: 16 });
});

test("a journal whose transfers are whole, as an earlier release wrote them, has no violation", async () => {
  const write = async (all: Block[]) => {
    for (const { _id, ...rest } of all) await blocks.replaceOne({ _id: _id as never }, rest);
    await setMark({ hash: all.at(-1)?.hash });
  };
  const whole: Block[] = [];
  for (const block of journal.values()) {
    const linked = { ...block, prevHash: whole.at(-1)?.hash ?? "" };
    whole.push({ ...linked, hash: hashBlock(linked) });
  }
  const undo = async () => {
    for (const block of journal.values()) await replace(block);
    await setMark({ hash: (journal.get("last") as Block).hash });
  };
  const { violations, checked } = await foundAfter(() => write(whole), undo);
  expect(violations).toEqual([]);
  expect(checked).toMatchObject({ blocks: 7, transfers: 7 });
});

describe("a row that was tampered with and hashed again is a violation", () => {
  test.each<[string, Rule, (row: string) => string]>([
    ["a leg", "sums", (row) => row.replace("||-150|", "||-151|")],
    ["a balance", "balances", (row) => row.replace("|9850|", "|9851|")],
    ["a mark", "balances", (row) => row.replace("|9850|0|", "|9850|1|")],
    ["no row", "balances", () => ""],
  ])("%s", async (_case, rule, change) => {
    const debit = journal.get("debit") as Block;
    const packed = packBlock(debit);
    const [first] = packed.transfers as [PackedTransfer];
    const transfers = [{ ...first, row: change(first.row) }];
    expect(transfers).not.toEqual(packed.transfers);
    const { _id, ...rest } = { ...packed, transfers };
    const hash = hashBlock({ _id, ...rest });
    const tamper = () => blocks.replaceOne({ _id: _id as never }, { ...rest, hash });
    await expectNamed(rule, [first.id], tamper, () => replace(debit));
  });
});

test.each([
  ["null", { transfers: null }],
  ["a string", { transfers: "none" }],
  ["a list of null", { transfers: [null] }],
  ["an invalid row", { "transfers.0.row": 7 }],
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
const rehashed = (block: Block): Block => ({ ...block, hash: hashBlock(packBlock(block)) });

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
    ["a mark", "balances", () => ({ disabled: true })],
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
    () => blocks.insertOne(packBlock(block) as never),
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
    () => books.createIndexes(),
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
  const verification = verifyLedger(books.connection, { signal: AbortSignal.abort() });
  await expect(verification).rejects.toThrow("aborted");
});
