// Heads that were kept outside the database: right books agree with them, also if they were made
// beside traffic, and they show every forgery that the journal itself does not.

import { DEFAULT_BOUNDS } from "../../../services/wallet-ledger/bounds.ts";
import type { Block } from "../../../services/wallet-ledger/journal.model.ts";
import {
  createLedger,
  type Ledger,
  ledgerSchemas,
} from "../../../services/wallet-ledger/ledger.ts";
import { openAccount } from "../../../services/wallet-ledger/wallets.ts";
import { systemClock } from "../../../shared/clock.ts";
import { loadConfig } from "../../../shared/config/env.ts";
import { newId } from "../../../shared/ids.ts";
import { database } from "../../../shared/storage/database.ts";
import { migrateConfigured } from "../../../tools/migrate/migrate.ts";
import type { HeadClaims, KeptHead } from "../../../tools/verify/journal/heads.ts";
import { verifyLedger } from "../../../tools/verify/verify.ts";
import { testEnvironment } from "../../support/system.ts";
import { expectNamed } from "../../support/tampering.ts";
import { seeded } from "../../support/traffic.ts";
import { forge } from "./forged-journal.ts";

const config = loadConfig(testEnvironment());
const db = database(config, "heads-test", ledgerSchemas);
const businesses = [newId(), newId(), newId()] as const;
const random = seeded();
/** Checkpoints follow the posts within milliseconds, so that they race with the reads of heads. */
const hurried = { ...systemClock, sleep: (ms: number) => systemClock.sleep(ms / 100) };
/** Two processes, which refuse each other's blocks. */
let ledgers: [Ledger, Ledger];
let wallets: string[];
/** Two wallets of the first business in one partition. */
let pair: [string, string];

const mongoDb = () => db.connection.getClient().db(db.connection.name);
const report = (heads: KeptHead[] = []) => verifyLedger(db.connection, { heads });
const keep = (claims: HeadClaims): KeptHead => ({ name: "the head", claims });
const ledger = () => ledgers[random.below(2)] as Ledger;

async function openWallet(businessId: string): Promise<string> {
  const owner = { businessId, entityId: newId(), currency: "USD" as const, type: "SPEND" as const };
  const opening = { models: db.models, clock: systemClock, ledger: ledgers[0] };
  return (await openAccount(opening, owner, newId())).id;
}

const fund = (walletId: string, amountMinor = 1 + random.below(10_000)) =>
  ledger().log.post({
    posting: { id: newId(), kind: "funding", walletId, currency: "USD", amountMinor },
  });

const pay = (walletId: string) => {
  const amounts = { amountMinor: 1 + random.below(20_000), feesMinor: random.below(50) };
  const money = { currency: "USD", method: "ACH", ...amounts } as const;
  return ledger().log.post({ posting: { id: newId(), kind: "payout", walletId, ...money } });
};

async function traffic(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const some = Array.from({ length: 1 + random.below(8) }, () => random.oneOf(wallets));
    await Promise.all(some.map((id) => (random.below(3) === 0 ? pay(id) : fund(id))));
  }
}

beforeAll(async () => {
  await migrateConfigured(config, { schemas: ledgerSchemas });
  await db.open();
  const create = () => createLedger(db, hurried, () => {}, DEFAULT_BOUNDS);
  ledgers = [await create(), await create()];
  wallets = await Promise.all(
    Array.from({ length: 18 }, (_, i) => openWallet(businesses[i % 3] as string)),
  );
  const [first] = wallets as [string];
  let second = await openWallet(businesses[0]);
  while (partitionOf(second) !== partitionOf(first)) second = await openWallet(businesses[0]);
  wallets.push(second);
  pair = [first, second];
  for (const id of pair) await fund(id, 5_000);
  await traffic(10);
});
afterAll(async () => {
  await Promise.all(ledgers?.map((each) => each.stop()) ?? []);
  await db.connection.dropDatabase();
  await db.close();
});

const partitionOf = (id: string) => ledgers[0].partitionFor(id);

test("heads that are made beside traffic agree with the books", async () => {
  const heads: KeptHead[] = [];
  let isOver = false;
  const running = traffic(60).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    for (const scope of [undefined, ...businesses]) {
      heads.push(keep(await ledger().readHead(scope)));
    }
  }
  await running;
  expect(heads.length).toBeGreaterThan(8);
  const numbers = heads.map(({ claims }) => claims.journal.reduce((sum, { n }) => sum + n, 0));
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  expect(new Set(numbers).size).toBeGreaterThan(3);
  const { ok, violations, checked } = await report(heads);
  expect({ ok, violations }).toEqual({ ok: true, violations: [] });
  expect(checked.heads).toBe(heads.length);
});

test("a head shows the posts of its process at once", async () => {
  const [id] = pair;
  const before = await ledgers[0].readHead();
  await fund(id, 700);
  const after = await ledgers[0].readHead();
  const minor = (claims: HeadClaims) => Math.round(Number(claims.sums.SPEND.USD) * 100);
  expect(minor(after) - minor(before)).toBe(700);
  expect(after.journal[partitionOf(id)]?.n).toBeGreaterThan(
    before.journal[partitionOf(id)]?.n as number,
  );
});

test("sums beyond the safe integers are exact", async () => {
  const rich = newId();
  for (const amountMinor of [2 ** 53 - 1, 2 ** 53 - 2, 2 ** 53 - 3]) {
    expect(await fund(await openWallet(rich), amountMinor)).toMatchObject({ outcome: "committed" });
  }
  const stored = await ledgers[0].readHead(rich);
  // No double has this value in minor units.
  expect(stored.sums.SPEND).toEqual({ USD: "270215977642229.70" });
  // From checkpoints alone, which MongoDB adds up.
  await Promise.all(ledgers.map((each) => each.stop()));
  const heads = [stored, await ledgers[0].readHead(), await ledgers[0].readHead(rich)].map(keep);
  expect(await report(heads)).toMatchObject({ ok: true, violations: [] });
});

describe("a forged journal, which is right by itself, is named by a head", () => {
  let heads: KeptHead[];
  beforeAll(async () => {
    // The newest funding, so that nothing was paid from it.
    await fund(pair[0], 900);
    await Promise.all(ledgers.map((each) => each.stop()));
    heads = [keep(await ledgers[0].readHead()), keep(await ledgers[0].readHead(businesses[0]))];
  });

  /** Verifies forged books without a head, which finds nothing, and with each head alone. */
  async function foundBy(change: (blocks: Block[]) => Block[]) {
    const undo = await forge(mongoDb(), partitionOf(pair[0]), change);
    try {
      const { ok, violations } = await report();
      expect({ ok, violations }).toEqual({ ok: true, violations: [] });
      return [await report(heads.slice(0, 1)), await report(heads.slice(1))];
    } finally {
      await undo();
      expect(await report(heads)).toMatchObject({ ok: true });
    }
  }

  const isFundingOf = (wallet: string) => (block: Block) =>
    block.transfers.some((each) => each.kind === "funding" && each.wallet === wallet);

  /** The blocks, with the newest funding of the wallet changed. */
  function withFunding(blocks: Block[], change: (leg: [string, number]) => [string, number]) {
    const block = blocks.findLast(isFundingOf(pair[0])) as Block;
    const transfer = block.transfers.find((each) => each.wallet === pair[0]);
    if (!transfer) throw new Error("There is no funding");
    const legs = transfer.legs.map(change);
    const [wallet = ""] = legs[0] ?? [];
    Object.assign(transfer, { legs, wallet });
    return blocks;
  }

  test("the newest blocks cut off", async () => {
    const p = partitionOf(pair[0]);
    const { n = 0 } = heads[0]?.claims.journal[p] ?? {};
    for (const found of await foundBy((blocks) => blocks.slice(0, -1))) {
      expectNamed(found, "heads", `block ${p}:${n}`, `partition ${p} was cut off`);
    }
  });

  test("all blocks cut off", async () => {
    const p = partitionOf(pair[0]);
    for (const found of await foundBy(() => [])) {
      expectNamed(found, "heads", `partition ${p} was cut off`);
    }
  });

  test("a block rewritten with all later hashes", async () => {
    const p = partitionOf(pair[0]);
    const doubled = (blocks: Block[]) => withFunding(blocks, ([id, minor]) => [id, minor * 2]);
    for (const found of await foundBy(doubled)) {
      expectNamed(found, "heads", "another hash", `partition ${p} was changed`);
      expectNamed(found, "heads", "SPEND USD");
    }
  });

  test("a funding moved from a wallet to another one of the business", async () => {
    const [from, to] = pair;
    const moved = (blocks: Block[]) =>
      withFunding(blocks, ([id, minor]) => [id === from ? to : id, minor]);
    const [byWhole, byBusiness] = await foundBy(moved);
    for (const found of [byWhole, byBusiness]) expectNamed(found as never, "heads", "another hash");
    expectNamed(byBusiness as never, "heads", "other balances", businesses[0]);
  });

  test("an account that was given to another business", async () => {
    const accounts = db.models.ledger_accounts;
    await accounts.updateOne({ _id: pair[0] }, { businessId: businesses[1] });
    const [byWhole, byBusiness] = [await report(heads.slice(0, 1)), await report(heads.slice(1))];
    await accounts.updateOne({ _id: pair[0] }, { businessId: businesses[0] });
    expect(byWhole.ok).toBe(true);
    expectNamed(byBusiness, "heads", "other balances");
  });
});
