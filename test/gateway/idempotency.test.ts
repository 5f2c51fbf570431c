// Every POST of an authorized caller keeps its first answer under the Idempotency-Key, also after
// its process died before the answer was stored (docs/integrate/rest-api.md, Idempotency keys).

import { randomUUID } from "node:crypto";
import { takesKey } from "../../services/gateway/http/idempotency.ts";
import type { Route } from "../../services/gateway/http/route.ts";
import type { MetaPart } from "../../shared/contracts/contract.ts";
import { type Keyed, openKeyed } from "../support/keyed.ts";
import { sendSample, TABLE } from "../support/sampled-routes.ts";
import { makeThings, type Sample, samplesOf, type Things } from "../support/samples.ts";
import { type Stored, settledStored } from "../support/stored.ts";
import { dataOf, linkBody, startWorld, type TestBusiness, type World } from "../support/world.ts";

/** The key of a request for a payout is a field of the payout (test/payouts). */
const OF_PAYOUTS = ["createWithdrawal", "createPayout"];
const routes = TABLE.filter((route) => takesKey(route) && !OF_PAYOUTS.includes(route.name));

let world: World;
let keyed: Keyed;
let things: Things;
let samples: Record<string, Sample>;

beforeAll(async () => {
  // The lost answers of the first tests are errors of the log.
  world = await startWorld({ erasesAtOnce: true, environment: { LOG_LEVEL: "fatal" } });
  things = await makeThings(world);
  samples = samplesOf(world, things);
  keyed = await openKeyed(world);
});
afterAll(async () => {
  await keyed?.close();
  await world?.stop();
});
const withKey = (key: string) => ({ headers: { "idempotency-key": key } });

function send(route: Route, key: string, changes: Partial<Sample> = {}) {
  const sample = samples[route.name] as Sample;
  return sendSample(world, route, sample, { ...changes, options: withKey(key) });
}

test("every POST of a caller reads the key, and all but withdrawals keep their answers", () => {
  const reading = (part: MetaPart) =>
    TABLE.filter(({ contract }) => contract.meta.includes(part)).map(({ name }) => name);
  expect(reading("creation").toSorted()).toEqual(routes.map(({ name }) => name).toSorted());
  expect(reading("idempotency")).toEqual(OF_PAYOUTS);
});

describe("after a process died before it stored the answer", () => {
  const key = randomUUID();
  let made: Record<string, number>;

  /** The number of documents of each collection. */
  const counts = (stored: Stored) =>
    Object.fromEntries(Object.entries(stored).map(([name, list]) => [name, list.length]));

  beforeAll(async () => {
    await keyed.loseAnswers();
    const statuses = new Map<string, number>();
    for (const route of routes) statuses.set(route.name, (await send(route, key)).status);
    await keyed.keepAnswers();
    expect([...statuses].filter(([, status]) => status !== 500)).toEqual([]);
    made = counts(await settledStored(world));
  });

  test("a repeated POST is under way until the lease passes", async () => {
    for (const route of routes) {
      const { status, body, headers } = await send(route, key);
      expect([route.name, status, body.message, headers["retry-after"]]).toEqual([
        route.name,
        409,
        "A request with this Idempotency-Key is under way",
        "1",
      ]);
    }
  });

  test("every POST makes its thing once and gives its answer again", async () => {
    await keyed.passLeases();
    for (const route of routes) {
      const { status, body } = samples[route.name] as Sample;
      const first = await send(route, key);
      expect([route.name, first.status]).toEqual([route.name, status]);
      const second = await send(route, key);
      // Each answer has the id of its own request.
      const { requestId } = second.body;
      const expected = requestId === undefined ? first.body : { ...first.body, requestId };
      expect([route.name, second.status, second.body]).toEqual([route.name, status, expected]);
      const other = await send(route, key, { body: { ...body, another: true } });
      expect([route.name, other.status]).toEqual([route.name, 422]);
    }
    expect(counts(await settledStored(world))).toEqual(made);
    await world.verifyBooks();
  });
});

const clients = (business: TestBusiness) => `/v1/business/${business.id}/api-clients`;

function createClient(business: TestBusiness, key: string, body: object = { name: "Office" }) {
  return world.http.post(clients(business), body, { token: business.token, ...withKey(key) });
}

async function countClients(business: TestBusiness): Promise<number> {
  const { token } = business;
  return (await world.http.get(clients(business), { token })).body.meta.total;
}

test("of ten requests with one key one is done, and the others have its answer or none", async () => {
  const business = await world.business();
  const key = randomUUID();
  const race = Array.from({ length: 10 }, () => createClient(business, key));
  const answers = await Promise.all(race);
  const [created, ...equal] = answers.filter(({ status }) => status === 201);
  expect(equal.every(({ text }) => text === created?.text)).toBe(true);
  expect(answers.filter(({ status }) => status !== 201).every(({ status }) => status === 409)).toBe(
    true,
  );
  expect((await createClient(business, key)).text).toBe(created?.text);
  expect(await countClients(business)).toBe(2);
});

test("a key belongs to its caller and its route", async () => {
  const [one, other] = [await world.business(), await world.business()];
  const key = randomUUID();
  const ids = [
    dataOf(await createClient(one, key), 201).id,
    dataOf(await createClient(other, key), 201).id,
    dataOf(
      await world.http.post(
        `/v1/admin/businesses/${one.id}/api-clients`,
        { name: "Office" },
        { token: world.tokens.admin(one.id), ...withKey(key) },
      ),
      201,
    ).id,
  ];
  expect(new Set(ids).size).toBe(3);
});

test("the order of a body's fields does not matter, its values do", async () => {
  const business = await world.business();
  const key = randomUUID();
  const body = { name: "Office", scopes: ["refunds"] };
  const first = await createClient(business, key, body);
  const turned = await createClient(business, key, { scopes: ["refunds"], name: "Office" });
  expect([turned.status, turned.text]).toEqual([201, first.text]);
  const { status, body: refused } = await createClient(business, key, { ...body, name: "Home" });
  expect([status, refused.message]).toEqual([
    422,
    "The Idempotency-Key was used with another body",
  ]);
});

test("a refusal that created nothing frees the key", async () => {
  const business = await world.business();
  const key = randomUUID();
  expect((await createClient(business, key, { name: 7 })).status).toBe(400);
  const missing = `${clients(business)}/${randomUUID()}/rotate-secret`;
  const options = { token: business.token, ...withKey(key) };
  expect((await world.http.post(missing, {}, options)).status).toBe(404);
  expect((await world.http.post(missing, { another: true }, options)).status).toBe(404);
  expect((await createClient(business, key)).status).toBe(201);

  const link = "/v1/ext/collections/payment-link";
  expect((await world.http.post(link, linkBody({ amount: 0 }), options)).status).toBe(400);
  await world.collectionAccount(business);
  expect((await world.http.post(link, linkBody(), options)).status).toBe(200);
});

test("a decline is the answer, also after its cause has gone", async () => {
  const business = await world.business();
  const create = (key: string) =>
    world.http.post("/v1/ext/collections/payment-link", linkBody(), {
      token: business.token,
      ...withKey(key),
    });
  const declined = await create("declined");
  expect([declined.status, declined.body.message]).toEqual([
    400,
    "No collection account for the business and currency",
  ]);
  await world.collectionAccount(business);
  const again = await create("declined");
  expect([again.status, again.body.message]).toEqual([400, declined.body.message]);
  expect((await create("another")).status).toBe(200);
});

test.each([
  ["empty", ""],
  ["with a space", "a b"],
  ["too long", "k".repeat(256)],
  ["of other letters", "\u00fcber"],
  ["repeated", ["one", "two"]],
])("a key that is %s is a 400", async (_name, key) => {
  const business = await world.business();
  const headers = { "idempotency-key": key };
  const { token } = business;
  const answer = await world.http.post(clients(business), { name: "Office" }, { token, headers });
  expect([answer.status, answer.body.message]).toEqual([
    400,
    "Idempotency-Key must be 1 to 255 visible ASCII characters",
  ]);
  expect(await countClients(business)).toBe(1);
});

test.each([["$where"], ["__proto__"], ["k".repeat(255)], ["';DROP--"], ['{"$ne":1}']])(
  "the key %s is a key as any other",
  async (key) => {
    const business = await world.business();
    const first = await createClient(business, key);
    expect([first.status, (await createClient(business, key)).text]).toEqual([201, first.text]);
  },
);

test("a key on a route without a caller says nothing", async () => {
  const create = () =>
    world.http.post("/v1/oauth/token", samples.createToken?.body, withKey("token"));
  const [one, other] = [await create(), await create()];
  expect([one.status, other.status]).toEqual([200, 200]);
});
