// The command payrail against a real payrail: it makes events happen, forwards them signed, sends
// them again, checks signatures, and reports the outcome by its exit code.

import { spawnSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { signWebhook, verifyWebhook } from "../../clients/typescript/src/index.ts";
import { inherited } from "../support/inherited.ts";
import { runNode } from "../support/scripts.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

const MAIN = "clients/typescript/src/cli/main.ts";
const SECRET = `whsec_${randomBytes(32).toString("base64")}`;

let world: World;
let business: TestBusiness;
let credentials: Record<string, string>;

beforeAll(async () => {
  world = await startWorld();
  business = await world.business();
  credentials = {
    PAYRAIL_URL: world.http.url,
    PAYRAIL_CLIENT_ID: business.clientId,
    PAYRAIL_CLIENT_SECRET: business.clientSecret,
  };
});
afterAll(() => world?.stop());

const start = (args: string[], environment: Record<string, string> = {}) =>
  runNode(MAIN, args, { ...inherited(), ...credentials, ...environment });

async function run(args: string[], environment: Record<string, string> = {}) {
  const script = start(args, environment);
  const { code } = await script.exit;
  return { code, stdout: script.stdout(), stderr: script.stderr() };
}

/** The one object that a command prints with --json. */
async function result(args: string[], environment: Record<string, string> = {}) {
  const { code, stdout, stderr } = await run([...args, "--json"], environment);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

/** Whether the event of a payout's success is stored. */
async function hasSucceeded(): Promise<boolean> {
  const path = `/v1/business/${business.id}/events`;
  const events = dataOf(await world.http.get(path, { token: business.token }), 200);
  return events.some(({ body }: { body: string }) => JSON.parse(body).status === "SUCCESS");
}

/** A developer's server that records the received messages. */
async function receiver() {
  const received: { headers: Record<string, string>; body: string }[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers as Record<string, string>, body });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  return { received, address, stop: () => server.close() };
}

test("listen forwards new events, signed, and resend sends one of them again", async () => {
  await run(["trigger", "payout.succeeded"]);
  // Events that are stored after the start of listen are new to it.
  await until(hasSucceeded, { awaited: "the last event of the earlier payout" });
  const server = await receiver();
  const environment = { PAYRAIL_WEBHOOK_SECRET: SECRET };
  const listening = start(["listen", "--forward-to", server.address, "--json"], environment);
  await listening.waitForOutput(SECRET);
  const { transactionId } = await result(["trigger", "payout.failed"]);
  await result(["trigger", "refund.succeeded"]);

  const statuses = () => {
    const events = server.received.map(({ body, headers }) => verifyWebhook(body, headers, SECRET));
    return events.map(({ eventType, status }) => `${eventType} ${status}`);
  };
  await until(() => statuses().length === 5, { awaited: "five events" });
  expect(statuses().toSorted()).toEqual([
    "COLLECTION SUCCEEDED",
    "FUNDING SUCCEEDED",
    "REFUND SUCCEEDED",
    "WITHDRAWAL FAILED",
    "WITHDRAWAL PENDING",
  ]);
  await until(() => listening.stdout().trim().split("\n").length === 6);
  listening.interrupt();
  expect(await listening.exit).toEqual({ code: 0, signal: null });
  const [ready, ...told] = listening
    .stdout()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(ready).toEqual({ url: `http://${server.address}`, secret: SECRET });
  const pending = told.find(({ status }) => status === "PENDING");
  expect(pending).toMatchObject({ eventType: "WITHDRAWAL", statusCode: 204 });

  await result(["resend", pending.id, "--forward-to", server.address], environment);
  const [first, again] = server.received.filter(
    ({ headers }) => headers["webhook-id"] === pending.id,
  );
  expect(first?.body).toContain(transactionId);
  expect(again?.body).toBe(first?.body);
  server.stop();
});

test("listen prints new events where no server is named", async () => {
  const listening = start(["listen", "--json"]);
  await until(() => listening.stderr().includes("Waiting for events"), { awaited: "its start" });
  const { paymentId } = await result(["trigger", "payment.succeeded"]);
  await listening.waitForOutput(paymentId);
  listening.interrupt();
  expect((await listening.exit).code).toBe(0);
  const lines = listening.stdout().trim().split("\n");
  const event = lines
    .map((line) => JSON.parse(line))
    .find(({ payload }) => payload.paymentId === paymentId);
  expect(event).toMatchObject({ eventType: "COLLECTION", status: "SUCCEEDED" });
});

test("get and list read resources, filtered, and say what is wrong", async () => {
  const { paymentId: id } = await result(["trigger", "payment.failed"]);
  expect(await result(["get", "payments", id])).toMatchObject({ id, status: "FAILED" });
  expect(await result(["get", "transactions", id])).toMatchObject({ id, flow: "COLLECTION" });
  const own = await result(["get", "/v1/business/{businessId}"]);
  expect(own).toMatchObject({ id: business.id });
  expect(await result(["list", "payments", "status=FAILED", "--limit", "1"])).toMatchObject({ id });
  await result(["trigger", "payment.failed"]);
  const { stdout } = await run(["list", "payments", "status=FAILED", "limit=1"]);
  expect(stdout).toMatch(/^[\w-]{36} {2}FAILED {2}26\.06 {2}USD {2}.*\n$/);
  await result(["trigger", "payout.succeeded"]);
  const { stdout: payout } = await run(["list", "transactions", "flow=PAYOUT"]);
  expect(payout).toMatch(/^[\w-]{36} {2}PAYOUT {2}.* {2}USD {2}Ada Lovelace {2}/);
  const balances = await result(["list", "/v1/business/{businessId}/balances"]);
  expect(balances).toMatchObject({ currency: "USD" });
  const misspelt = await run(["list", "payments", "stats=FAILED"]);
  expect([misspelt.code, misspelt.stderr]).toEqual([1, expect.stringContaining("status")]);
  for (const wrong of [["get"], ["get", "payments"], ["list"], ["list", "payments", "FAILED"]]) {
    expect((await run(wrong)).code).toBe(2);
  }
});

test("resend sends an event's deliveries, or one delivery, again", async () => {
  const hook = await world.hook(business);
  await result(["trigger", "subscription.created"]);
  await until(() => hook.received.length === 1, { awaited: "the event" });
  const eventId = hook.received[0]?.headers["webhook-id"] as string;
  const { deliveryId, endpointId } = await result(["resend", eventId]);
  expect(endpointId).toBe(hook.id);
  await until(() => hook.received.length === 2, { awaited: "the event again" });
  await result(["resend", deliveryId]);
  await until(() => hook.received.length === 3, { awaited: "the delivery again" });
  expect(new Set(hook.received.map(({ headers }) => headers["webhook-id"]))).toEqual(
    new Set([eventId]),
  );
  const unknown = randomUUID();
  expect(await run(["resend", unknown])).toEqual({
    code: 1,
    stdout: "",
    stderr: `There is no event or delivery ${unknown}\n`,
  });
});

test.each([
  ["payout.returned", "transactionId"],
  ["payment.succeeded", "paymentId"],
  ["payment.failed", "paymentId"],
  ["subscription.cancelled", "subscriptionId"],
])("trigger %s makes its events happen", async (name, field) => {
  const made = await result(["trigger", name]);
  const [type, status] = {
    "payout.returned": ["WITHDRAWAL", "FAILED"],
    "payment.succeeded": ["COLLECTION", "SUCCEEDED"],
    "payment.failed": ["COLLECTION", "FAILED"],
    "subscription.cancelled": ["SUBSCRIPTION", "cancelled"],
  }[name] as [string, string];
  const path = `/v1/business/${business.id}/events?limit=100&eventType=${type}`;
  await until(async () => {
    const { body } = await world.http.get(path, { token: business.token });
    const bodies = (body.data as { body: string }[]).map((each) => JSON.parse(each.body));
    return bodies.some((each) => each.status === status && each.payload[field] === made[field]);
  });
});

test("withdraw pays out, once per key, and says by its exit code how it ended", async () => {
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 100);
  const [good, bad] = [
    await world.bank(business, wallet),
    await world.bank(business, wallet, "0004"),
  ];
  const args = (account: { id: string }) => [
    ...["withdraw", "--user", user.id, "--account", account.id, "--amount", "10"],
    ...["--reason", "Rent", "--routing-type", "RTP"],
  ];
  const key = ["--idempotency-key", randomUUID()];
  const { id } = await result([...args(good), ...key]);
  expect(await result([...args(good), ...key, "--wait"])).toMatchObject({ id, status: "SUCCESS" });
  expect(await world.balance(business, wallet)).toBe("89.50");

  const failed = await run([...args(bad), "--wait"]);
  expect(failed.code).toBe(1);
  expect(failed.stdout).toMatch(/ FAILED: Payment could not be processed\.\n$/);
  const tooMuch = await run([...args(good), "--amount", "1000"]);
  expect(tooMuch.code).toBe(1);
  expect(tooMuch.stderr).toMatch(/^Insufficient Funds #912 \(insufficient_funds, request /);
  await world.verifyBooks();
});

test("verify says whether a signature holds, and why not", () => {
  const body = '{"eventType":"TEST","status":"TEST","payload":{}}';
  const check = (at: number, secret = SECRET, changed = body) => {
    const headers = Object.entries(signWebhook(body, SECRET, { id: randomUUID(), at }));
    const args = headers.flatMap(([name, value]) => ["--header", `${name}: ${value}`]);
    const { status: exit, stdout } = spawnSync(
      process.execPath,
      [MAIN, "verify", "--json", ...args],
      { env: { ...inherited(), PAYRAIL_WEBHOOK_SECRET: secret }, input: changed },
    );
    return { exit, ...JSON.parse(stdout.toString()) };
  };
  const now = Date.now();
  expect(check(now)).toMatchObject({ exit: 0, valid: true, eventType: "TEST" });
  const other = `whsec_${randomBytes(32).toString("base64")}`;
  expect(check(now, other)).toMatchObject({ exit: 1, valid: false, code: "wrong_signature" });
  expect(check(now, `${other} ${SECRET}`)).toMatchObject({ valid: true });
  expect(check(now, SECRET, `${body} `)).toMatchObject({ code: "wrong_signature" });
  expect(check(now - 600_000)).toMatchObject({ valid: false, code: "too_old" });
});

test("every command has help, and wrong use is exit code 2 with a way to the help", async () => {
  for (const name of ["listen", "trigger", "resend", "verify", "withdraw"]) {
    const { code, stdout } = await run([name, "--help"]);
    expect([code, stdout.split("\n")[0]]).toEqual([0, expect.stringMatching(`^payrail ${name} `)]);
  }
  const help = await run(["--help"]);
  expect([help.code, help.stderr]).toEqual([0, ""]);
  const wrong = [
    [],
    ["constructor"],
    ["listen", "payouts"],
    ["listen", "--forward-to", "http://:"],
    ["get"],
    ["list"],
    ["trigger", "toString"],
    ["trigger", "payout.failed", "payout.failed"],
    ["resend"],
    ["withdraw", "--account", "1"],
    ["withdraw", "--amount", "ten", "--account", "1", "--reason", "r"],
    ["verify", "--header", "x"],
    ["withdraw", "--clientSecret", "x"],
  ];
  for (const args of wrong) {
    const { code, stderr } = await run(args, { PAYRAIL_WEBHOOK_SECRET: SECRET });
    expect([args, code, stderr]).toEqual([args, 2, expect.stringContaining("--help says how")]);
  }
});

test("no credentials are wrong use, wrong ones and an unreachable payrail are failures", async () => {
  const without = await run(["trigger", "payout.failed"], { PAYRAIL_CLIENT_ID: "" });
  expect([without.code, without.stderr]).toEqual([2, expect.stringContaining("must be set")]);
  const wrong = await run(["trigger", "payout.failed"], { PAYRAIL_CLIENT_SECRET: "wrong" });
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("invalid_client")]);
  const away = await run(["trigger", "payout.failed"], { PAYRAIL_URL: "http://127.0.0.1:9" });
  expect([away.code, away.stderr]).toEqual([1, expect.stringContaining("got no answer")]);
});
