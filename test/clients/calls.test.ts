// Calls of the client against a real payrail behind a proxy that cuts, delays and refuses: money
// moves once, errors tell whether a request may have been executed, and tokens are shared and
// renewed. calls.deep.test.ts loses the answers of every other kind of call.

import { randomUUID } from "node:crypto";
import { Payrail, PayrailError } from "../../clients/typescript/src/index.ts";
import { type CuttingProxy, startCuttingProxy } from "../support/cutting-proxy.ts";
import { startWorld, type TestBusiness, type World } from "../support/world.ts";

let world: World;
let proxy: CuttingProxy;
let business: TestBusiness;
let payrail: Payrail;

beforeAll(async () => {
  world = await startWorld({ environment: { WITHDRAWAL_LIMIT: "1/60s" } });
  proxy = await startCuttingProxy(world.http.url);
  business = await world.business();
  payrail = clientOf();
});
afterAll(async () => {
  proxy?.stop();
  await world?.stop();
});
beforeEach(() => {
  proxy.faults.length = 0;
  proxy.seen.length = 0;
});

function clientOf(options: { fetch?: typeof fetch; timeoutMs?: number; retries?: number } = {}) {
  const { clientId, clientSecret } = business;
  return new Payrail({ baseUrl: proxy.url, clientId, clientSecret, ...options });
}

/** An end user with 100.00, and the parameters of a withdrawal of 25.00. */
async function payer(client = payrail) {
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 100);
  const bank = await world.bank(business, wallet);
  const params = { currency: "USD", linkedAccountId: bank.id, amount: 25, reason: "Rent" } as const;
  return { user, wallet, params, as: client.as(user.id) };
}

/** The error of a call that must fail. */
async function errorOf(call: Promise<unknown>): Promise<PayrailError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(PayrailError);
  return error as PayrailError;
}

const posts = () => proxy.seen.filter(({ path }) => path.endsWith("/withdrawal"));

test("a withdrawal whose answers are lost is paid once, and the call gets the first answer", async () => {
  const { as, params, wallet } = await payer();
  proxy.faults.push("cutAfter", "cutBefore", "cutAfter");
  const { id, amount } = await as.withdrawals.create(params);

  expect(posts()).toHaveLength(4);
  expect(new Set(posts().map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  expect(new Set(posts().map(({ body }) => body)).size).toBe(1);
  expect(await as.withdrawals.list().toArray()).toEqual([expect.objectContaining({ id, amount })]);
  expect((await as.withdrawals.wait(id)).status).toBe("SUCCESS");
  expect(await world.balance(business, wallet)).toBe("74.75");
  await world.verifyBooks();
});

test("the error of a call without an answer has the key for its repeat", async () => {
  const { as, params, wallet } = await payer(clientOf({ retries: 1 }));
  proxy.faults.push("cutAfter", "cutAfter");
  const error = await errorOf(as.withdrawals.create(params));
  expect(error).toMatchObject({ code: "no_answer", status: undefined, mayHaveHappened: true });
  expect(error.message).toContain("POST /v1/ext/linked-accounts/{currency}/{linkedAccountId}");

  const { idempotencyKey = "" } = error;
  const [made] = await as.withdrawals.list({ idempotencyKey }).toArray();
  const again = await as.withdrawals.create(params, { idempotencyKey });
  expect(again.id).toBe(made?.id);
  expect(await world.balance(business, wallet)).toBe("74.75");
});

test("an attempt without an answer in time is given up and repeated", async () => {
  const { as, params } = await payer(clientOf({ timeoutMs: 1_500 }));
  proxy.faults.push("silence");
  await as.withdrawals.create(params);
  expect(posts()).toHaveLength(2);

  proxy.faults.push("silence", "silence");
  const late = await errorOf(as.withdrawals.list({}, { timeoutMs: 50, retries: 1 }).toArray());
  expect(late.code).toBe("timed_out");
});

test("ten calls at once fetch one token, and ten with one key pay once", async () => {
  const { as, params, wallet } = await payer(clientOf());
  const idempotencyKey = randomUUID();
  const ten = Array.from({ length: 10 }, () => as.withdrawals.create(params, { idempotencyKey }));
  const answers = await Promise.all(ten);
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  expect(await world.balance(business, wallet)).toBe("74.75");
  expect(proxy.seen.filter(({ path }) => path === "/v1/oauth/token")).toHaveLength(1);
});

test("a limit is an error at once if payrail asks for a long wait, and is waited for otherwise", async () => {
  const { as, params } = await payer();
  await as.withdrawals.create(params);
  const error = await errorOf(as.withdrawals.create(params));
  expect(error.status).toBe(429);
  expect(error.retryAfterMs).toBeGreaterThan(10_000);

  proxy.faults.push({ status: 429, headers: { "retry-after": "1" }, body: "{}" });
  const before = performance.now();
  await payrail.entities.list().toArray({ limit: 1 });
  expect(performance.now() - before).toBeGreaterThan(990);
});

test("an answer that is not payrail's is repeated if it is a 5xx, and never followed elsewhere", async () => {
  proxy.faults.push({ status: 502, body: "<html>" }, { status: 503 }, { status: 504 });
  expect((await payrail.entities.create({ email: "a@example.com" })).email).toBe("a@example.com");

  proxy.faults.push({ status: 307, headers: { location: "http://127.0.0.1:9/" } });
  const error = await errorOf(payrail.entities.list().toArray());
  expect(error).toMatchObject({ code: "unexpected_answer", status: 307 });
});

test("a refused request is not repeated, and its error names the wrong fields", async () => {
  const { as, params } = await payer();
  const tooMuch = await errorOf(as.withdrawals.create({ ...params, amount: 1_000 }));
  expect(tooMuch).toMatchObject({ status: 400, code: "insufficient_funds" });
  expect(posts()).toHaveLength(1);

  const wrong = await errorOf(as.withdrawals.create({ ...params, amount: -1 }));
  expect(wrong).toMatchObject({ code: "validation_failed", requestId: expect.any(String) });
  expect(wrong.errors).toEqual([expect.objectContaining({ field: "amount", code: "invalid" })]);

  const misspelt = { email: "a@example.com", externalIdentifer: "a" };
  const strict = await errorOf(payrail.entities.create(misspelt));
  expect(strict.message).toContain("externalIdentifier");

  const unknown = await errorOf(payrail.payments.get(randomUUID()));
  expect(unknown).toMatchObject({ status: 404, code: "payment_not_found" });
});

test("a deletion whose answer is lost has succeeded", async () => {
  const { id } = await payrail.webhooks.create({ url: "http://127.0.0.1:9/" });
  proxy.faults.push("cutAfter");
  await payrail.webhooks.delete(id);
  expect((await errorOf(payrail.webhooks.delete(id))).status).toBe(404);
});

test("a signal ends a call while it waits for an answer and between two attempts", async () => {
  proxy.faults.push("silence", { status: 503, headers: { "retry-after": "9" } });
  for (const _ of ["no answer", "a wait"]) {
    const signal = AbortSignal.timeout(200);
    const before = performance.now();
    const call = payrail.entities.list({}, { signal }).toArray();
    await expect(call).rejects.toMatchObject({ name: "TimeoutError" });
    expect(signal.aborted).toBe(true);
    expect(performance.now() - before).toBeLessThan(2_000);
  }
});

test("a token is renewed before it expires, and once after payrail refuses it", async () => {
  const issued: string[] = [];
  let expiresInS = 0.5;
  const client = clientOf({
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (!response.url.endsWith("/v1/oauth/token")) return response;
      const token = (await response.json()) as { access_token: string };
      issued.push(token.access_token);
      return Response.json({ ...token, expires_in: expiresInS });
    },
  });
  await client.entities.list().toArray();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expiresInS = 3_600;
  await client.entities.list().toArray();
  expect(issued).toHaveLength(2);

  proxy.faults.push({ status: 401, body: "{}" });
  await Promise.all([client.entities.list().toArray(), client.entities.list().toArray()]);
  expect(issued).toHaveLength(3);

  proxy.faults.push({ status: 401, body: "{}" }, { status: 401, body: "{}" });
  expect((await errorOf(client.entities.list().toArray())).status).toBe(401);
  expect(issued).toHaveLength(4);
});

test("an outage of the token endpoint is repeated like any other, and keeps the key", async () => {
  const { as, params } = await payer(clientOf({ retries: 1 }));
  let asked = 0;
  const { clientId, clientSecret } = business;
  const cut: typeof fetch = async (input, init) => {
    asked += 1;
    return asked === 2 ? fetch(input, init) : Promise.reject(new TypeError("cut"));
  };
  const idempotencyKey = randomUUID();
  const client = new Payrail({
    baseUrl: proxy.url,
    clientId,
    clientSecret,
    retries: 1,
    fetch: cut,
  });
  const error = await errorOf(client.withdrawals.create(params, { idempotencyKey }));
  // The token, the token again, the withdrawal.
  expect(asked).toBe(3);
  expect(error).toMatchObject({ code: "no_answer", idempotencyKey });
  expect(await as.withdrawals.list().toArray()).toEqual([]);
});

test("wrong credentials are the token endpoint's error", async () => {
  const { clientId } = business;
  const client = new Payrail({ clientId, clientSecret: "wrong", baseUrl: proxy.url });
  const error = await errorOf(client.entities.list().toArray());
  expect(error).toMatchObject({ code: "invalid_client", status: 401 });
});

test("lists go through all pages, by number and by cursor", async () => {
  const own = await world.business();
  const client = new Payrail({ token: own.token, baseUrl: proxy.url });
  const emails = ["a@example.com", "b@example.com", "c@example.com", "d@example.com"];
  for (const email of emails) await client.entities.create({ email });
  const listed = client.entities.list({ limit: 2 });
  // Each loop begins at the beginning.
  for (const _ of ["first", "second"]) {
    const users = (await listed.toArray()).filter(({ entityType }) => entityType === "USER");
    expect(users.map(({ email }) => email)).toEqual(emails);
  }
  expect(await listed.toArray({ limit: 3 })).toHaveLength(3);

  const wallet = await client.wallets.open({ entityId: own.id, currency: "USD" });
  for (const amount of [1, 2, 3]) await client.sandbox.fund({ walletId: wallet.id, amount });
  const amounts: string[] = [];
  for await (const { items, meta } of client.transactions.list({ limit: 1 }).pages()) {
    amounts.push(...items.map(({ amount }) => amount));
    expect(meta).toHaveProperty("nextCursor");
  }
  expect(amounts).toEqual(["3.00", "2.00", "1.00"]);
});

test("an id never becomes another path", async () => {
  for (const id of ["", ".", ".."]) {
    await expect(payrail.webhooks.delete(id)).rejects.toThrow(TypeError);
  }
  const error = await errorOf(payrail.payments.get("../webhooks?x=1#y"));
  expect(error.message).toBe("Payment not found");
});
