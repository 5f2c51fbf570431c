// npm run rotate-keys: a change between its read and its write is kept, a record that cannot be
// decrypted is named, and wrong options end it with 2.

import { randomBytes } from "node:crypto";
import { type LinkedAccount, sealedPlace } from "../../services/accounts/linked-account.model.ts";
import { sealedAccounts } from "../../services/accounts/reseal.ts";
import type { Endpoint } from "../../services/webhooks/endpoints/endpoint.model.ts";
import { sealedSecrets } from "../../services/webhooks/endpoints/reseal.ts";
import { reseal } from "../../shared/security/reseal.ts";
import { seal, unseal } from "../../shared/security/seal.ts";
import { createBusiness, createUser, linkAccount } from "../support/accounts.ts";
import { createLink, ended, openRotation, type Rotation } from "../support/rotation.ts";

const [OLD, NEW] = ["old", "new"].map((id) => `${id}:${randomBytes(32).toString("base64")}`) as [
  string,
  string,
];

const linked = ({ db }: Rotation) => db.collection<LinkedAccount>("linked_accounts");
const endpoints = ({ db }: Rotation) => db.collection<Endpoint>("webhook_endpoints");

/** Runs a test on a database of its own. */
async function inRotation(work: (rotation: Rotation) => Promise<void>): Promise<void> {
  const rotation = await openRotation();
  try {
    await work(rotation);
  } finally {
    await rotation.close();
  }
}

test.concurrent("a change between the command's read and its write is kept", () =>
  inRotation(async (rotation) => {
    const system = await rotation.start(`${OLD},${NEW}`);
    const business = await createBusiness(system);
    const { walletId } = await createUser(system, business.id);
    const account = await linkAccount(system, { businessId: business.id, walletId });
    const hook = { businessId: business.id, url: "http://127.0.0.1:9/" };
    const { id, secret: first } = await system.call("webhooks.createEndpoint", hook);
    const { config } = await rotation.start(`${NEW},${OLD}`);

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
    const ofAccounts = sealedAccounts(rotation.db);
    const done = await reseal(
      config,
      {
        ...ofAccounts,
        collection: interrupted(ofAccounts.collection, () =>
          linked(rotation).updateOne({ _id: account.id }, { $set: { sealed: changed } }),
        ),
      },
      () => {},
    );
    expect(done).toEqual({ resealed: 0, unreadable: 0, reasons: [] });
    expect((await linked(rotation).findOne({ _id: account.id }))?.sealed).toEqual(changed);

    // A rotation of the webhook secret moves the read one to another place in the list.
    let second = "";
    const ofSecrets = sealedSecrets(rotation.db);
    await reseal(
      config,
      {
        ...ofSecrets,
        collection: interrupted(ofSecrets.collection, async () => {
          const turned = await system.call("webhooks.rotateSecret", {
            businessId: business.id,
            id,
          });
          second = turned.secret;
        }),
      },
      () => {},
    );
    const secrets = (await endpoints(rotation).findOne({ _id: id }))?.secrets ?? [];
    expect(secrets.map(({ sealed }) => sealed.keyId)).toEqual(["old", "new"]);
    const texts = secrets.map(({ sealed }) => unseal(config, `webhook:${id}`, sealed));
    expect(texts).toEqual([second, first]);
  }));

test.concurrent("a record that cannot be decrypted is named, stays unchanged, and fails the command", () =>
  inRotation(async (rotation) => {
    const lost = `lost:${randomBytes(32).toString("base64")}`;
    const before = await rotation.start(lost);
    const business = await createBusiness(before);
    const { walletId } = await createUser(before, business.id);
    const owner = { businessId: business.id, walletId };
    const unreadable = await linkAccount(before, owner);
    const link = await createLink(before, business.id);
    await rotation.stop(before);
    const system = await rotation.start(`${OLD},${NEW}`);
    await linkAccount(system, owner);
    await createLink(system, business.id);
    const asItWas = await linked(rotation).findOne({ _id: unreadable.id });

    const { code, stdout } = await ended(rotation.rotateKeys(`${NEW},${OLD}`));
    expect(code).toBe(1);
    expect(
      stdout,
    ).toBe(`linked-account:${unreadable.id}: Encrypted with the key lost, which ENCRYPTION_KEYS lacks
payment-link:${link.id}: Encrypted with the key lost, which ENCRYPTION_KEYS lacks
2 were put under the key new. What lies under each key:
  linked accounts  lost 1, new 1
  account answers  none
  webhook secrets  none
  webhook answers  none
  link tokens      lost 1, new 1
  payment methods  none
  link answers     none
Not everything is under new: bring the missing keys back, or run it again once every process encrypts with new.
`);
    expect(await linked(rotation).findOne({ _id: unreadable.id })).toEqual(asItWas);

    const businessId = business.id;
    const shown = await system.call("payment-links.link", { businessId, id: link.id });
    expect(shown).toMatchObject({ status: "ACTIVE", url: null, application: { token: null } });

    expect(await ended(rotation.rotateKeys(`${NEW},${OLD},${lost}`))).toMatchObject({ code: 0 });
    const alone = await rotation.start(NEW);
    const { optionType } = await alone.call("accounts.instrument", {
      linkedAccountId: unreadable.id,
    });
    expect(optionType).toBe("bank");
    const { url } = await alone.call("payment-links.link", { businessId, id: link.id });
    expect(url).toBe(link.url);
  }));

test.concurrent("services with different keys are rotated one by one, each with its own keys", () =>
  inRotation(async (rotation) => {
    const business = await createBusiness(await rotation.start(OLD));
    const ofWebhooks = `hooks:${randomBytes(32).toString("base64")}`;
    const hook = { businessId: business.id, url: "http://127.0.0.1:9/" };
    const webhooksNode = await rotation.start(ofWebhooks);
    const { id } = await webhooksNode.call("webhooks.createEndpoint", hook);
    const accountsNode = await rotation.start(`${NEW},${OLD}`);
    const { walletId } = await createUser(accountsNode, business.id);
    const account = await linkAccount(accountsNode, { businessId: business.id, walletId });

    const ofAccounts = ["--service", "accounts"];
    const { code, stdout } = await ended(rotation.rotateKeys(`${OLD},${NEW}`, ofAccounts));
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `1 were put under the key old. What lies under each key:
  linked accounts  old 1
  account answers  none
Everything is under old; new may be removed once every process encrypts with old.
`,
    });
    expect((await linked(rotation).findOne({ _id: account.id }))?.sealed.keyId).toBe("old");
    const secrets = (await endpoints(rotation).findOne({ _id: id }))?.secrets ?? [];
    expect(secrets.map(({ sealed }) => sealed.keyId)).toEqual(["hooks"]);

    const [unknown, foreign] = await Promise.all([
      ended(rotation.rotateKeys(OLD, ["--service", "payouts"])),
      ended(rotation.rotateKeys(NEW, ["--service", "webhooks"])),
    ]);
    expect(unknown).toMatchObject({
      code: 2,
      stderr: "--service must be one of accounts, webhooks, payment-links.\n",
    });
    expect(foreign).toMatchObject({ code: 1 });
    expect(foreign.stdout).toContain("Encrypted with the key hooks, which ENCRYPTION_KEYS lacks");
  }));

test.concurrent("prints its usage, and ends with 2 without access to the records", () =>
  inRotation(async (rotation) => {
    const run = (...asked: Parameters<typeof rotation.rotateKeys>) =>
      ended(rotation.rotateKeys(...asked));
    const [help, unknown, short] = await Promise.all([
      run(NEW, ["--help"]),
      run(NEW, ["--hlep"]),
      run("new:short"),
    ]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toMatch(/^npm run rotate-keys[\s\S]*Exit code 0[\s\S]*1[\s\S]*2/);
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(short).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("ENCRYPTION_KEYS must be"),
    });
  }));
