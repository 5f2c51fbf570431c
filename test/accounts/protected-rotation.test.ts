// npm run rotate-keys: a change between its read and its write is kept, a record that cannot be
// decrypted is named, and wrong options end it with 2.

import { randomBytes } from "node:crypto";
import mongoose, { type mongo } from "mongoose";
import accounts from "../../services/accounts/accounts.service.ts";
import { type LinkedAccount, sealedPlace } from "../../services/accounts/linked-account.model.ts";
import { sealedAccounts } from "../../services/accounts/reseal.ts";
import paymentLinks from "../../services/payment-links/payment-links.service.ts";
import walletLedger from "../../services/wallet-ledger/wallet-ledger.service.ts";
import type { Endpoint } from "../../services/webhooks/endpoint.model.ts";
import { sealedSecrets } from "../../services/webhooks/reseal.ts";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import { reseal } from "../../shared/reseal.ts";
import { seal, unseal } from "../../shared/seal.ts";
import { createBusiness, createUser, linkAccount } from "../support/accounts.ts";
import { runNode } from "../support/scripts.ts";
import { type System, startSystem, testEnvironment } from "../support/system.ts";
import { linkBody } from "../support/world.ts";

const SERVICES = [walletLedger, accounts, webhooks, paymentLinks];
const [OLD, NEW] = ["old", "new"].map((id) => `${id}:${randomBytes(32).toString("base64")}`) as [
  string,
  string,
];

let environment: Record<string, string>;
let connection: mongoose.Connection;
let db: mongo.Db;
const running = new Set<System>();

/** Every service that encrypts, with these keys, on the test's database. */
async function start(keys: string): Promise<System> {
  const system = await startSystem(SERVICES, { ...environment, ENCRYPTION_KEYS: keys });
  running.add(system);
  return system;
}

async function stop(system: System): Promise<void> {
  running.delete(system);
  await system.broker.stop();
}

beforeEach(async () => {
  environment = testEnvironment();
  connection = await mongoose.createConnection(environment.MONGO_URL as string).asPromise();
  db = connection.getClient().db(connection.name);
});
afterEach(async () => {
  for (const system of running) await stop(system);
  await connection.dropDatabase();
  await connection.close();
});

/** The command with these keys, run beside payrail. */
function rotateKeys(keys: string, args: string[] = []) {
  const { PATH, HOME } = process.env;
  const all = { PATH, HOME, ...environment, ENCRYPTION_KEYS: keys };
  return runNode("scripts/rotate-keys.ts", args, all);
}

async function ended(script: ReturnType<typeof rotateKeys>) {
  const { code, signal } = await script.exit;
  return { code, signal, stdout: script.stdout(), stderr: script.stderr() };
}

/** A payment link of a business, which opens its collection account. */
async function createLink(system: System, businessId: string, fields = {}) {
  await system.call("wallet-ledger.openCollectionAccount", { businessId, currency: "USD" });
  const meta = { actor: { sub: businessId, role: "merchant" as const } };
  const { url, application } = await system.call(
    "payment-links.createLink",
    { body: linkBody(fields) },
    { meta },
  );
  return { url, id: application.id, token: application.token };
}

const linked = () => db.collection<LinkedAccount>("linked_accounts");
const endpoints = () => db.collection<Endpoint>("webhook_endpoints");

test("a change between the command's read and its write is kept", async () => {
  const system = await start(`${OLD},${NEW}`);
  const business = await createBusiness(system);
  const { walletId } = await createUser(system, business.id);
  const account = await linkAccount(system, { businessId: business.id, walletId });
  const hook = { businessId: business.id, url: "http://127.0.0.1:9/" };
  const { id, secret: first } = await system.call("webhooks.createEndpoint", hook);
  const { config } = await start(`${NEW},${OLD}`);

  /** The collection with a change before each of its writes. */
  const interrupted = <C extends object>(collection: C, change: () => Promise<unknown>): C =>
    new Proxy(collection, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== "function") return value;
        const method = value.bind(target) as (...args: unknown[]) => unknown;
        return name !== "bulkWrite"
          ? method
          : async (...args: unknown[]) => {
              await change();
              return method(...args);
            };
      },
    });

  const changed = seal(config, sealedPlace(account.id), "changed meanwhile");
  const ofAccounts = sealedAccounts(db);
  const done = await reseal(
    config,
    {
      ...ofAccounts,
      collection: interrupted(ofAccounts.collection, () =>
        linked().updateOne({ _id: account.id }, { $set: { sealed: changed } }),
      ),
    },
    () => {},
  );
  expect(done).toEqual({ resealed: 0, unreadable: 0, reasons: [] });
  expect((await linked().findOne({ _id: account.id }))?.sealed).toEqual(changed);

  // A rotation of the webhook secret moves the read one to another place in the list.
  let second = "";
  const ofSecrets = sealedSecrets(db);
  await reseal(
    config,
    {
      ...ofSecrets,
      collection: interrupted(ofSecrets.collection, async () => {
        const turned = await system.call("webhooks.rotateSecret", { businessId: business.id, id });
        second = turned.secret;
      }),
    },
    () => {},
  );
  const secrets = (await endpoints().findOne({ _id: id }))?.secrets ?? [];
  expect(secrets.map(({ sealed }) => sealed.keyId)).toEqual(["old", "new"]);
  const texts = secrets.map(({ sealed }) => unseal(config, `webhook:${id}`, sealed));
  expect(texts).toEqual([second, first]);
});

test("a record that cannot be decrypted is named, stays unchanged, and fails the command", async () => {
  const lost = `lost:${randomBytes(32).toString("base64")}`;
  const before = await start(lost);
  const business = await createBusiness(before);
  const { walletId } = await createUser(before, business.id);
  const owner = { businessId: business.id, walletId };
  const unreadable = await linkAccount(before, owner);
  const link = await createLink(before, business.id);
  await stop(before);
  const system = await start(`${OLD},${NEW}`);
  await linkAccount(system, owner);
  await createLink(system, business.id);
  const asItWas = await linked().findOne({ _id: unreadable.id });

  const { code, stdout } = await ended(rotateKeys(`${NEW},${OLD}`));
  expect(code).toBe(1);
  expect(
    stdout,
  ).toBe(`linked-account:${unreadable.id}: Encrypted with the key lost, which ENCRYPTION_KEYS lacks
payment-link:${link.id}: Encrypted with the key lost, which ENCRYPTION_KEYS lacks
2 were put under the key new. What lies under each key:
  linked accounts  lost 1, new 1
  webhook secrets  none
  link tokens      lost 1, new 1
  payment methods  none
Not everything is under new: bring the missing keys back, or run it again once every process encrypts with new.
`);
  expect(await linked().findOne({ _id: unreadable.id })).toEqual(asItWas);

  const businessId = business.id;
  const shown = await system.call("payment-links.link", { businessId, id: link.id });
  expect(shown).toMatchObject({ status: "ACTIVE", url: null, application: { token: null } });

  expect(await ended(rotateKeys(`${NEW},${OLD},${lost}`))).toMatchObject({ code: 0 });
  const alone = await start(NEW);
  const { optionType } = await alone.call("accounts.instrument", {
    linkedAccountId: unreadable.id,
  });
  expect(optionType).toBe("bank");
  const { url } = await alone.call("payment-links.link", { businessId, id: link.id });
  expect(url).toBe(link.url);
});

test("prints its usage, and ends with 2 without access to the records", async () => {
  const help = await ended(rotateKeys(NEW, ["--help"]));
  expect(help).toMatchObject({ code: 0, stderr: "" });
  expect(help.stdout).toMatch(/^npm run rotate-keys[\s\S]*Exit code 0[\s\S]*1[\s\S]*2/);
  expect(await ended(rotateKeys(NEW, ["--hlep"]))).toMatchObject({ code: 2, stdout: "" });
  expect(await ended(rotateKeys("new:short"))).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("ENCRYPTION_KEYS must be"),
  });
  environment.MONGO_URL = "mongodb://127.0.0.1:1/payrail";
  const unreachable = await ended(rotateKeys(NEW));
  expect(unreachable).toMatchObject({ code: 2, stdout: "" });
  expect(unreachable.stderr).toMatch(/^MONGO_URL: no MongoDB answers at 127\.0\.0\.1:1/);
});
