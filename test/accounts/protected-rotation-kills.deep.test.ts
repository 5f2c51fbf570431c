// A rotation of thousands of records is killed half-way, while payrail links accounts, and runs
// again.

import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { type LinkedAccount, sealedPlace } from "../../services/accounts/linked-account.model.ts";
import { sealedAccounts } from "../../services/accounts/reseal.ts";
import {
  methodPlace,
  type SavedMethod,
} from "../../services/payment-links/payments/saved-method.model.ts";
import type { Params } from "../../shared/contracts/contracts.ts";
import { newId } from "../../shared/ids.ts";
import { countByKey } from "../../shared/security/reseal.ts";
import { seal, unseal } from "../../shared/security/seal.ts";
import { bankData, createBusiness, createUser, linkAccount } from "../support/accounts.ts";
import { startReceiver } from "../support/receiver.ts";
import { createLink, ended, openRotation, type Rotation } from "../support/rotation.ts";
import { type System, until } from "../support/system.ts";
import { cardNumber, chargeBody, paymentBody } from "../support/world.ts";

const MANY = 12_000;
const [OLD, NEW] = ["old", "new"].map((id) => `${id}:${randomBytes(32).toString("base64")}`) as [
  string,
  string,
];

let rotation: Rotation;

beforeEach(async () => {
  rotation = await openRotation();
});
afterEach(() => rotation.close());

/**
 * Saves a card for a subscription.
 * @returns its token of the vault
 */
async function saveCard(system: System, businessId: string): Promise<string> {
  const plan = { checkoutType: "recurring", recurringCharge: chargeBody() };
  const { token } = await createLink(system, businessId, {
    ...plan,
    expiredAt: "2999-01-01T00:00:00.000Z",
  });
  const details = { number: cardNumber("4242"), expMonth: 12, expYear: 2099, cvc: "123" };
  const card = await system.call("payment-links.createCardToken", details);
  const request = paymentBody(card.token) as Pick<
    Params<"payment-links.setup">,
    "customer" | "paymentMethod"
  >;
  await system.call("payment-links.setup", { token, address: "192.0.2.1", ...request });
  return card.token;
}

const methods = () => rotation.db.collection<SavedMethod>("payment_methods");
const linked = () => rotation.db.collection<LinkedAccount>("linked_accounts");

/**
 * Copies an account, each copy with its own data.
 * @returns their texts by id
 */
async function seedAccounts(system: System, like: string): Promise<Map<string, string>> {
  const model = (await linked().findOne({ _id: like })) as LinkedAccount;
  const texts = new Map<string, string>();
  const copies = Array.from({ length: MANY }, () => {
    const [_id, text] = [newId(), JSON.stringify(bankData())];
    texts.set(_id, text);
    const sealed = seal(system.config, sealedPlace(_id), text);
    return { ...model, _id, fingerprint: _id, sealed };
  });
  await linked().insertMany(copies);
  return texts;
}

/** Decrypts all stored records with any of the keys. */
async function openAll(system: System): Promise<Map<string, string>> {
  const all = await linked().find().toArray();
  return new Map(
    all.map(({ _id, sealed }) => [_id, unseal(system.config, sealedPlace(_id), sealed)] as const),
  );
}

function expectAll(opened: Map<string, string>, texts: Map<string, string>): void {
  expect([...texts].filter(([id, text]) => opened.get(id) !== text)).toEqual([]);
}

test("thousands of records are rotated beside a payrail that links, after a kill half-way", async () => {
  const before = await rotation.start(`${OLD},${NEW}`);
  const business = await createBusiness(before);
  const { walletId } = await createUser(before, business.id);
  const owner = { businessId: business.id, walletId };
  const first = await linkAccount(before, owner);
  const texts = await seedAccounts(before, first.id);
  const receiver = await startReceiver();
  const hook = { businessId: business.id, url: receiver.url() };
  const kept = await before.call("webhooks.createEndpoint", hook);
  const turned = await before.call("webhooks.createEndpoint", hook);
  const link = await createLink(before, business.id);
  // Of another business, because the test does not read its events.
  const cardToken = await saveCard(before, (await createBusiness(before)).id);
  const turnedAgain = await before.call("webhooks.rotateSecret", {
    businessId: business.id,
    id: turned.id,
  });
  await rotation.stop(before);

  const beside = await rotation.start(`${NEW},${OLD}`);
  const ids = [...texts.keys()];
  const traffic = { stopped: false, linked: [] as string[], opened: 0 };
  async function live(): Promise<void> {
    while (!traffic.stopped) {
      const linkedAccountId = ids[traffic.opened % ids.length] as string;
      const { data } = await beside.call("accounts.instrument", { linkedAccountId });
      expect(JSON.stringify(data)).toBe(texts.get(linkedAccountId));
      traffic.opened += 997;
      const account = await linkAccount(beside, owner);
      traffic.linked.push(account.id);
    }
  }
  const lives = live();

  // Killed after some records have the new key, and before all have it.
  const killed = rotation.rotateKeys(`${NEW},${OLD}`);
  await until(() => linked().findOne({ _id: { $in: ids }, "sealed.keyId": "new" }));
  process.kill(killed.pid, "SIGKILL");
  expect(await ended(killed)).toMatchObject({ signal: "SIGKILL" });
  const half = await countByKey(sealedAccounts(rotation.db));
  expect(half.get("old")).toBeGreaterThan(0);
  expect(half.get("new")).toBeGreaterThan(0);
  expectAll(await openAll(beside), texts);

  const again = await ended(rotation.rotateKeys(`${NEW},${OLD}`));
  traffic.stopped = true;
  await lives;
  expect(again).toMatchObject({ code: 0 });
  expect(again.stdout).toMatch(
    /^[\d,]+ were put under the key new\. What lies under each key:\n {2}linked accounts {2}new [\d,]+\n {2}account answers {2}none\n {2}webhook secrets {2}new 3\n {2}webhook answers {2}none\n {2}link tokens {6}new 2\n {2}payment methods {2}new 1\n {2}link answers {5}none\nEverything is under new; old may be removed once every process encrypts with new\.\n$/,
  );
  expect(traffic.linked.length).toBeGreaterThan(0);
  await rotation.stop(beside);

  const alone = await rotation.start(NEW);
  const opened = await openAll(alone);
  expect(opened.size).toBe(MANY + 1 + traffic.linked.length);
  expectAll(opened, texts);
  const shown = await alone.call("payment-links.link", { businessId: business.id, id: link.id });
  expect(shown).toMatchObject({ url: link.url, application: { token: link.token } });
  const method = (await methods().findOne()) as SavedMethod;
  expect(unseal(alone.config, methodPlace(method._id), method.token)).toBe(cardToken);
  for (const { id } of [kept, turned]) {
    await alone.call("webhooks.testEndpoint", { businessId: business.id, id });
  }
  await until(() => receiver.accepted.length === 2);
  const signedBy = (secret: string) =>
    receiver.requests.filter(({ body, headers }) => {
      try {
        return new Webhook(secret).verify(body, headers as Record<string, string>) !== null;
      } catch {
        return false;
      }
    }).length;
  for (const { secret } of [kept, turned, turnedAgain]) expect(signedBy(secret)).toBe(1);
  await receiver.stop();
});
