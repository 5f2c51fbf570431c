// Ids are read in any case and are lower case inside and out, generated from the table of routes:
// in paths, bodies, queries, cursors, tokens and Idempotency-Keys.

import { randomUUID } from "node:crypto";
import type { Route } from "../../services/gateway/http/route.ts";
import { checker } from "../../shared/contracts/checker.ts";
import { contracts } from "../../shared/contracts/contracts.ts";
import type { Field } from "../../shared/contracts/field.ts";
import { type Changes, named, sendSample, TABLE } from "../support/sampled-routes.ts";
import { makeThings, type Sample, samplesOf, type Things } from "../support/samples.ts";
import { served } from "../support/system.ts";
import { startWorld, type World } from "../support/world.ts";

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** Texts of the merchant and tokens stay as they are; only ids change their case. */
const upper = (text: string) => text.replaceAll(UUID, (id) => id.toUpperCase());
const isId = (field: Field | undefined) => field?.schema.format === "uuid";

let world: World;
let things: Things;
let samples: Record<string, Sample>;
beforeAll(async () => {
  world = await startWorld({ erasesAtOnce: true });
  things = await makeThings(world);
  samples = samplesOf(world, things);
});
afterAll(() => world?.stop());

const sampleOf = ({ name }: Route) => samples[name] as Sample;
const send = (route: Route, changes?: Changes) =>
  served(() => sendSample(world, route, sampleOf(route), changes));

function inUpperCase(values: Record<string, unknown>, isUpper: (name: string) => boolean) {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "string" && isUpper(name) ? upper(value) : value,
    ]),
  );
}

/** An answer without the moment at which it was made: its time, and a signature over it. */
const timeless = (body: unknown) =>
  JSON.parse(JSON.stringify(body), (name, value) =>
    name === "head" || name === "timestamp" ? null : value,
  );

const idsInPath = ({ inPath, contract }: Route) =>
  inPath.filter((name) => isId(contract.params[name]));
const readings = TABLE.filter((route) => route.method === "GET" && idsInPath(route).length > 0);

test.each(named(readings))(
  "%s answers the same to each id of its path in upper case",
  async (_, route) => {
    const { path } = sampleOf(route);
    const lower = await send(route);
    expect(lower.status).toBe(sampleOf(route).status);
    for (const id of idsInPath(route)) {
      const changed = inUpperCase(path, (name) => name === id) as Record<string, string>;
      expect(changed).not.toEqual(path);
      const { status, body } = await send(route, { path: changed });
      expect([id, status, timeless(body)]).toEqual([id, lower.status, timeless(lower.body)]);
    }
  },
);

/** An id that some list of the filter has. */
function valuesOf(filter: string): string[] {
  const { business, user, ownWalletId, bank, webhookId } = things;
  const { payoutId, paymentId, linkId, subscriptionId } = things;
  const known: Record<string, string[]> = {
    businessId: [business.id],
    entityId: [user.id, business.id],
    walletId: [ownWalletId],
    linkedAccountId: [bank.id],
    paymentLinkId: [linkId],
    subscriptionId: [subscriptionId],
    transactionId: [payoutId, paymentId],
    endpointId: [webhookId],
    subjectId: [webhookId],
  };
  return known[filter] ?? [randomUUID()];
}

const filtered = TABLE.flatMap((route) =>
  route.inQuery
    .filter((name) => isId(route.contract.params[name]))
    .map((name): [string, string, Route] => [route.name, name, route]),
);

test.each(filtered)("%s finds by %s in any case", async (_, filter, route) => {
  for (const id of valuesOf(filter)) {
    const [lower, other] = [
      await send(route, { query: `${filter}=${id}` }),
      await send(route, { query: `${filter}=${id.toUpperCase()}` }),
    ];
    expect([lower.status, other.status]).toEqual([200, 200]);
    expect(other.body).toEqual(lower.body);
  }
});

test("a list that has matches has them for an id in upper case", async () => {
  const list = TABLE.find(({ name }) => name === "listPayments") as Route;
  const { body } = await send(list, { query: `paymentLinkId=${things.linkId.toUpperCase()}` });
  expect(body.data.map(({ id }: { id: string }) => id)).toContain(things.paymentId);
});

const byCursor = TABLE.filter(({ inQuery }) => inQuery.includes("cursor"));

test.each(named(byCursor))("%s goes on at a cursor in upper case", async (_, route) => {
  const newest = route.inQuery.includes("order") ? "&order=newest" : "";
  const first = await send(route, { query: `limit=1${newest}` });
  const cursor = first.body.meta.nextCursor as string | null;
  if (cursor === null) return;
  const at = (given: string) => send(route, { query: `limit=1${newest}&cursor=${given}` });
  const [lower, other] = [await at(cursor), await at(upper(cursor))];
  expect([other.status, other.body]).toEqual([200, lower.body]);
});

test("a token whose sub is in upper case is the same caller", async () => {
  const { business, user, bank } = things;
  const merchant = world.tokens.merchant(business.id.toUpperCase());
  const own = await world.http.get(`/v1/business/${business.id}`, { token: merchant });
  expect([own.status, own.body.data.id]).toEqual([200, business.id]);
  const list = `/v1/ext/withdrawals?linkedAccountId=${bank.id}`;
  const mine = await world.http.get(list, { token: user.token });
  const token = world.tokens.user(user.id.toUpperCase());
  expect((await world.http.get(list, { token })).body).toEqual(mine.body);
});

test("an Idempotency-Key belongs to the request, in whatever case its ids are written", async () => {
  const { business, user } = things;
  const key = { "idempotency-key": randomUUID() };
  const open = (businessId: string, entityId: string) =>
    world.http.post(
      `/v1/business/${businessId}/application-tokens`,
      {
        tokenType: "ACCOUNT",
        entityId,
        currency: "USD",
        expiredAt: "2999-01-01T00:00:00.000Z",
      },
      { token: business.token, headers: key },
    );
  const first = await open(business.id, user.id);
  expect(first.status).toBe(201);
  const again = await open(business.id.toUpperCase(), user.id.toUpperCase());
  expect([again.status, again.body.data]).toEqual([201, first.body.data]);
});

test("an Idempotency-Key in a path counts as it was written, also if it looks like an id", async () => {
  const link = await world.paymentLink(things.business);
  const key = randomUUID().toUpperCase();
  const paid = await world.pay(link, things.cardToken, {}, { "idempotency-key": key });
  const attempt = (given: string) => world.http.get(`/v1/checkout/${link.token}/attempts/${given}`);
  expect((await attempt(key)).body.data.payment.id).toBe(paid.body.data.id);
  expect((await attempt(key.toLowerCase())).status).toBe(404);
});

test("an internal caller's ids are read in any case", () => {
  const id = randomUUID();
  for (const [name, { params }] of Object.entries(contracts)) {
    for (const [param, field] of Object.entries(params as Record<string, Field>)) {
      if (!isId(field)) continue;
      const read = checker({ [param]: field })({ [param]: id.toUpperCase() });
      expect([name, read]).toEqual([name, { [param]: id }]);
    }
  }
});

const changing = TABLE.filter((route) => {
  const inBody = Object.values(route.body ?? {}).some(isId);
  return route.method !== "GET" && (inBody || idsInPath(route).length > 0);
});

/** The last test, and in the order of the samples, because some of them remove an object. */
test("every change takes its ids in upper case, and answers with ids in lower case", async () => {
  const order = Object.keys(samples);
  for (const route of changing.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name))) {
    const sample = sampleOf(route);
    const path = inUpperCase(sample.path, () => true) as Record<string, string>;
    const body = sample.body && inUpperCase(sample.body, (name) => isId(route.body?.[name]));
    const answer = await send(route, { path, ...(body && { body }) });
    expect([route.name, answer.status]).toEqual([route.name, sample.status]);
    const ids = JSON.stringify(answer.body).match(new RegExp(UUID, "gi")) ?? [];
    expect([route.name, ids]).toEqual([route.name, ids.map((id) => id.toLowerCase())]);
  }
});
