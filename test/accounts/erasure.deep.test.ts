// The erasure of a person (docs/integrate/personal-data.md), over HTTP. A person gets recognisable
// data in every place. After the erasure no document of any collection has any of it, the books are
// right, and all other data is unchanged.

import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import mongoose from "mongoose";
import type { LinkedAccount } from "../../services/accounts/linked-account.model.ts";
import { sealedPlace } from "../../services/accounts/linked-account.model.ts";
import { sealedAccounts } from "../../services/accounts/reseal.ts";
import { reseal } from "../../shared/security/reseal.ts";
import type { Sealed } from "../../shared/security/seal.ts";
import { unseal } from "../../shared/security/seal.ts";
import type { Answer } from "../support/http.ts";
import { Planted } from "../support/planted.ts";
import { type Stored, settledStored } from "../support/stored.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";
import { echoingHook, makePerson, type Person } from "./person.ts";

const { EJSON } = mongoose.mongo.BSON;

let world: World;
let business: TestBusiness;
let hook: { id: string; close(): void };

beforeAll(async () => {
  world = await startWorld({
    erasesAtOnce: true,
    environment: { SANDBOX_SETTLE_MS: "100", WEBHOOK_RETRY_SCHEDULE: "1h" },
  });
  business = await world.business();
  hook = await echoingHook(world, business);
});

afterAll(async () => {
  hook?.close();
  await world?.verifyBooks();
  await world?.stop();
});

const entityPath = (entityId: string, { id } = business) =>
  `/v1/business/${id}/entities/${entityId}`;

function erase({ user }: { user: { id: string } }, by = business): Promise<Answer> {
  return world.http.post(`${entityPath(user.id, by)}/erase`, undefined, { token: by.token });
}

function exportOf({ user }: { user: { id: string } }): Promise<Answer> {
  return world.http.get(`${entityPath(user.id)}/export`, { token: business.token });
}

/** The values that stored documents have, in any case and any encoding. */
function plantedIn(values: string[], stored: Stored): Set<string> {
  const text = EJSON.stringify(stored);
  const lower = text.toLowerCase();
  const planted = new Planted();
  for (const value of values) planted.add("account detail", value);
  const plain = values.filter((value) => lower.includes(value.toLowerCase()));
  return new Set([...plain, ...planted.in(text).values()]);
}

/** Keyed digests and boxes of the person's data: they are personal data too. */
function derivedOf(stored: Stored, { user, paid, subscriptionId }: Person): string[] {
  const of = (name: string) => (stored[name] ?? []) as mongoose.mongo.Document[];
  const accounts = of("linked_accounts").filter(({ entityId }) => entityId === user.id);
  const paying = [...of("payments"), ...of("subscriptions")].filter(
    ({ _id }) => _id === paid || _id === subscriptionId,
  );
  return [
    ...accounts.flatMap(({ fingerprint, sealed }) => [fingerprint, (sealed as Sealed).box]),
    ...paying.flatMap(({ address, requestHash }) => [address, requestHash]),
  ];
}

test("after the erasure of an end user no document has any of its data", async () => {
  const person = await makePerson(world, business);
  const bystander = await makePerson(world, business);
  // The person is also a customer of another business, which keeps what is its own.
  const other = await world.business();
  const elsewhere = await world.paymentLink(other);
  const customer = { ...CUSTOMER, email: person.email };
  dataOf(await world.pay(elsewhere, await world.cardToken(), { customer }), 200);
  // Another customer has paid a link of the person.
  dataOf(await world.pay(person.ownLink, await world.cardToken()), 200);
  await person.endSubscription();

  const before = await settledStored(world);
  const values = [...person.plants.all, ...derivedOf(before, person)];
  const seen = plantedIn(values, before);
  expect(values.filter((value) => !seen.has(value))).toEqual([...person.plants.sealed]);
  const exported = JSON.stringify(dataOf(await exportOf(person), 200)).toLowerCase();
  const unexported = person.plants.all.filter((value) => !exported.includes(value.toLowerCase()));
  // The reason of a declined request, which is no withdrawal, and the client's own keys.
  expect(unexported.filter((value) => !/^(reason|key)/.test(value))).toEqual([]);
  expect(unexported).toHaveLength(3);

  const answer = dataOf(await erase(person), 200);
  expect(answer).toMatchObject({
    id: person.user.id,
    erasedAt: expect.any(String),
    erased: { linkedAccounts: 4, payouts: 3, payments: 2, subscriptions: 1, paymentLinks: 2 },
  });
  expect(answer.kept.length).toBeGreaterThan(3);

  const after = await settledStored(world);
  const ofOthers = (each: unknown) => ofBusiness(each, other);
  const scanned = Object.entries(after).map(([name, documents]) => {
    return [name, documents.filter((each) => !ofOthers(each))];
  });
  expect([...plantedIn(values, Object.fromEntries(scanned))]).toEqual([]);
  for (const account of accountsOf(after, person)) {
    expect(unseal(world.config, sealedPlace(account._id), account.sealed)).toBe("{}");
  }
  await world.verifyBooks();

  // Nothing else has changed.
  const touched = changed(before, after);
  expect(touched.length).toBeGreaterThan(10);
  expect(touched.filter(ofOthers)).toEqual([]);
  const text = JSON.stringify(touched);
  expect(bystander.plants.all.filter((value) => text.includes(value))).toEqual([]);
  expect(text).not.toContain(bystander.user.id);

  expect(dataOf(await erase(person), 200)).toEqual(answer);
});

const CUSTOMER = { firstName: "Ada", lastName: "Lovelace", phone: "+1 555 0100" };

function ofBusiness(document: unknown, { id }: TestBusiness): boolean {
  return (document as { businessId?: string }).businessId === id;
}

function accountsOf(stored: Stored, { user }: Person): LinkedAccount[] {
  const all = stored.linked_accounts as LinkedAccount[];
  return all.filter(({ entityId }) => entityId === user.id);
}

function changed(before: Stored, after: Stored): unknown[] {
  return Object.entries(after).flatMap(([name, documents]) => {
    const byId = new Map(
      (before[name] as { _id: unknown }[]).map((each) => [String(each._id), each]),
    );
    return documents.filter(
      (each) => !isDeepStrictEqual(byId.get(String((each as { _id: unknown })._id)), each),
    );
  });
}

test("an erased end user can do nothing, and the books keep its id", async () => {
  const user = await world.user(business, { externalIdentifier: "again" });
  const wallet = await world.wallet(business, user, 25.25);
  const bank = await world.bank(business, wallet);
  const { id } = dataOf(await world.withdraw(user, bank), 200);
  await world.status(business, id, "SUCCESS");
  dataOf(await erase({ user }), 200);

  const { http, config: _ } = world;
  const { token } = business;
  const shown = dataOf(await http.get(entityPath(user.id), { token }), 200);
  expect(shown).toMatchObject({
    email: "erased@erased.invalid",
    externalIdentifier: null,
    erasedAt: expect.any(String),
  });
  expect((await exportOf({ user })).status).toBe(404);
  expect((await world.withdraw(user, bank)).status).toBe(404);
  const lists = await http.get("/v1/ext/linked-accounts/USD", { token: user.token });
  expect(lists.body.data).toEqual([]);
  const path = `/v1/business/${business.id}`;
  const wallets = { entityId: user.id, currency: "EUR" };
  expect((await http.post(`${path}/wallets`, wallets, { token })).status).toBe(404);
  const asked = { tokenType: "ACCOUNT", entityId: user.id, currency: "USD" };
  expect((await http.post(`${path}/application-tokens`, asked, { token })).status).toBe(404);
  const grant = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: business.clientId,
    client_secret: business.clientSecret,
    subject: user.id,
  });
  const issued = await http.request("POST", "/v1/oauth/token", {
    raw: grant.toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  expect([issued.status, issued.body.error]).toEqual([400, "invalid_grant"]);
  // The identifier is free, and a withdrawal is still shown, by ids alone.
  const next = await world.user(business, { externalIdentifier: "again" });
  expect(next.id).not.toBe(user.id);
  const transaction = dataOf(await http.get(`/v1/transactions/${id}`, { token }), 200);
  expect(transaction).toMatchObject({
    entityId: user.id,
    walletId: wallet.id,
    linkedAccountId: bank.id,
    reason: "erased",
    amount: "25.25",
    recipient: null,
    entity: null,
  });
  const payload = await http.get(`/v1/transactions/${id}/webhook-payload`, { token });
  expect(payload.body.data.payload).toMatchObject({
    description: "Payment delivered: bank account ending in ****",
    summary: "erased",
  });
});

test("verification finds personal data that an erasure has left, and a false erasure", async () => {
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 25.25);
  const bank = await world.bank(business, wallet);
  const { id: payout } = dataOf(await world.withdraw(user, bank), 200);
  await world.status(business, payout, "SUCCESS");
  const other = await world.user(business);
  const linked = await world.bank(business, await world.wallet(business, other));
  dataOf(await erase({ user }), 200);
  const connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
  const set = (name: string, id: string, $set: object) =>
    connection.collection(name).updateOne({ _id: id as never }, { $set });
  await set("entities", user.id, { "erasure.at": new Date(Date.now() - 600_000) });
  await world.verifyBooks();
  const damages: [name: string, id: string, damage: object, whole: object, found: RegExp][] = [
    ["payouts", payout, { lastFour: "6789" }, { lastFour: "****" }, /the payout/],
    ["payouts", payout, { reason: "Rent" }, { reason: "erased" }, /the payout/],
    ["linked_accounts", bank.id, { lastFour: "6789" }, { lastFour: "****" }, /linked account/],
    ["entities", user.id, { email: "a@b.co" }, { email: "erased@erased.invalid" }, /the entity/],
  ];
  for (const [name, id, damage, whole, found] of damages) {
    await set(name, id, damage);
    await expect(world.verifyBooks()).rejects.toThrow(found);
    await set(name, id, whole);
  }
  await set("linked_accounts", linked.id, { erasedAt: new Date() });
  await expect(world.verifyBooks()).rejects.toThrow(/has no erasure/);
  await connection
    .collection("linked_accounts")
    .updateOne({ _id: linked.id as never }, { $unset: { erasedAt: 1 } });
  await connection.close();
  await world.verifyBooks();
});

test("keys are rotated past erased accounts", async () => {
  const user = await world.user(business);
  await world.bank(business, await world.wallet(business, user));
  dataOf(await erase({ user }), 200);
  const connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
  const db = connection.getClient().db(connection.name);
  const fresh = { id: "fresh", key: randomBytes(32) };
  const keys = { encryptionKeys: [fresh, ...world.config.encryptionKeys] };
  const accounts = sealedAccounts(db);
  const resealed = await reseal(keys, accounts, () => {});
  expect(resealed).toMatchObject({ unreadable: 0, reasons: [] });
  expect(resealed.resealed).toBeGreaterThan(0);
  // The system reads its accounts with its own keys again.
  const home = { encryptionKeys: [...world.config.encryptionKeys, fresh] };
  expect(await reseal(home, accounts, () => {})).toMatchObject({ unreadable: 0 });
  await connection.close();
});
