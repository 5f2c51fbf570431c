// API clients over HTTP: creation, lists, rotated secrets, disabled clients. A secret is shown
// once. A client's tokens stop for good within five seconds after its secret is rotated or it is
// disabled. api-clients.deep.test.ts has tokens of one moment, and a client that is enabled again.

import mongoose from "mongoose";
import { newId } from "../../shared/ids.ts";
import { signToken } from "../../shared/security/jwt.ts";
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
let database: mongoose.Connection;
beforeAll(async () => {
  world = await startWorld();
  database = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
});
beforeEach(async () => {
  business = await world.business();
});
afterAll(async () => {
  await database?.close();
  await world?.stop();
});

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

describe("a client", () => {
  test("is created with a secret that is shown only then, and gets tokens", async () => {
    const created = await newClient({ name: "Back office", scopes: ["external.apis"] });
    const { clientSecret, ...view } = created;
    expect(view).toEqual({
      id: expect.any(String),
      name: "Back office",
      scopes: ["external.apis"],
      allowedAddresses: [],
      disabled: false,
      createdAt: expect.any(String),
      rotatedAt: null,
    });
    expect((await use(await tokenOf(created))).status).toBe(200);

    const shown = await world.http.get(pathOf(created), token());
    expect(shown.body).toEqual({ success: true, data: view });
    const list = await world.http.get(clientsOf(business), token());
    expect(list.text).not.toContain(clientSecret);
    expect(list.text).not.toMatch(/hash/i);
    const stored = await database.collection("api_clients").find().toArray();
    expect(JSON.stringify(stored)).toContain(created.id);
    expect(JSON.stringify(stored)).not.toContain(clientSecret);
  });

  test("needs no name, and has all scopes if the request names none", async () => {
    for (const body of [undefined, {}]) {
      expect(await newClient(body)).toMatchObject({ name: null, scopes: ["external.apis"] });
    }
  });

  test("is listed after the first one, oldest first, page by page", async () => {
    const ids = [business.clientId];
    for (let i = 0; i < 3; i += 1) ids.push((await newClient()).id);
    const pages = await Promise.all(
      [1, 2, 3].map((page) =>
        world.http.get(`${clientsOf(business)}?limit=2&page=${page}`, token()),
      ),
    );
    expect(pages.flatMap(({ body }) => body.data.map(({ id }: Client) => id))).toEqual(ids);
    expect(pages[0]?.body.meta).toEqual({ page: 1, pageSize: 2, pageCount: 2, total: 4 });
  });

  test.each([
    [{ scopes: ["admin"] }, "scopes"],
    [{ scopes: "external.apis" }, "scopes"],
    [{ scopes: [{ $ne: "" }] }, "scopes"],
    [{ name: "" }, "name"],
    [{ name: "a\u0000" }, "name"],
  ])("%j is refused with the field's name, and no client is stored", async (body, field) => {
    const { status, body: refusal } = await world.http.post(clientsOf(business), body, token());
    expect([status, refusal.message]).toEqual([400, expect.stringContaining(field)]);
    const { body: list } = await world.http.get(clientsOf(business), token());
    expect(list.meta.total).toBe(1);
  });

  test("of another business is answered like an unknown one", async () => {
    const other = await world.business();
    for (const id of [other.clientId, newId(), "no-uuid", "$ne"]) {
      const answers = [
        await world.http.get(pathOf({ id }), token()),
        await setDisabled({ id }, true),
        await rotate({ id }),
      ];
      for (const { status, body } of answers) {
        expect([status, body.message]).toEqual([404, "API client not found"]);
      }
    }
    const { clientId, clientSecret } = other;
    expect((await ask({ id: clientId, clientSecret })).status).toBe(200);
  });
});

describe("scopes", () => {
  test("are granted as requested, and all of them to a client with external.apis", async () => {
    const whole = await newClient();
    const narrow = await newClient({ scopes: ["refunds", "webhooks", "refunds"] });
    expect(narrow).toMatchObject({ scopes: ["refunds", "webhooks"] });
    const granted = async (client: Client, scope?: string) => {
      const { body } = await ask(client, scope === undefined ? {} : { scope });
      return body.scope ?? body.error;
    };
    expect(await granted(whole)).toBe("external.apis");
    expect(await granted(whole, "refunds wallets")).toBe("refunds wallets");
    expect(await granted(narrow)).toBe("refunds webhooks");
    expect(await granted(narrow, "refunds")).toBe("refunds");
    for (const more of ["external.apis", "wallets", "refunds wallets", "refund", "external.*"]) {
      expect(await granted(narrow, more)).toBe("invalid_scope");
    }
    expect(await granted(whole, "refund")).toBe("invalid_scope");
  });

  test("outside the client's own are refused, for every subject of the token", async () => {
    const user = await world.user(business);
    const narrow = await newClient({ scopes: [] });
    const refused = await ask(narrow, { scope: "external.apis" });
    expect([refused.status, refused.body]).toEqual([400, { error: "invalid_scope" }]);

    const { status, body } = await ask(narrow);
    expect([status, Object.keys(body).toSorted()]).toEqual([
      200,
      ["access_token", "expires_in", "token_type"],
    ]);
    expect((await use(body.access_token)).status).toBe(200);
    const wallet = await world.wallet(business, user, 100);
    const bank = await world.bank(business, wallet);
    const asUser = await tokenOf(narrow, { subject: user.id });
    const withdrawal = await world.withdraw({ token: asUser }, bank);
    expect(withdrawal.status).toBe(401);
    expect(withdrawal.headers["www-authenticate"]).toContain("insufficient_scope");
    await world.verifyBooks();
  });

  test("cannot be gained through a new client or another client's secret", async () => {
    const narrow = await tokenOf(await newClient({ scopes: [] }));
    const whole = { id: business.clientId };
    const answers = [
      await world.http.post(clientsOf(business), {}, { token: narrow }),
      await world.http.post(`${pathOf(whole)}/rotate-secret`, undefined, { token: narrow }),
      await world.http.patch(pathOf(whole), { disabled: true }, { token: narrow }),
    ];
    for (const { status, headers } of answers) {
      expect(status).toBe(401);
      expect(headers["www-authenticate"]).toContain("insufficient_scope");
    }
    expect((await world.http.get(pathOf(whole), { token: narrow })).status).toBe(200);
  });
});

describe("a rotated secret", () => {
  test("replaces the previous one at once, and ends its tokens", async () => {
    const user = await world.user(business);
    const before = await newClient();
    const own = await tokenOf(before);
    const users = await tokenOf(before, { subject: user.id });
    // After this request the gateway has the client in its memory.
    expect((await use(own)).status).toBe(200);
    const after = dataOf(await rotate(before), 200);
    expect(after).toMatchObject({ id: before.id, rotatedAt: expect.any(String) });
    expect(after.clientSecret).not.toBe(before.clientSecret);

    expect((await ask(before)).body).toEqual({ error: "invalid_client" });
    expect((await ask(after)).status).toBe(200);
    await untilRefused(own);
    const ofUser = await world.http.get("/v1/ext/linked-accounts/USD", { token: users });
    expect([ofUser.status, ofUser.headers["www-authenticate"]]).toEqual([
      401,
      'Bearer error="invalid_token"',
    ]);
    expect((await use(await tokenOf(after))).status).toBe(200);
    // The business's other tokens do not belong to the client, so they stay valid.
    expect((await use(business.token)).status).toBe(200);
    const shown = await world.http.get(pathOf(before), token());
    expect(shown.body.data.rotatedAt).toBe(after.rotatedAt);
    expect(shown.text).not.toContain(after.clientSecret);
  });

  test("of a disabled client does not enable it, and enabling it restores no token", async () => {
    const client = await newClient();
    const old = await tokenOf(client);
    await setDisabled(client, true);
    const after = dataOf(await rotate(client), 200);
    expect(after.disabled).toBe(true);
    expect((await ask(after)).body).toEqual({ error: "invalid_client" });
    dataOf(await setDisabled(client, false), 200);
    await untilRefused(old);
    expect((await use(await tokenOf(after))).status).toBe(200);
  });

  test("of many concurrent rotations is in only one answer", async () => {
    const client = await newClient();
    const answers = await Promise.all(Array.from({ length: 5 }, () => rotate(client)));
    const granted = await Promise.all(answers.map((answer) => ask(dataOf(answer, 200))));
    expect(granted.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe("a disabled client", () => {
  test("gets no tokens, and its tokens and its users' tokens stop in time", async () => {
    const user = await world.user(business);
    const wallet = await world.wallet(business, user, 100);
    const bank = await world.bank(business, wallet);
    const client = await newClient();
    const own = await tokenOf(client);
    const users = await tokenOf(client, { subject: user.id });
    expect((await world.withdraw({ token: users }, bank)).status).toBe(200);
    expect((await use(own)).status).toBe(200);

    const { body } = await setDisabled(client, true);
    expect(body.data).toMatchObject({ id: client.id, disabled: true });
    expect((await ask(client)).body).toEqual({ error: "invalid_client" });
    await untilRefused(own);
    const refused = await world.withdraw({ token: users }, bank);
    expect([refused.status, refused.body.message]).toEqual([401, "Unauthorized"]);
    expect(refused.headers["www-authenticate"]).toBe('Bearer error="invalid_token"');
    // The business's other tokens do not belong to the client.
    expect((await use(business.token)).status).toBe(200);
    await world.verifyBooks();
  });

  test("may be the last one: an admin creates another", async () => {
    dataOf(await setDisabled({ id: business.clientId }, true), 200);
    const path = `/v1/admin/businesses/${business.id}/api-clients`;
    const admin = { token: world.tokens.admin(newId()) };
    const client = dataOf(await world.http.post(path, {}, admin), 201);
    expect((await ask(client)).status).toBe(200);
    const nowhere = `/v1/admin/businesses/${newId()}/api-clients`;
    const { status, body } = await world.http.post(nowhere, {}, admin);
    expect([status, body.message]).toEqual([404, "Business not found"]);
  });

  test("is not limited while it sends its right secret", async () => {
    const client = await newClient();
    await setDisabled(client, true);
    for (let i = 0; i < 15; i += 1) expect((await ask(client)).status).toBe(401);
    await setDisabled(client, false);
    expect((await ask(client)).status).toBe(200);
  });
});

test("a token of an unknown client, from another issuer, stays valid", async () => {
  const grant = { sub: business.id, role: "merchant", scope: "", expiresInS: 60 } as const;
  expect(
    (await use(signToken(world.config, { ...grant, client: { id: newId(), tokensFromS: 0 } })))
      .status,
  ).toBe(200);
});
