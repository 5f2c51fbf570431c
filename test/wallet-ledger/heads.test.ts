// Heads of the ledger over HTTP: what they say, who gets them, and that nothing takes one for an
// access token.

import { randomUUID } from "node:crypto";
import jwt from "jsonwebtoken";
import {
  balanceAt,
  type LedgerHead,
  type LedgerHeadClaims,
  type LedgerHeadError,
  ledgerDigest,
  type OwnBalance,
  verifyLedgerHead,
} from "../../clients/typescript/src/index.ts";
import { readPublicKeys, thumbprint } from "../../shared/security/jwt-keys.ts";
import { privatePem, publicPem } from "../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stop());

const pathOf = ({ id }: { id: string }) => `/v1/business/${id}/ledger-head`;

const makeHead = async (business: TestBusiness): Promise<LedgerHead> =>
  dataOf(await world.http.get(pathOf(business), { token: business.token }), 200);

async function publicKeys() {
  const { status, body } = await world.http.get("/.well-known/ledger-keys.json");
  expect(status).toBe(200);
  return body;
}

/** The balances of all accounts of a business at a head, computed from its statements alone. */
async function ownBalances(business: TestBusiness, claims: LedgerHeadClaims) {
  const { id, token } = business;
  const balances: OwnBalance[] = [];
  for (const kind of ["wallets", "collection-accounts"]) {
    const path = `/v1/business/${id}/${kind}`;
    for (const account of dataOf(await world.http.get(path, { token }), 200)) {
      const entries = dataOf(await world.http.get(`${path}/${account.id}/entries`, { token }), 200);
      const balance = balanceAt(claims, entries);
      balances.push({ id: account.id, currency: account.currency, balance });
    }
  }
  return balances;
}

function codeOf(check: () => unknown): string {
  try {
    check();
  } catch (error) {
    return (error as LedgerHeadError).code;
  }
  return "valid";
}

test("a head has the sums of the business, and the digest of its own statements", async () => {
  const { business, user, wallet } = await world.payer(100);
  await world.wallet(business, business, 40.5, "EUR");
  await world.wallet(business, await world.user(business));
  await world.collectionAccount(business, 25);
  const { head, claims } = await makeHead(business);
  expect(claims).toMatchObject({
    sub: business.id,
    accounts: 3,
    sums: { SPEND: { USD: "100.00", EUR: "40.50" }, COLLECTION: { USD: expect.any(String) } },
  });
  expect(claims.journal).toHaveLength(16);
  expect(Math.abs(Date.now() / 1_000 - claims.iat)).toBeLessThan(60);

  // Later traffic changes neither the head nor the balances that a statement had at it.
  await world.withdraw(user, await world.bank(business, wallet), { amount: 10 });
  const keys = await publicKeys();
  const balances = await ownBalances(business, claims);
  expect(balances.map(({ balance }) => balance)).toContain("100.00");
  expect(verifyLedgerHead(head, keys, balances)).toEqual(claims);
  const changed = balances.map((each) => ({ ...each, balance: each.balance.replace("1", "2") }));
  expect(codeOf(() => verifyLedgerHead(head, keys, changed))).toBe("other_balances");

  const later = await makeHead(business);
  expect(later.claims.digest).not.toBe(claims.digest);
  expect(later.claims.digest).toBe(ledgerDigest(await ownBalances(business, later.claims)));
  await world.verifyBooks([head, later.head]);
});

test("the head of a business without money has the digest of nothing", async () => {
  const { claims } = await makeHead(await world.business());
  expect(claims).toMatchObject({ accounts: 0, sums: { SPEND: {}, COLLECTION: {} } });
  expect(claims.digest).toBe(ledgerDigest([]));
});

test("the head of operators has the sums of all businesses, and theirs agree with it", async () => {
  const token = world.tokens.admin(randomUUID());
  const whole = async (): Promise<LedgerHead> =>
    dataOf(await world.http.get("/v1/admin/ledger-head", { token }), 200);
  const before = await whole();
  const { business } = await world.payer(12.34);
  const after = await whole();
  const cents = ({ claims }: LedgerHead) => Math.round(Number(claims.sums.SPEND.USD ?? 0) * 100);
  expect(cents(after) - cents(before)).toBe(1_234);
  expect(after.claims).not.toHaveProperty("digest");
  const one = await makeHead(business);
  expect(one.claims.sums.SPEND).toEqual({ USD: "12.34" });
  await world.verifyBooks([before.head, after.head, one.head]);
});

test("only the merchant gets a business's head, and only operators the whole ledger's", async () => {
  const [business, other] = [await world.business(), await world.business()];
  const user = await world.user(business);
  const statusOf = async (path: string, token?: string) =>
    (await world.http.get(path, { token })).status;
  expect(await statusOf(pathOf(business), other.token)).toBe(404);
  expect(await statusOf(pathOf(business), user.token)).toBe(401);
  expect(await statusOf(pathOf(business))).toBe(401);
  expect(await statusOf("/v1/admin/ledger-head", business.token)).toBe(401);
});

test("a changed head, a head of another key and an access token are no heads", async () => {
  const business = await world.business();
  const { head } = await makeHead(business);
  const keys = await publicKeys();
  const [header, payload = "", signature] = head.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  const other = Buffer.from(JSON.stringify({ ...claims, accounts: 7 })).toString("base64url");
  const check = (text: string, by = keys) => codeOf(() => verifyLedgerHead(text, by));
  expect(check(head)).toBe("valid");
  expect(check([header, other, signature].join("."))).toBe("wrong_signature");
  expect(check(head, { keys: [] })).toBe("unknown_key");
  expect(check(business.token)).toBe("invalid_head");
  expect(check("nonsense")).toBe("invalid_head");
});

test("no head is an access token, even if one key signs both", async () => {
  const shared = await startWorld({ environment: { LEDGER_HEAD_KEY: privatePem(world.config) } });
  try {
    for (const each of [world, shared]) {
      const business = await each.business();
      const { head } = await each.call("wallet-ledger.head", { businessId: business.id });
      expect((await each.http.get(pathOf(business), { token: head })).status).toBe(401);
    }
    // The gateway of the first world verifies with the key that signs the other's heads.
    const business = await world.business();
    const { head } = await shared.call("wallet-ledger.head", { businessId: business.id });
    const signer = jwt.decode(head, { complete: true })?.header.kid;
    const accessKey = readPublicKeys(publicPem(world.config))?.[0];
    expect(signer).toBe(accessKey && thumbprint(accessKey));
    expect((await world.http.get(pathOf(business), { token: head })).status).toBe(401);
  } finally {
    await shared.stop();
  }
});

test("without a key there are no heads", async () => {
  const without = await startWorld({ environment: { LEDGER_HEAD_KEY: "" } });
  try {
    const business = await without.business();
    const answer = await without.http.get(pathOf(business), { token: business.token });
    expect(answer.status).toBe(501);
    expect((await without.http.get("/.well-known/ledger-keys.json")).body).toEqual({ keys: [] });
  } finally {
    await without.stop();
  }
});

test("the published key is the one that signs, by its thumbprint", async () => {
  const { keys } = await publicKeys();
  const { ledgerHeadKey } = world.config;
  expect(keys).toHaveLength(1);
  expect(keys[0].kid).toBe(ledgerHeadKey && thumbprint(ledgerHeadKey));
  expect(JSON.stringify(keys)).not.toContain('"d"');
});
