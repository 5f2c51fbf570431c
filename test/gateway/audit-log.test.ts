// The audit log: each change of an operator is recorded before it is made, with its outcome
// afterwards; without the record it is not made.

import { randomUUID } from "node:crypto";
import mongoose from "mongoose";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

let world: World;
let stored: mongoose.Connection;
beforeAll(async () => {
  world = await startWorld();
  stored = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
});
afterAll(async () => {
  await stored?.close();
  await world?.stop();
});

const LOG = "/v1/admin/audit-log";
const NEW = { name: "Acme", email: "payments@acme.example" };

/** An operator with a token. */
function operator() {
  const sub = randomUUID();
  return { sub, token: world.tokens.admin(sub) };
}

async function logOf({ sub, token }: { sub: string; token: string }, query = "") {
  return dataOf(await world.http.get(`${LOG}?by=${sub}${query}`, { token }), 200);
}

test("a change is recorded with who, what and from where, and with its outcome", async () => {
  const admin = operator();
  const made = await world.http.post("/v1/admin/businesses", NEW, { token: admin.token });
  const { id } = dataOf(made, 201);
  const [entry, ...others] = await logOf(admin);
  expect(others).toEqual([]);
  expect(entry).toEqual({
    id: expect.any(String),
    at: expect.any(String),
    by: admin.sub,
    action: "createBusiness",
    businessId: null,
    subjectId: id,
    request: NEW,
    address: "127.0.0.1",
    requestId: made.headers["x-request-id"],
    status: 201,
  });
  expect(Math.abs(Date.parse(entry.at) - Date.now())).toBeLessThan(60_000);
});

test("a refused change is recorded too, with what is known of its body", async () => {
  const admin = operator();
  const path = `/v1/admin/transactions/${randomUUID()}/resolve`;
  const note = "Asked the bank";
  const bodies: object[] = [
    { outcome: "SUCCESS", note },
    { outcome: "MAYBE", pad: "x".repeat(10_000) },
    { $where: "1", "a.b": { $ne: null }, note: { $ne: "\u202e\u0000" } },
  ];
  for (const body of bodies) await world.http.post(path, body, { token: admin.token });
  const entries = await logOf(admin);
  expect(entries.map(({ status }: { status: number }) => status)).toEqual([400, 400, 404]);
  expect(entries.map(({ request }: { request: unknown }) => request).toReversed()).toEqual([
    { outcome: "SUCCESS", note },
    { outcome: "MAYBE" },
    { note: { $ne: "\u202e\u0000" } },
  ]);
  const [{ subjectId, action }] = entries;
  expect([subjectId, action]).toEqual([path.split("/")[4], "resolveTransaction"]);
});

test("of a long value the beginning is recorded, also if the change is made", async () => {
  const admin = operator();
  const name = `Acme${" ".repeat(9_000)}`;
  const made = await world.http.post("/v1/admin/businesses", { ...NEW, name }, admin);
  expect(dataOf(made, 201).name).toBe("Acme");
  const [{ request, status }] = await logOf(admin);
  expect(status).toBe(201);
  expect(request.email).toBe(NEW.email);
  expect(request.name).toMatch(/^"Acme +…$/);
  expect(request.name.length).toBeLessThan(3_000);
});

test("a change of something that cannot exist is recorded under its id", async () => {
  const admin = operator();
  for (const id of ["%00", "$ne", "x".repeat(500)]) {
    const path = `/v1/admin/businesses/${id}/api-clients`;
    expect((await world.http.post(path, {}, { token: admin.token })).status).toBe(404);
  }
  const entries = await logOf(admin);
  expect(entries.map(({ businessId }: { businessId: string }) => businessId)).toEqual([
    "x".repeat(64),
    "$ne",
    "\u0000",
  ]);
});

test("reads, and the changes of merchants and users, are not recorded", async () => {
  const before = await stored.collection("audit_log").countDocuments();
  const admin = operator();
  const business = await world.business();
  const user = await world.user(business);
  await world.http.get("/v1/admin/businesses", { token: admin.token });
  await world.http.post(`/v1/business/${business.id}/api-clients`, {}, { token: business.token });
  await world.http.get("/v1/ext/wallets", { token: user.token });
  // The business itself is made by an admin.
  expect(await stored.collection("audit_log").countDocuments()).toBe(before + 1);
});

test("is listed page by page, by business, by thing and by operator, for operators alone", async () => {
  const [one, other] = [operator(), operator()];
  const business = await world.business();
  const path = `/v1/admin/businesses/${business.id}/api-clients`;
  for (const { token } of [one, other, one]) await world.http.post(path, {}, { token });
  const pages: { by: string; id: string }[][] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const query = `?businessId=${business.id}&limit=2${cursor && `&cursor=${cursor}`}`;
    const { body } = await world.http.get(`${LOG}${query}`, { token: one.token });
    pages.push(body.data);
    cursor = body.meta.nextCursor;
  }
  expect(pages.map((page) => page.map(({ by }) => by))).toEqual([[one.sub, other.sub], [one.sub]]);
  expect(await logOf(one)).toHaveLength(2);
  const [, theirs] = pages.flat();
  const client = (await logOf(other))[0].subjectId;
  const found = await world.http.get(`${LOG}?subjectId=${client}`, { token: one.token });
  expect(dataOf(found, 200).map(({ id }: { id: string }) => id)).toEqual([theirs?.id]);
  for (const token of [business.token, (await world.user(business)).token]) {
    expect((await world.http.get(LOG, { token })).status).toBe(401);
  }
});

test("a change that cannot be recorded is not made", async () => {
  const admin = operator();
  const clients = stored.collection("api_clients");
  const business = await world.business();
  const before = await clients.countDocuments({ businessId: business.id });
  await stored.db?.command({
    collMod: "audit_log",
    validator: { by: { $ne: admin.sub } },
    validationLevel: "strict",
  });
  const path = `/v1/admin/businesses/${business.id}/api-clients`;
  const refused = await world.http.post(path, {}, { token: admin.token });
  expect(refused.status).toBe(503);
  expect(await clients.countDocuments({ businessId: business.id })).toBe(before);
  await stored.db?.command({ collMod: "audit_log", validator: {} });
  const made = await world.http.post(path, {}, { token: admin.token });
  expect(made.status).toBe(201);
  await until(async () => (await logOf(admin)).length === 1);
});

test("an operator's reading of whole account numbers is recorded, and a merchant's is not", async () => {
  const admin = operator();
  const business = await world.business();
  const path = `/v1/business/${business.id}/linked-accounts/USD`;
  dataOf(await world.http.get(path, { token: business.token }), 200);
  dataOf(await world.http.get(`${path}?last4=6789`, { token: admin.token }), 200);
  dataOf(await world.http.get("/v1/admin/businesses", { token: admin.token }), 200);
  expect(await logOf(admin)).toMatchObject([
    {
      action: "listLinkedAccounts",
      businessId: business.id,
      subjectId: business.id,
      request: { currency: "USD", last4: "6789" },
      status: 200,
    },
  ]);
});
