// The stored totals of the lists equal the number of accounts in them, despite races and kills.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import {
  type LinkedAccount,
  linkedAccountSchema,
  listCountSchema,
} from "../../services/accounts/linked-account.model.ts";
import {
  gatherInserts,
  type InsertCounted,
  readCount,
  unlinkCounted,
} from "../../services/accounts/lists/counts.ts";
import { listName } from "../../services/accounts/lists/search-keys.ts";
import { systemClock } from "../../shared/clock.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { newId } from "../../shared/ids.ts";
import { type Database, database } from "../../shared/storage/database.ts";
import { migrateConfigured } from "../../tools/migrate/migrate.ts";
import { inherited } from "../support/inherited.ts";
import { aLinkedAccount } from "../support/linked.ts";
import { testEnvironment, until } from "../support/system.ts";

const SCHEMAS = { linked_accounts: linkedAccountSchema, linked_account_counts: listCountSchema };
const environment = testEnvironment();

/** Two databases, as in two processes. */
let nodes: Database<typeof SCHEMAS>[];
let inserts: InsertCounted[];

beforeAll(async () => {
  const config = loadConfig(environment);
  await migrateConfigured(config, { schemas: SCHEMAS });
  nodes = [0, 1].map(() => database(config, "test", SCHEMAS));
  for (const { open } of nodes) await open();
  inserts = nodes.map(({ models }) => gatherInserts(models.linked_accounts));
});
afterAll(async () => {
  await endTransactions();
  await nodes[0]?.connection.dropDatabase();
  for (const { close } of nodes) await close();
});

const accountsOf = (node: number) =>
  (nodes[node] as Database<typeof SCHEMAS>).models.linked_accounts;

const insertCounted = (node: number, account: LinkedAccount) =>
  (inserts[node] as InsertCounted)(account);

const unlink = (node: number, account: LinkedAccount) =>
  unlinkCounted(accountsOf(node), systemClock, account);

async function expectExact(businessId: string): Promise<number> {
  const list = listName(businessId, "USD");
  const accounts = accountsOf(0);
  const total = await accounts.countDocuments({ businessId, unlinkedAt: null });
  const ofUsers = await accounts.countDocuments({
    businessId,
    unlinkedAt: null,
    entityType: "USER",
  });
  expect(await readCount(accounts, list, "accounts")).toBe(total);
  expect(await readCount(accounts, list, "ofUsers")).toBe(ofUsers);
  return total;
}

test("totals are exact after accounts were linked, refused and unlinked in a race", async () => {
  const businessId = newId();
  const linked = Array.from({ length: 60 }, (_, i) =>
    aLinkedAccount(businessId, i % 4 === 0 ? "BUSINESS" : "USER"),
  );
  // The other node links each account again: one of the two requests is refused.
  const twins = linked.map((account) => ({ ...account, _id: newId() }));
  const insert = (account: LinkedAccount, node: number) =>
    insertCounted(node, account).then(
      () => account,
      () => null,
    );
  const results = await Promise.all([
    ...linked.map((account) => insert(account, 0)),
    ...twins.map((account) => insert(account, 1)),
  ]);
  const stored = results.filter((account) => account !== null);
  expect(stored).toHaveLength(60);
  expect(await expectExact(businessId)).toBe(60);

  // Both nodes unlink each of a third, while others are linked: only one of the two finds it.
  const gone = stored.slice(0, 20);
  const [unlinked] = await Promise.all([
    Promise.all(gone.flatMap((each) => [0, 1].map((n) => unlink(n, each)))),
    Promise.all(Array.from({ length: 20 }, (_, i) => insert(aLinkedAccount(businessId), i % 2))),
  ]);
  expect(unlinked.filter(Boolean)).toHaveLength(20);
  expect(await expectExact(businessId)).toBe(60);
});

test("a duplicate among accounts of one transaction leaves the others stored and counted", async () => {
  const businessId = newId();
  const first = aLinkedAccount(businessId);
  await insertCounted(0, first);
  const batch = [
    aLinkedAccount(businessId),
    { ...first, _id: newId() },
    aLinkedAccount(businessId, "BUSINESS"),
  ];
  const results = await Promise.allSettled(batch.map((each) => insertCounted(0, each)));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(results[1]).toMatchObject({ reason: { keyPattern: { fingerprint: 1 } } });
  expect(await expectExact(businessId)).toBe(3);
});

test("an account is not stored if the update of its total fails", async () => {
  const businessId = newId();
  const counts = accountsOf(0).db.model("linked_account_counts");
  const broken = jest.spyOn(counts, "updateOne").mockImplementation(() => {
    throw new Error("between the two writes");
  });
  await expect(insertCounted(0, aLinkedAccount(businessId))).rejects.toThrow("between");
  broken.mockRestore();
  expect(await expectExact(businessId)).toBe(0);
});

test("totals are exact after a process that links and unlinks was killed repeatedly", async () => {
  const businessId = newId();
  const stored = () => accountsOf(0).countDocuments({ businessId });
  for (let kill = 0; kill < 4; kill++) {
    const process = await linking(businessId);
    const before = await stored();
    await until(async () => (await stored()) > before + 10 * kill, { awaited: "linked accounts" });
    process.kill("SIGKILL");
    await once(process, "exit");
    await until(isDisconnected, { awaited: "the end of the killed process's requests" });
    expect(await expectExact(businessId)).toBeGreaterThan(0);
    // The killed process's open transaction blocks no other one.
    await insertCounted(1, aLinkedAccount(businessId));
    await expectExact(businessId);
  }
});

/** The server first finishes the killed process's requests, which may include a commit. */
async function isDisconnected(): Promise<boolean> {
  const admin = accountsOf(0).db.getClient().db("admin");
  const connected = { appName: "payrail-linking", connectionId: { $exists: true } };
  const left = [
    { $currentOp: { idleConnections: true, idleSessions: false } },
    { $match: connected },
  ];
  return (await admin.aggregate(left).toArray()).length === 0;
}

/** Ends the transactions of killed processes, which would end after a minute and delay the test. */
async function endTransactions(): Promise<void> {
  const admin = accountsOf(0).db.getClient().db("admin");
  const left = await admin
    .aggregate<{ lsid: { id: unknown } }>([
      { $currentOp: { idleSessions: true } },
      { $match: { appName: "payrail-linking", "lsid.id": { $exists: true } } },
    ])
    .toArray();
  // An empty list would kill all.
  if (left.length === 0) return;
  await admin.command({ killSessions: left.map(({ lsid: { id } }) => ({ id })) });
}

async function linking(businessId: string): Promise<ChildProcess> {
  const process = fork(join(import.meta.dirname, "linking-process.ts"), {
    env: { ...inherited(), ...environment, BUSINESS_ID: businessId },
  });
  await once(process, "message");
  return process;
}
