// Businesses and their end users over HTTP: an admin sees all businesses, a business only itself.

import mongoose from "mongoose";
import { newId } from "../../shared/ids.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

let world: World;
let mine: TestBusiness;
let admin: { token: string };
beforeAll(async () => {
  world = await startWorld();
  mine = await world.business();
  admin = { token: world.tokens.admin(newId()) };
});
afterAll(() => world?.stop());

const create = (body: object) => world.http.post("/v1/admin/businesses", body, admin);

test("a business reads the same as an admin and as itself, without secrets", async () => {
  const created = dataOf(await create({ name: "Acme", email: "pay@acme.example" }), 201);
  const { id, name, email, createdAt, clientId, clientSecret } = created;
  const view = { id, name, email, createdAt };
  expect(view).toMatchObject({ name: "Acme", email: "pay@acme.example" });
  const toAdmin = await world.http.get(`/v1/admin/businesses/${id}`, admin);
  const own = { token: world.tokens.merchant(id) };
  const toItself = await world.http.get(`/v1/business/${id}`, own);
  for (const answer of [toAdmin, toItself]) {
    expect(answer.body).toEqual({ success: true, data: view });
  }
  const clients = await world.http.get(`/v1/business/${id}/api-clients`, own);
  expect(clients.body.data).toMatchObject([{ id: clientId, disabled: false }]);
  expect(clients.text).not.toContain(clientSecret);
});

test("an admin lists all businesses, oldest first, page by page", async () => {
  const before = (await world.http.get("/v1/admin/businesses?limit=1", admin)).body.meta.total;
  const made: string[] = [];
  for (let i = 0; i < 3; i += 1) made.push((await world.business()).id);
  const total = before + made.length;
  const ids: string[] = [];
  for (let page = 1; page <= total; page += 1) {
    const { body } = await world.http.get(`/v1/admin/businesses?limit=1&page=${page}`, admin);
    expect(body.meta).toEqual({ page, pageSize: 1, pageCount: total, total });
    ids.push(body.data[0].id);
  }
  expect(ids.slice(before)).toEqual(made);
  expect(new Set(ids).size).toBe(total);
});

test("an unknown business and another business are not found", async () => {
  const other = await world.business();
  const user = await world.user(mine);
  for (const id of [newId(), "no-uuid", user.id]) {
    const { status, body } = await world.http.get(`/v1/admin/businesses/${id}`, admin);
    expect([status, body.message]).toEqual([404, "Business not found"]);
  }
  for (const id of [newId(), "no-uuid", other.id, user.id]) {
    const { status, body } = await world.http.get(`/v1/business/${id}`, { token: mine.token });
    expect([status, body.message]).toEqual([404, "Business not found"]);
  }
});

test("an end user is shown only to its business", async () => {
  const other = await world.business();
  const path = `/v1/business/${mine.id}/entities`;
  const body = { email: "ada@users.test", externalIdentifier: "customer-1" };
  const created = dataOf(await world.http.post(path, body, { token: mine.token }), 201);
  const shown = await world.http.get(`${path}/${created.id}`, { token: mine.token });
  expect(shown.body).toEqual({ success: true, data: created });
  const found = await world.http.get(`${path}?externalId=customer-1`, { token: mine.token });
  expect(found.body.data).toEqual([created]);

  const theirs = await world.user(other);
  for (const id of [theirs.id, other.id, newId(), "no-uuid"]) {
    const { status, body: refusal } = await world.http.get(`${path}/${id}`, { token: mine.token });
    expect([status, refusal.message]).toEqual([404, "Entity not found"]);
  }
});

test.each(["api_clients", "entities"])(
  "a creation that fails at %s leaves no business, and no business lacks a client",
  async (collection) => {
    const url = world.config.mongoUrl as string;
    const database = await mongoose.createConnection(url).asPromise();
    try {
      await database.db?.command({ collMod: collection, validator: { never: true } });
      const { status } = await create({ name: "Cut off", email: "cut@off.test" });
      expect(status).toBe(500);
      await database.db?.command({ collMod: collection, validator: {} });

      const entities = database.collection("entities");
      expect(await entities.distinct("name")).not.toContain("Cut off");
      const businesses = await entities.distinct("_id", { entityType: "BUSINESS" });
      const withClients = await database.collection("api_clients").distinct("businessId");
      expect(withClients).toEqual(expect.arrayContaining(businesses));
      expect((await create({ name: "Whole", email: "whole@shop.test" })).status).toBe(201);
    } finally {
      await database.close();
    }
  },
);

test("every list is answered by an index", async () => {
  for (let i = 0; i < 10; i += 1) await world.user(mine, { externalIdentifier: `listed-${i}` });
  const url = world.config.mongoUrl as string;
  const database = await mongoose.createConnection(url).asPromise();
  try {
    const entities = database.collection("entities");
    const clients = database.collection("api_clients");
    const queries = [
      entities.find({ entityType: "BUSINESS" }).sort({ _id: 1 }),
      entities.find({ businessId: mine.id, entityType: "USER" }).sort({ _id: 1 }),
      entities
        .find({ businessId: mine.id, entityType: "USER", externalIdentifier: "listed-9" })
        .sort({ _id: 1 }),
      clients.find({ businessId: mine.id }).sort({ _id: 1 }),
    ];
    for (const query of queries) {
      const { executionStats, queryPlanner } = await query.limit(50).explain("executionStats");
      expect(JSON.stringify(queryPlanner.winningPlan)).not.toMatch(/COLLSCAN/);
      expect(executionStats.totalDocsExamined).toBe(executionStats.nReturned);
    }
  } finally {
    await database.close();
  }
});
