// API clients over HTTP: tokens of two secrets that were issued at one moment, and the tokens of a
// client that is enabled again.

import type { Answer } from "../support/http.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

/** The bound that accounts.updateClient and accounts.rotateClientSecret promise. */
const STOPS_WITHIN_MS = 5_000;

interface Client {
  id: string;
  clientSecret: string;
}

let world: World;
let business: TestBusiness;
beforeAll(async () => {
  world = await startWorld();
  business = await world.business();
});
afterAll(() => world?.stop());

const clientsOf = ({ id }: TestBusiness) => `/v1/business/${id}/api-clients`;
const token = () => ({ token: business.token });
const pathOf = ({ id }: { id: string }) => `${clientsOf(business)}/${id}`;

async function newClient(body?: object): Promise<Client> {
  return dataOf(await world.http.post(clientsOf(business), body, token()), 201);
}
const setDisabled = (client: { id: string }, disabled: boolean) =>
  world.http.patch(pathOf(client), { disabled }, token());
const rotate = (client: { id: string }) =>
  world.http.post(`${pathOf(client)}/rotate-secret`, undefined, token());

const ask = ({ id, clientSecret }: Client, more: object = {}): Promise<Answer> =>
  world.http.post("/v1/oauth/token", {
    grant_type: "client_credentials",
    client_id: id,
    client_secret: clientSecret,
    ...more,
  });
const tokenOf = async (client: Client, more?: object): Promise<string> =>
  (await ask(client, more)).body.access_token;
const use = (own: string) => world.http.get(`/v1/business/${business.id}`, { token: own });

async function untilRefused(own: string): Promise<void> {
  const isRefused = async () => (await use(own)).status === 401;
  await until(isRefused, { within: STOPS_WITHIN_MS, awaited: "the token to be refused" });
}

describe("a rotated secret", () => {
  test("ends all tokens of the previous one, also those issued at that moment", async () => {
    const client = await newClient();
    // Ten requests stay below the limit of wrong secrets. Above it the right secret is refused too.
    const asked = Array.from({ length: 10 }, (_, i) => (i === 5 ? rotate(client) : ask(client)));
    const answers = await Promise.all(asked);
    const after = dataOf(answers[5] as Answer, 200);
    const issued = answers.filter(({ body }) => body.access_token !== undefined);
    for (const { body } of issued) await untilRefused(body.access_token);
    // A second rotation within the same second ends the tokens of the secret in between too.
    const between = await tokenOf(after);
    const last = dataOf(await rotate(client), 200);
    await untilRefused(between);
    expect((await use(await tokenOf(last))).status).toBe(200);
  });
});

describe("a disabled client", () => {
  test("gets new tokens after it is enabled; its old ones stay refused", async () => {
    const client = await newClient();
    const old = await tokenOf(client);
    await setDisabled(client, true);
    await untilRefused(old);
    dataOf(await setDisabled(client, false), 200);
    const fresh = await tokenOf(client);
    await until(async () => (await use(fresh)).status === 200, {
      awaited: "the new token to work",
    });
    expect((await use(old)).status).toBe(401);
    // An enabled client that is enabled again keeps its tokens.
    const goodFrom = () => world.call("accounts.tokensFrom", { clientIds: [client.id] });
    const before = await goodFrom();
    dataOf(await setDisabled(client, false), 200);
    expect(await goodFrom()).toEqual(before);
  });
});
