// A lost key of ENCRYPTION_KEYS affects only the data that it encrypted: lists show the plain
// fields, no money is taken for an account with an unreadable number, an already accepted
// payout waits for the key like for a silent rail, and a webhook without a readable secret shows
// the reason.

import { randomBytes } from "node:crypto";
import type { ServiceSchema } from "moleculer";
import { Webhook } from "standardwebhooks";
import type { Rail } from "../../partners/types.ts";
import accounts from "../../services/accounts/accounts.service.ts";
import { createOpener } from "../../services/accounts/opening.ts";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import type { Config } from "../../shared/config/config.ts";
import { seal } from "../../shared/security/seal.ts";
import { type Books, openBooks, railsOf } from "../support/payouts.ts";
import { refusal } from "../support/refusal.ts";
import { settableClock } from "../support/settable-clock.ts";
import { until } from "../support/system.ts";
import {
  dataOf,
  startWorld,
  type TestAccount,
  type TestBusiness,
  type TestUser,
  type TestWallet,
  type World,
} from "../support/world.ts";

const DAY_MS = 86_400_000;
const key = (id: string) => ({ id, key: randomBytes(32) });
const fresh = key("fresh");

const clock = settableClock();
/** A rail that needs the account's number; it accepts no payment while it is closed. */
const bank = { isClosed: false, asked: 0 };
const rail: Rail = {
  name: "numbered",
  returnWindowMs: 0,
  async submit({ amountMinor, currency }, instrument) {
    bank.asked += 1;
    if (bank.isClosed) return { kind: "unknown" };
    await instrument();
    return { kind: "settled", amountMinor, currency };
  },
  query: () => Promise.resolve({ kind: "notFound" }),
  cancel: () => Promise.resolve("no"),
};

let world: World;
let books: Books;
let business: TestBusiness;
let user: TestUser;
let wallet: TestWallet;
let sealedBefore: TestAccount;
let sealedAfter: TestAccount;

beforeAll(async () => {
  world = await startWorld({
    environment: { WEBHOOK_RETRY_SCHEDULE: "100ms,100ms,100ms,100ms,1h" },
    payoutsInstead: [{ rails: railsOf(rail, ["ACH"]), clock }],
  });
  books = await openBooks(world);
  ({ business, user, wallet } = await world.payer(1_000));
  sealedBefore = await world.bank(business, wallet);
});
beforeEach(async () => {
  clock.aheadMs = 0;
  await restart("accounts", accounts, [fresh]);
  sealedAfter ??= await world.bank(business, wallet);
});
afterAll(async () => {
  clock.aheadMs = 0;
  await books.bringBack();
  await world.verifyBooks();
  await books.close();
  await world.stop();
});

/** Starts a service again, with these keys. */
async function restart(
  name: string,
  service: (config: Config) => ServiceSchema,
  encryptionKeys: Config["encryptionKeys"],
): Promise<void> {
  await world.broker.destroyService(name);
  world.broker.createService(service({ ...world.config, encryptionKeys }));
  await world.broker.waitForServices(name, 60_000, 20);
}

test("both lists show the account beside the others, without the encrypted fields", async () => {
  const lists = [
    { path: `/v1/business/${business.id}/linked-accounts/USD`, token: business.token },
    { path: "/v1/ext/linked-accounts/USD", token: user.token },
  ];
  for (const { path, token } of lists) {
    const { body } = await world.http.get(path, { token });
    const rows = body.data as Record<string, unknown>[];
    expect(rows.map(({ id }) => id)).toEqual([sealedBefore.id, sealedAfter.id]);
    expect(rows[0]).toMatchObject({
      optionType: "bank",
      counterPartyName: "Ada Lovelace",
      counterPartyEmail: "ada@example.com",
      account: null,
      recipientData: null,
    });
    expect(rows[1]).toMatchObject({
      account: { bankName: "First Bank" },
      recipientData: { bankName: "First Bank" },
    });
    const one = await world.http.get(`${path}?bank=First&last4=6789&limit=1`, { token });
    expect(one.body).toMatchObject({ data: [{ id: sealedBefore.id }], meta: { total: 2 } });
  }
});

test("the log names the key once, and no encrypted data", () => {
  const lines: string[] = [];
  const opener = createOpener({ encryptionKeys: [fresh] }, (line) => void lines.push(line));
  for (const _id of ["1", "2", "3"]) {
    const sealed = seal({ encryptionKeys: [key("lost")] }, `linked-account:${_id}`, "{}");
    expect(opener.open({ _id, sealed })).toBeNull();
    expect(opener.hasKey(sealed.keyId)).toBe(false);
  }
  expect(lines).toEqual([
    "Linked accounts cannot be opened. Encrypted with the key lost, which ENCRYPTION_KEYS lacks",
  ]);
});

test("a withdrawal to the account is refused before any write or debit", async () => {
  const before = await books.payouts.countDocuments();
  const balance = await world.balance(business, wallet);
  const refused = await world.withdraw(user, sealedBefore);
  expect(refused).toMatchObject({
    status: 503,
    body: refusal("Temporarily unavailable. Please try again."),
  });
  expect(await books.payouts.countDocuments()).toBe(before);
  expect(await world.balance(business, wallet)).toBe(balance);

  // Other accounts work, and for another user the account does not exist, as before.
  const { id } = dataOf(await world.withdraw(user, sealedAfter), 200);
  await world.status(business, id, "SUCCESS");
  const stranger = await world.user(business);
  expect((await world.withdraw(stranger, sealedBefore)).status).toBe(404);
});

test("an accepted payout waits for its key, and asks for an operator after a day", async () => {
  await restart("accounts", accounts, world.config.encryptionKeys);
  bank.isClosed = true;
  const { id } = dataOf(await world.withdraw(user, sealedBefore), 200);
  const balance = await world.balance(business, wallet);
  await until(() => books.payouts.findOne({ _id: id, unknownSince: { $exists: true } }));

  await restart("accounts", accounts, [fresh]);
  bank.isClosed = false;
  const asked = bank.asked;
  await clock.passDuring(until(() => bank.asked >= asked + 2));
  const waiting = await books.payouts.findOne({ _id: id });
  expect(waiting).toMatchObject({ status: "PENDING", needsAttention: false });
  clock.aheadMs = DAY_MS + 60_000;
  await until(() => books.payouts.findOne({ _id: id, needsAttention: true }));
  expect(await books.payouts.findOne({ _id: id })).toMatchObject({ status: "PENDING" });
  expect(await world.balance(business, wallet)).toBe(balance);

  await restart("accounts", accounts, [fresh, ...world.config.encryptionKeys]);
  clock.aheadMs += DAY_MS;
  const paid = await world.status(business, id, "SUCCESS");
  expect(paid).toMatchObject({ needsAttention: false });
  expect(await world.balance(business, wallet)).toBe(balance);
});

test("a webhook without a readable secret fails with the reason, and is sent after a rotation", async () => {
  const hook = await world.hook(business);
  await restart("webhooks", webhooks, [fresh]);
  const path = `/v1/business/${business.id}/webhooks/${hook.id}`;
  const { token } = business;
  dataOf(await world.http.post(`${path}/test`, {}, { token }), 201);
  const attempts = async () => {
    const [delivery] = dataOf(await world.http.get(`${path}/deliveries`, { token }), 200);
    return delivery.attempts as { error: string | null; statusCode: number | null }[];
  };
  await until(async () => (await attempts()).length > 0);
  expect((await attempts())[0]).toMatchObject({
    statusCode: null,
    error: "The endpoint's secret cannot be read: rotate it",
  });
  expect(hook.received).toEqual([]);

  const { secret } = dataOf(await world.http.post(`${path}/rotate-secret`, {}, { token }), 200);
  dataOf(await world.http.post(`${path}/test`, {}, { token }), 201);
  const received = await until(() => hook.received[0]);
  new Webhook(secret).verify(received.text, received.headers as Record<string, string>);
});
