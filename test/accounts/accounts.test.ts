// Businesses and end users, and their ownership of wallets and identifiers.

import accounts from "../../services/accounts/accounts.service.ts";
import walletLedger from "../../services/wallet-ledger/wallet-ledger.service.ts";
import { newId } from "../../shared/ids.ts";
import {
  createBusiness,
  createUser,
  failure,
  linkAccount,
  openWallet,
} from "../support/accounts.ts";
import { type System, startSystem } from "../support/system.ts";

let system: System;
beforeAll(async () => {
  system = await startSystem([accounts, walletLedger]);
});
afterAll(() => system.stop());

const ana = { email: "ana@users.test" };

test("a business is an entity with the id businessId", async () => {
  const business = await createBusiness(system);
  const found = await system.call("accounts.entity", {
    businessId: business.id,
    entityId: business.id,
  });
  expect(found).toEqual({
    id: business.id,
    email: "owner@shop.test",
    externalIdentifier: null,
    entityType: "BUSINESS",
    frozen: false,
    createdAt: business.createdAt,
  });
});

test("two businesses of the same name share no data", async () => {
  const [one, other] = [await createBusiness(system), await createBusiness(system)];
  expect(one.id).not.toBe(other.id);
  expect(one.clientId).not.toBe(other.clientId);
  expect(one.clientSecret).not.toBe(other.clientSecret);
});

test("an end user is found by its id and by its external identifier", async () => {
  const { id: businessId } = await createBusiness(system);
  const params = { businessId, ...ana, externalIdentifier: "customer-1" };
  const created = await system.call("accounts.createEntity", params);
  await system.call("accounts.createEntity", { businessId, email: "bob@users.test" });

  expect(created).toMatchObject({ ...ana, externalIdentifier: "customer-1", entityType: "USER" });
  const entityId = created.id;
  await expect(system.call("accounts.entity", { businessId, entityId })).resolves.toEqual(created);
  const byExternalId = { businessId, externalId: "customer-1" };
  await expect(system.call("accounts.entities", byExternalId)).resolves.toEqual({
    items: [created],
    meta: { page: 1, pageSize: 50, pageCount: 1, total: 1 },
  });
  const unknown = { businessId, externalId: "customer-2" };
  await expect(system.call("accounts.entities", unknown)).resolves.toEqual({
    items: [],
    meta: { page: 1, pageSize: 50, pageCount: 0, total: 0 },
  });
});

test("an external identifier is unique in a business, and free in another one", async () => {
  const [{ id: businessId }, other] = [await createBusiness(system), await createBusiness(system)];
  const params = { businessId, ...ana, externalIdentifier: "customer-1" };
  await system.call("accounts.createEntity", params);

  const again = system.call("accounts.createEntity", params);
  await expect(again).rejects.toEqual(failure("DUPLICATE_EXTERNAL_ID"));
  await system.call("accounts.createEntity", { ...params, businessId: other.id });
  const { meta } = await system.call("accounts.entities", { businessId });
  expect(meta).toMatchObject({ total: 1 });
});

test("of many concurrent users with one external identifier only one is created", async () => {
  const { id: businessId } = await createBusiness(system);
  const params = { businessId, ...ana, externalIdentifier: "customer-1" };
  const race = Array.from({ length: 20 }, () => system.call("accounts.createEntity", params));
  const results = await Promise.allSettled(race);
  const refused = results.filter((result) => result.status === "rejected");
  expect(refused).toHaveLength(19);
  for (const { reason } of refused) expect(reason).toEqual(failure("DUPLICATE_EXTERNAL_ID"));
});

test("many end users may have no external identifier", async () => {
  const { id: businessId } = await createBusiness(system);
  for (let i = 0; i < 3; i++) await system.call("accounts.createEntity", { businessId, ...ana });
  const { items } = await system.call("accounts.entities", { businessId });
  expect(items.map((item) => item.externalIdentifier)).toEqual([null, null, null]);
});

test("pages list every end user once, oldest first, without the business itself", async () => {
  const { id: businessId } = await createBusiness(system);
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    ids.push((await system.call("accounts.createEntity", { businessId, ...ana })).id);
  }
  const pages = await Promise.all(
    [1, 2, 3, 4].map((page) => system.call("accounts.entities", { businessId, page, limit: 2 })),
  );
  expect(pages.flatMap(({ items }) => items.map((item) => item.id))).toEqual(ids);
  expect(pages.map(({ items }) => items.length)).toEqual([2, 2, 1, 0]);
  expect(pages[3]?.meta).toEqual({ page: 4, pageSize: 2, pageCount: 3, total: 5 });
});

test("pages list every wallet of a business once, oldest first, with its balance", async () => {
  const [{ id: businessId }, other] = [await createBusiness(system), await createBusiness(system)];
  const ada = await createUser(system, businessId);
  const own = await openWallet(system, businessId, businessId);
  const euros = await openWallet(system, businessId, ada.id, "EUR");
  await system.call("wallet-ledger.openCollectionAccount", { businessId, currency: "USD" });
  const stranger = await createUser(system, other.id);
  const funding = { businessId, walletId: own, amount: 12.5, reference: "first" };
  await system.call("wallet-ledger.fund", funding);

  const list = (params = {}) =>
    system.call("wallet-ledger.businessWallets", { businessId, ...params });
  const show = (walletId: string) => system.call("wallet-ledger.wallet", { businessId, walletId });
  const all = await list();
  expect(all).toEqual({
    items: [await show(ada.walletId), await show(own), await show(euros)],
    meta: { page: 1, pageSize: 50, pageCount: 1, total: 3 },
  });
  expect(all.items.map(({ balance }) => balance)).toEqual(["0.00", "12.50", "0.00"]);
  const meta = { pageSize: 2, pageCount: 2, total: 3 };
  const [first, second] = [await list({ page: 1, limit: 2 }), await list({ page: 2, limit: 2 })];
  expect(first).toEqual({ items: all.items.slice(0, 2), meta: { page: 1, ...meta } });
  expect(second).toEqual({ items: all.items.slice(2), meta: { page: 2, ...meta } });

  const ofAda = await list({ entityId: ada.id });
  expect(ofAda.items.map(({ id }) => id)).toEqual([ada.walletId, euros]);
  expect(ofAda.meta).toMatchObject({ total: 2 });
  expect(await list({ entityId: stranger.id })).toEqual({
    items: [],
    meta: { page: 1, pageSize: 50, pageCount: 0, total: 0 },
  });
});

test("an unknown business has no end users and gets none", async () => {
  for (const businessId of [newId(), "no-uuid", "", "$ne"]) {
    const create = system.call("accounts.createEntity", { businessId, ...ana });
    await expect(create).rejects.toEqual(failure("BUSINESS_NOT_FOUND"));
    const list = system.call("accounts.entities", { businessId });
    await expect(list).rejects.toEqual(failure("BUSINESS_NOT_FOUND"));
  }
});

test("an end user is no business", async () => {
  const { id: businessId } = await createBusiness(system);
  const user = await createUser(system, businessId);
  const create = system.call("accounts.createEntity", { businessId: user.id, ...ana });
  await expect(create).rejects.toEqual(failure("BUSINESS_NOT_FOUND"));
});

test("another business's end user is not found, like an unknown one", async () => {
  const [mine, theirs] = [await createBusiness(system), await createBusiness(system)];
  const user = await createUser(system, theirs.id);
  for (const entityId of [user.id, theirs.id, newId(), "no-uuid"]) {
    const find = system.call("accounts.entity", { businessId: mine.id, entityId });
    await expect(find).rejects.toEqual(failure("ENTITY_NOT_FOUND", "Entity not found"));
  }
});

test("a refusal of a new end user names every wrong field, and no user is stored", async () => {
  const { id: businessId } = await createBusiness(system);
  const long = `${"a".repeat(250)}@x.test`;
  for (const email of [undefined, null, "", "none", 7, ["a@b.test"], { $ne: "" }, long]) {
    const create = system.call("accounts.createEntity", { businessId, email: email as never });
    const message = expect.stringMatching(/^email must be an email address, but (is|has) /);
    await expect(create).rejects.toEqual(failure("VALIDATION", message as string));
  }
  const rule = /^externalIdentifier must be a text of 1 to 256 characters, but (is|has) /;
  for (const externalIdentifier of [null, "", "  ", 7, { $gt: "" }, "a\u0000b", "x".repeat(257)]) {
    const params = { businessId, ...ana, externalIdentifier: externalIdentifier as never };
    await expect(system.call("accounts.createEntity", params)).rejects.toEqual(
      failure("VALIDATION", expect.stringMatching(rule) as string),
    );
  }
  const { meta } = await system.call("accounts.entities", { businessId });
  expect(meta).toMatchObject({ total: 0 });
});

test("services on separate nodes refuse and answer alike", async () => {
  const cluster = await startSystem([accounts, walletLedger], {}, { overNats: true });
  try {
    const { id: businessId } = await createBusiness(cluster);
    const { id: entityId, walletId } = await createUser(cluster, businessId);
    const account = await linkAccount(cluster, { businessId, walletId });
    const requests = [account.id, newId(), "x\u0000\ud800"].map((linkedAccountId) => ({
      entityId,
      linkedAccountId,
      currency: "USD" as const,
    }));
    await expect(cluster.call("accounts.payoutDestinations", { requests })).resolves.toEqual([
      expect.objectContaining({ linkedAccountId: account.id, walletId }),
      null,
      null,
    ]);
    const elsewhere = linkAccount(cluster, { businessId, walletId: newId() });
    await expect(elsewhere).rejects.toEqual(failure("WALLET_NOT_FOUND", "Wallet not found"));
    const ofUnknownBusiness = cluster.call("accounts.createEntity", {
      businessId: newId(),
      ...ana,
    });
    await expect(ofUnknownBusiness).rejects.toEqual(
      failure("BUSINESS_NOT_FOUND", "Business not found"),
    );
  } finally {
    await cluster.stop();
  }
});
