// Every service with a MongoDB user of its own that has no right on another's collections: the
// whole system works with them, and neither a service nor a job can do more.

import { randomUUID } from "node:crypto";
import mongoose from "mongoose";
import { loadConfig } from "../../shared/config/env.ts";
import { SERVICE_NAMES } from "../../shared/rpc/service-names.ts";
import { createUsers, type MongoUser } from "../../tools/commands/provision/mongo-roles.ts";
import { binDirectory, provideBinary } from "../../tools/platform/binaries.ts";
import { startNats } from "../../tools/platform/nats.ts";
import { freePort } from "../../tools/platform/ports.ts";
import type { Server } from "../../tools/platform/supervisor.ts";
import { type Http, httpClient } from "../support/http.ts";
import { runNode, type Sandbox, type Script, sandbox } from "../support/scripts.ts";
import { type SecuredMongo, startSecuredMongo } from "../support/secured-mongo.ts";
import { testEnvironment, until } from "../support/system.ts";
import { type Builders, buildersOver, dataOf } from "../support/world.ts";

const PASSWORDS: Record<MongoUser, string> = {
  accounts: "a",
  "wallet-ledger": "l",
  webhooks: "w",
  payouts: "p",
  "payment-links": "c",
  migrate: "m",
  verify: "v",
  backup: "b",
};
const quiet = () => {};

let place: Sandbox;
let mongo: SecuredMongo;
let nats: Server;
let environment: Record<string, string>;
let http: Http;
let world: Omit<Builders, "close">;
let close: () => void;
const services = new Map<string, Script>();

beforeAll(async () => {
  place = await sandbox();
  mongo = await startSecuredMongo();
  nats = await startNats({
    binary: await provideBinary("nats-server", binDirectory(), quiet),
    say: quiet,
  });
  const port = await freePort();
  environment = testEnvironment({
    DATA_DIR: place.dataDir,
    NATS_URL: nats.url,
    PORT: String(port),
    WITHDRAWAL_LIMIT: "off",
    WEBHOOK_RETENTION: "30d",
    LOG_LEVEL: "warn",
  });
  await createUsers(mongo.root, "payrail", PASSWORDS);
  for (const name of SERVICE_NAMES) services.set(name, start(name));
  await until(
    () =>
      SERVICE_NAMES.filter((name) => name !== "gateway").every((name) =>
        output(name).includes(`${name} waits: the database payrail is not set up; npm run migrate`),
      ),
    { awaited: "every service to wait" },
  );
  const migrated = await ended("tools/commands/migrate.ts", [], "migrate");
  expect(migrated).toMatchObject({ code: 0 });
  await until(() => [...services.keys()].every((name) => output(name).includes("is running")), {
    awaited: "every service to run",
  });
  http = await httpClient(port);
  await until(async () => (await http.get("/health/ready")).status === 200);
  ({ close, ...world } = buildersOver({ config: loadConfig(environment) }, http));
});
afterAll(async () => {
  close?.();
  for (const script of services.values()) script.interrupt();
  await Promise.all([...services.values()].map(({ exit }) => exit));
  await nats?.stop();
  await mongo?.stop();
  place?.clean();
});

function urlOf(name: MongoUser, password = PASSWORDS[name]): string {
  const url = new URL(mongo.root);
  url.username = name;
  url.password = password;
  return url.href;
}

/** The gateway has no user, because it has no database. */
function start(name: string): Script {
  const own = name === "gateway" ? {} : { MONGO_URL: urlOf(name as MongoUser) };
  const { MONGO_URL: _, ...others } = environment;
  return runNode("tools/commands/service.ts", [name], { ...place.environment, ...others, ...own });
}

function output(name: string): string {
  const script = services.get(name) as Script;
  return script.stdout() + script.stderr();
}

/** Runs a command as a user, with no other setting. */
async function ended(
  script: string,
  args: string[],
  user: MongoUser,
  extra: NodeJS.ProcessEnv = {},
) {
  const { PATH } = place.environment;
  const { exit, stdout, stderr } = runNode(script, args, {
    PATH,
    MONGO_URL: urlOf(user),
    ...extra,
  });
  return { code: (await exit).code, stdout: stdout(), stderr: stderr() };
}

/** Runs commands on the database as a user. @returns the code of each error, null for a success */
async function tried(name: MongoUser, ...commands: object[]): Promise<(number | null)[]> {
  const client = new mongoose.mongo.MongoClient(urlOf(name));
  const codes: (number | null)[] = [];
  for (const command of commands) {
    const failed = client.db().command(command);
    codes.push(await failed.then(() => null).catch(({ code }) => code as number));
  }
  await client.close();
  return codes;
}

test("a withdrawal, a payment, their events, a rotation, a hold and a verification need no other right", async () => {
  const business = await world.business();
  const user = await world.user(business);
  const hook = await world.hook(business);
  const wallet = await world.wallet(business, user, 100);
  const bank = await world.bank(business, wallet);
  const withdrawn = dataOf(await world.withdraw(user, bank), 200);
  await world.status(business, withdrawn.id, "SUCCESS");
  const link = await world.paymentLink(business);
  expect(dataOf(await world.pay(link, await world.cardToken()), 200)).toMatchObject({
    status: "SUCCEEDED",
  });
  const types = () => new Set(hook.received.map(({ body }) => body.eventType));
  await until(() => types().size >= 2, { awaited: "the events of both" });
  const plan = await world.recurringLink(business);
  dataOf(await world.setup(plan, await world.cardToken()), 200);

  const key = `second:${Buffer.alloc(32, 7).toString("base64")}`;
  const keys = { ENCRYPTION_KEYS: `${key},${environment.ENCRYPTION_KEYS}` };
  for (const name of ["accounts", "webhooks", "payment-links"] as const) {
    const rotated = await ended("tools/commands/rotate-keys.ts", ["--service", name], name, keys);
    expect(rotated).toMatchObject({ code: 0 });
  }
  const held = await ended("tools/commands/hold-billing.ts", [], "payment-links");
  expect(held).toMatchObject({ code: 0 });

  const admin = { token: world.tokens.admin(randomUUID()) };
  const before = dataOf(await http.get("/v1/admin/verification", admin), 200);
  expect(before).toMatchObject({ finishedAt: null, ok: null, overdue: true });
  const production = { NODE_ENV: "production" };
  const verified = await ended("tools/commands/verify.ts", ["--record"], "verify", production);
  expect(verified).toMatchObject({ code: 0 });
  const { rules, ...last } = dataOf(await http.get("/v1/admin/verification", admin), 200);
  expect(last).toMatchObject({ ok: true, overdue: false, violationCount: 0, violations: [] });
  expect(rules).toContainEqual({ rule: "fundings", checked: 1, violations: 0 });
});

test("a transfer, an adjustment, a freeze and a limit need no other right", async () => {
  const business = await world.business();
  const { id, token } = business;
  const user = await world.user(business);
  const own = await world.wallet(business, business, 100);
  const wallet = await world.wallet(business, user);
  const bank = await world.bank(business, wallet);
  const admin = { token: world.tokens.admin(randomUUID()) };
  const note = "The test asked";
  const at = `/v1/admin/businesses/${id}`;
  const moved = { fromWalletId: own.id, toWalletId: wallet.id, amount: 40, reference: "one" };
  dataOf(await http.post(`/v1/business/${id}/transfers`, moved, { token }), 201);
  const adjusted = { direction: "CREDIT", amount: 5, reference: "one", note };
  dataOf(await http.post(`${at}/wallets/${own.id}/adjustments`, adjusted, admin), 201);
  const limits = [{ scope: "business", currency: "USD", per: "month", count: 1 }];
  dataOf(await http.put(`${at}/limits`, { limits, note }, admin), 200);
  const withdraw = () => world.withdraw(user, bank, { amount: 1 });
  const refusal = (code: string) =>
    until(async () => (await withdraw()).body.code === code, { awaited: code });
  await refusal("limit_exceeded");
  dataOf(await http.put(`${at}/entities/${user.id}/freeze`, { frozen: true, note }, admin), 200);
  await refusal("entity_frozen");
  const hook = await world.hook(business);
  const funded = { amount: 1, reference: "two" };
  dataOf(await http.post(`${at}/wallets/${own.id}/fundings`, funded, admin), 201);
  await until(() => hook.received.length > 0, { awaited: "the funding's event" });
});

test("a service reads and writes no collection of another, and changes no index", async () => {
  const read = (find: string) => ({ find });
  const insert = (name: string) => ({ insert: name, documents: [{ _id: "forged" }] });
  const index = { createIndexes: "payouts", indexes: [{ key: { a: 1 }, name: "a" }] };
  const drop = { dropIndexes: "payouts", index: "*" };
  const refused = 13;
  expect(
    await tried(
      "webhooks",
      read("linked_accounts"),
      read("ledger_accounts"),
      read("webhook_events"),
    ),
  ).toEqual([refused, refused, null]);
  expect(
    await tried(
      "payouts",
      insert("ledger_blocks"),
      insert("webhook_events"),
      insert("database_mode"),
      read("database_mode"),
    ),
  ).toEqual([refused, refused, refused, null]);
  const wallets = { update: "ledger_accounts", updates: [{ q: {}, u: { $set: { a: 1 } } }] };
  for (const name of ["accounts", "payouts", "payment-links", "webhooks"] as const) {
    expect(await tried(name, wallets, index, drop)).toEqual([refused, refused, refused]);
  }
  expect(await tried("payouts", index, drop, { drop: "payouts" })).toEqual([13, 13, 13]);
  expect(await tried("wallet-ledger", insert("verifications"), index)).toEqual([13, 13]);
  expect(await tried("migrate", insert("payouts"), { dropDatabase: 1 })).toEqual([13, 13]);
  expect(await tried("verify", insert("payouts"), read("payouts"))).toEqual([13, null]);
  expect(await tried("backup", insert("payouts"), read("payouts"))).toEqual([13, null]);
});

test("a wrong password or a missing right ends a start with one sentence", async () => {
  const failure = async (name: string, url: string) => {
    const { MONGO_URL: _, ...others } = environment;
    const own = { ...place.environment, ...others, MONGO_URL: url };
    const script = runNode("tools/commands/service.ts", [name], own);
    const { code } = await script.exit;
    const lines = (script.stdout() + script.stderr()).trim().split("\n");
    return { code, last: lines.at(-1), stack: lines.filter((line) => /^ +at /.test(line)) };
  };
  expect(await failure("accounts", urlOf("accounts", "typo"))).toEqual({
    code: 1,
    last: expect.stringMatching(/^MONGO_URL: the MongoDB at [\d.:]+ refuses the credentials/),
    stack: [],
  });
  expect(await failure("accounts", urlOf("payouts"))).toEqual({
    code: 1,
    last: "MongoDB refuses accounts the right to find, listIndexes, insert, update, remove in payrail.entities; see docs/operate/install.md, MongoDB users.",
    stack: [],
  });
  const migration = await ended("tools/commands/migrate.ts", [], "payouts");
  expect(migration).toMatchObject({ code: 1, stdout: "" });
  expect(migration.stderr).toMatch(
    /^MongoDB refuses its user the right to \w+ in payrail\.\w+; see docs\/operate\/install\.md, MongoDB users\.\n$/,
  );
});

test("users are made again with other passwords", async () => {
  await createUsers(mongo.root, "payrail", { backup: "other" });
  await createUsers(mongo.root, "payrail", PASSWORDS);
  expect(await tried("backup", { find: "payouts" })).toEqual([null]);
});
