// The search of end users by a part of their email or external identifier.

import mongoose from "mongoose";
import accounts from "../../services/accounts/accounts.service.ts";
import walletLedger from "../../services/wallet-ledger/wallet-ledger.service.ts";
import type { Params } from "../../shared/contracts/contracts.ts";
import { storeSearchKeys } from "../../tools/migrate/end-users.ts";
import { createBusiness } from "../support/accounts.ts";
import { type System, startSystem } from "../support/system.ts";

let system: System;
let connection: mongoose.Connection;
let businessId: string;

const USERS = [
  { email: "Ada.Lovelace@Users.test", externalIdentifier: "customer-1001" },
  { email: "grace@navy.test", externalIdentifier: "Größe.ΣΟΦΟΣ" },
  { email: "alan@bücher.test" },
  { email: "a.very.long.name.of.one@example.test", externalIdentifier: "ada" },
];

beforeAll(async () => {
  system = await startSystem([accounts, walletLedger]);
  connection = await mongoose.createConnection(system.config.mongoUrl as string).asPromise();
  ({ id: businessId } = await createBusiness(system));
  for (const user of USERS) await system.call("accounts.createEntity", { businessId, ...user });
  const other = await createBusiness(system);
  await system.call("accounts.createEntity", { businessId: other.id, email: "ada@other.test" });
});
afterAll(async () => {
  await connection?.close();
  await system?.stop();
});

async function found(search: string, params: Partial<Params<"accounts.entities">> = {}) {
  const { items } = await system.call("accounts.entities", { businessId, search, ...params });
  return items.map(({ email }) => email.split("@")[0]);
}

test.each([
  ["a part of the email, in any case", "LOVE", ["Ada.Lovelace"]],
  ["a part of the external identifier", "1001", ["Ada.Lovelace"]],
  ["either of the two", "ada", ["Ada.Lovelace", "a.very.long.name.of.one"]],
  ["a letter of a language with cases of its own", "σοφος", ["grace"]],
  ["a whole address with a domain in Unicode", "alan@BÜCHER.test", ["alan"]],
  ["a part that is longer than a key", "long.name.of.one@EX", ["a.very.long.name.of.one"]],
  ["a long part that only begins right", "long.name.of.two", []],
  ["a text that would be a pattern", ".*", []],
  ["spaces around it", "  navy ", ["grace"]],
  ["nothing", "", ["Ada.Lovelace", "grace", "alan", "a.very.long.name.of.one"]],
  ["an end user of another business", "other.test", []],
])("%s", async (_what, search, expected) => {
  expect(await found(search)).toEqual(expected);
  expect(await found(search, { order: "newest" })).toEqual(expected.toReversed());
});

test("a search pages with its total, and combines with the external identifier", async () => {
  const page = { businessId, search: ".test", limit: 3, page: 2 };
  const { items, meta } = await system.call("accounts.entities", page);
  expect(items).toHaveLength(1);
  expect(meta).toEqual({ page: 2, pageSize: 3, pageCount: 2, total: 4 });
  expect(await found("ada", { externalId: "ada" })).toEqual(["a.very.long.name.of.one"]);
  expect(await found("grace", { externalId: "ada" })).toEqual([]);
});

test("a text of more than 64 characters is refused", async () => {
  await expect(found("x".repeat(65))).rejects.toMatchObject({ type: "VALIDATION" });
});

test("a rare text is found by its keys alone", async () => {
  const entities = connection.getClient().db(connection.name).collection("entities");
  const others = Array.from({ length: 500 }, (_, i) => ({
    email: `user-${i}@many.test`,
    externalIdentifier: `many-${i}`,
  }));
  await Promise.all(
    others.map((user) => system.call("accounts.createEntity", { businessId, ...user })),
  );
  const query = { businessId, entityType: "USER", keys: { $regex: "^lovelace" } };
  const { executionStats } = await entities
    .find(query)
    .sort({ _id: 1 })
    .limit(50)
    .explain("executionStats");
  expect(executionStats.totalDocsExamined).toBe(1);
  expect(await found("user-499@")).toEqual(["user-499"]);
});

test("the migration makes older end users findable, and leaves erased ones alone", async () => {
  const db = connection.getClient().db(connection.name);
  const entities = db.collection<{ _id: string }>("entities");
  const { id: older } = await createBusiness(system);
  const create = (email: string) =>
    system.call("accounts.createEntity", { businessId: older, email });
  const [ada, erased] = [await create("ada@old.test"), await create("gone@old.test")];
  await entities.updateMany({ businessId: older }, { $unset: { keys: 1, folded: 1 } } as never);
  await entities.updateOne(
    { _id: erased.id },
    {
      $set: { erasure: { id: older, step: "erased", at: new Date(), erased: {} } },
    },
  );
  expect(await found("old.test", { businessId: older })).toEqual([]);

  await storeSearchKeys(db);
  await storeSearchKeys(db);

  expect(await found("old.test", { businessId: older })).toEqual(["ada"]);
  expect(await entities.findOne({ _id: ada.id })).toHaveProperty("keys");
  expect(await entities.findOne({ _id: erased.id })).not.toHaveProperty("keys");
  expect(await entities.findOne({ _id: older })).not.toHaveProperty("keys");
});
