// The addresses from which an API client may be used: at the token endpoint, and for its tokens and
// its end users' tokens at every gateway, within five seconds.

import { randomUUID } from "node:crypto";
import mongoose from "mongoose";
import { rangesOf, readRange } from "../../shared/security/address-ranges.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

const WITHIN_MS = 5_000;
const INSIDE = "203.0.113.7";
const OUTSIDE = "198.51.100.1";

let world: World;
let business: TestBusiness;
beforeAll(async () => {
  world = await startWorld({ environment: { TRUST_PROXY: "127.0.0.1,::1" } });
  business = await world.business();
});
afterAll(() => world?.stop());

const clientsOf = ({ id }: TestBusiness) => `/v1/business/${id}/api-clients`;

interface Client {
  id: string;
  clientSecret: string;
}

async function newClient(allowedAddresses: string[]): Promise<Client> {
  const { token } = business;
  return dataOf(await world.http.post(clientsOf(business), { allowedAddresses }, { token }), 201);
}

const change = (client: Client, body: object) =>
  world.http.patch(`${clientsOf(business)}/${client.id}`, body, { token: business.token });

const from = (address: string) => ({ "x-forwarded-for": address });

function ask({ id, clientSecret }: Client, address: string, more: object = {}) {
  const body = { grant_type: "client_credentials", client_id: id, client_secret: clientSecret };
  return world.http.post("/v1/oauth/token", { ...body, ...more }, { headers: from(address) });
}
const tokenOf = async (client: Client, address: string, more?: object): Promise<string> =>
  (await ask(client, address, more)).body.access_token;

const use = (token: string, address: string) =>
  world.http.get(`/v1/business/${business.id}`, { token, headers: from(address) });
const statusOf = async (token: string, address: string) => (await use(token, address)).status;

test("tokens are issued to an allowed address only", async () => {
  const client = await newClient(["203.0.113.0/24", "2001:db8:7::/48"]);
  for (const address of [INSIDE, `::ffff:${INSIDE}`, "2001:db8:7:1::9", "[2001:db8:7::1]:443"]) {
    expect([address, (await ask(client, address)).status]).toEqual([address, 200]);
  }
  // More than the wrong secrets that are allowed, because the secret is right.
  for (let i = 0; i < 12; i += 1) {
    const { status, body } = await ask(client, OUTSIDE);
    expect([status, body]).toEqual([401, { error: "invalid_client" }]);
  }
  // The address of a proxy does not stand for one that it could not read.
  for (const address of ["2001:db8:8::1", "203.0.112.255", "unknown"]) {
    expect([address, (await ask(client, address)).status]).toEqual([address, 401]);
  }
});

test("a change holds for earlier tokens, its end users' too, and is lifted by an empty list", async () => {
  const client = await newClient([]);
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 100);
  const bank = await world.bank(business, wallet);
  const own = await tokenOf(client, OUTSIDE);
  const users = await tokenOf(client, OUTSIDE, { subject: user.id });
  expect(await statusOf(own, OUTSIDE)).toBe(200);

  const { data } = (await change(client, { allowedAddresses: [`${INSIDE}/32`] })).body;
  expect(data).toMatchObject({
    id: client.id,
    allowedAddresses: [`${INSIDE}/32`],
    disabled: false,
  });
  const isRefused = async () => (await statusOf(own, OUTSIDE)) === 401;
  await until(isRefused, { within: WITHIN_MS, awaited: "the token to be refused" });
  const { status, body, headers } = await world.http.post(
    `/v1/ext/linked-accounts/USD/${bank.id}/withdrawal`,
    { amount: 1, walletType: "SPEND", reason: "Payout" },
    { token: users, headers: from(OUTSIDE) },
  );
  expect([status, body.message]).toEqual([401, "Unauthorized"]);
  expect(headers["www-authenticate"]).toBe('Bearer error="invalid_token"');
  expect(await statusOf(own, INSIDE)).toBe(200);
  // A token without a client may come from anywhere.
  expect(await statusOf(business.token, OUTSIDE)).toBe(200);

  expect((await change(client, { disabled: false })).body.data.allowedAddresses).toHaveLength(1);
  dataOf(await change(client, { allowedAddresses: [] }), 200);
  const isAllowed = async () => (await statusOf(own, OUTSIDE)) === 200;
  await until(isAllowed, { within: WITHIN_MS, awaited: "the token to be accepted" });
  await world.verifyBooks();
});

test("ranges are shown in their shortest form, each once", async () => {
  const given = [
    "203.0.113.9/24",
    "203.0.113.0/24",
    "192.0.2.1",
    "::ffff:10.1.2.3/104",
    "2001:DB8:0::5/32",
  ];
  const client = await newClient(given);
  const shown = dataOf(
    await world.http.get(`${clientsOf(business)}/${client.id}`, { token: business.token }),
    200,
  );
  expect(shown.allowedAddresses).toEqual([
    "203.0.113.0/24",
    "192.0.2.1/32",
    "10.0.0.0/8",
    "2001:db8::/32",
  ]);
});

test.each([
  [["203.0.113.0/33"], "allowedAddresses[0]"],
  [["192.0.2.1", "example.com"], "allowedAddresses[1]"],
  [["010.0.0.1/8"], "allowedAddresses[0]"],
  [["0x7f.1"], "allowedAddresses[0]"],
  [["fe80::1%eth0"], "allowedAddresses[0]"],
  [["203.0.113.0/24/24"], "allowedAddresses[0]"],
  [["203.0.113.0/"], "allowedAddresses[0]"],
  [[""], "allowedAddresses[0]"],
  [Array.from({ length: 51 }, (_, i) => `192.0.2.${i}`), "allowedAddresses"],
  [null, "allowedAddresses"],
])("%j is refused", async (allowedAddresses, field) => {
  const { token } = business;
  const made = await world.http.post(clientsOf(business), { allowedAddresses }, { token });
  const changed = await change({ id: business.clientId, clientSecret: "" }, { allowedAddresses });
  for (const { status, body } of [made, changed]) {
    expect([status, body.errors[0].field]).toEqual([400, field]);
  }
});

test("a client of a business that has shut itself out is opened by an operator", async () => {
  const shut = await world.business();
  const path = `${clientsOf(shut)}/${shut.clientId}`;
  const { token } = shut;
  dataOf(await world.http.patch(path, { allowedAddresses: ["192.0.2.0/24"] }, { token }), 200);
  const admin = { token: world.tokens.admin(randomUUID()) };
  const of = `/v1/admin/businesses/${shut.id}/api-clients`;
  const client = dataOf(await world.http.post(of, { allowedAddresses: [INSIDE] }, admin), 201);
  expect(client.allowedAddresses).toEqual([`${INSIDE}/32`]);
  expect([(await ask(client, INSIDE)).status, (await ask(client, OUTSIDE)).status]).toEqual([
    200, 401,
  ]);
});

test("a client that an earlier release has stored may be used from any address", async () => {
  const client = await newClient(["192.0.2.0/24"]);
  const database = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
  const clients = database.collection<{ _id: string }>("api_clients");
  await clients.updateOne({ _id: client.id }, { $unset: { allowedAddresses: "" } });
  await database.close();
  expect((await ask(client, OUTSIDE)).status).toBe(200);
});

test.each([
  ["0.0.0.0/0", ["203.0.113.7", "::ffff:203.0.113.7"], ["2001:db8::1"]],
  ["::/0", ["2001:db8::1"], ["203.0.113.7"]],
  ["203.0.113.128/25", ["203.0.113.128", "203.0.113.255"], ["203.0.113.127", "203.0.114.128"]],
  ["::ffff:203.0.113.0/120", ["203.0.113.7", "::ffff:203.0.113.7"], ["203.0.114.7"]],
  ["2001:db8::/127", ["2001:db8::1"], ["2001:db8::2", "unknown", ""]],
])("%s has its own addresses alone", (range, inside, outside) => {
  const isIn = rangesOf([readRange(range) as string]);
  expect([inside.every(isIn), outside.some(isIn)]).toEqual([true, false]);
});
