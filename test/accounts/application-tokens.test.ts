// Application tokens: their owners, and that at most one payout spends a token.

import { createHash } from "node:crypto";
import mongoose from "mongoose";
import accounts from "../../services/accounts/accounts.service.ts";
import walletLedger from "../../services/wallet-ledger/wallet-ledger.service.ts";
import type { Params } from "../../shared/contracts/contracts.ts";
import { newId } from "../../shared/ids.ts";
import { CURRENCIES } from "../../shared/money.ts";
import { createBusiness, createUser, failure, openWallet } from "../support/accounts.ts";
import { type System, startSystem } from "../support/system.ts";

let system: System;
let database: mongoose.Connection;
let businessId: string;
let user: { id: string; walletId: string };
beforeAll(async () => {
  system = await startSystem([accounts, walletLedger]);
  database = await mongoose.createConnection(system.config.mongoUrl as string).asPromise();
});
beforeEach(async () => {
  businessId = (await createBusiness(system)).id;
  user = await createUser(system, businessId);
});
afterAll(async () => {
  await database.close();
  await system.stop();
});

const invalid = failure("APPLICATION_TOKEN_INVALID", "Application token is not valid");
const malformed = failure("MALFORMED_REQUEST", "Malformed request");

/** A PAYOUT token of the user, unless overridden. */
function create(overrides: Partial<Params<"accounts.createApplicationToken">> = {}) {
  const payout = { tokenType: "PAYOUT", entityId: user.id, currency: "USD" } as const;
  return system.call("accounts.createApplicationToken", { businessId, ...payout, ...overrides });
}

/** The digest that services exchange in place of a token. */
const hashOf = (token: string) => createHash("sha256").update(token).digest("base64url");

/** Claims 25.00 USD for the user, unless overridden. */
function claim(token: string, overrides: Partial<Params<"accounts.claimToken">> = {}) {
  const user25 = { entityId: user.id, currency: "USD", amountMinor: 2_500 } as const;
  const spent = { tokenHash: hashOf(token), payoutId: newId() };
  return system.call("accounts.claimToken", { ...spent, ...user25, ...overrides });
}

async function list() {
  return (await system.call("accounts.applicationTokens", { businessId })).items;
}

describe("creation", () => {
  test("shows the token once, and lists it masked", async () => {
    const created = await create();
    expect(created).toEqual({
      id: expect.any(String),
      token: expect.stringMatching(/^[\w-]{43}$/),
      tokenType: "PAYOUT",
      entityId: user.id,
      currency: "USD",
      expiredAt: expect.any(String),
      valid: true,
    });
    await expect(list()).resolves.toEqual([
      { ...created, token: `****${created.token.slice(-4)}` },
    ]);
  });

  test("stores no token in the database", async () => {
    const { id, token } = await create();
    const stored = JSON.stringify(await database.collection("application_tokens").find().toArray());
    expect(stored).toContain(id);
    expect(stored).not.toContain(token);
  });

  test("lasts a day, or as long as the request says", async () => {
    const lifetimeMs = Date.parse((await create()).expiredAt) - Date.now();
    expect(Math.round(lifetimeMs / 3_600_000)).toBe(24);
    const expiredAt = new Date(Date.now() + 60_000).toISOString();
    await expect(create({ expiredAt })).resolves.toMatchObject({ expiredAt });
    const past = { expiredAt: new Date(Date.now() - 1).toISOString() };
    await expect(create(past)).rejects.toEqual(
      failure("VALIDATION", "expiredAt must lie in the future"),
    );
  });

  test("with MERCHANT_WALLET names an amount and a wallet of the business itself", async () => {
    const walletId = await openWallet(system, businessId, businessId);
    const funded = { withdrawalSource: "MERCHANT_WALLET", amount: 25, walletId } as const;
    await expect(create(funded)).resolves.toMatchObject({
      amount: "25.00",
      withdrawalSource: "MERCHANT_WALLET",
      walletId,
    });

    const other = await createBusiness(system);
    const theirs = await openWallet(system, other.id, other.id);
    for (const unknown of [theirs, newId()]) {
      await expect(create({ ...funded, walletId: unknown })).rejects.toEqual(
        failure("WALLET_NOT_FOUND"),
      );
    }
    const message = "walletId must be a wallet of the business itself, in the token's currency";
    const euros = await openWallet(system, businessId, businessId, "EUR");
    for (const wrong of [user.walletId, euros]) {
      await expect(create({ ...funded, walletId: wrong })).rejects.toEqual(
        failure("VALIDATION", message),
      );
    }
    await expect(create({ withdrawalSource: "MERCHANT_WALLET" })).rejects.toEqual(
      failure(
        "VALIDATION",
        "amount must be given with MERCHANT_WALLET; walletId must be given with MERCHANT_WALLET",
      ),
    );
  });

  test("refuses fields without an effect", async () => {
    const withoutSource = "walletId must be left out without withdrawalSource MERCHANT_WALLET";
    await expect(create({ walletId: user.walletId })).rejects.toEqual(
      failure("VALIDATION", withoutSource),
    );
    await expect(create({ tokenType: "ACCOUNT", amount: 25 })).rejects.toEqual(
      failure("VALIDATION", "tokenType must be PAYOUT where amount or withdrawalSource is given"),
    );
  });

  test("accepts only entities of the business", async () => {
    const other = await createBusiness(system);
    const theirs = await createUser(system, other.id);
    for (const entityId of [theirs.id, other.id, newId()]) {
      await expect(create({ entityId })).rejects.toEqual(failure("ENTITY_NOT_FOUND"));
    }
    await expect(create({ entityId: "no-uuid" })).rejects.toEqual(
      failure("VALIDATION", "entityId must be a UUID"),
    );
  });

  test("names every wrong field and stores no token", async () => {
    const wrong = {
      tokenType: "PAYMENT_LINK",
      currency: "usd",
      amount: 1.005,
      withdrawalSource: null,
      walletId: { $ne: 1 },
      expiredAt: "tomorrow",
    };
    await expect(create(wrong as never)).rejects.toMatchObject({
      type: "VALIDATION",
      message: [
        "tokenType must be one of PAYOUT, ACCOUNT",
        `currency must be one of ${CURRENCIES.join(", ")}`,
        "amount must be a number above 0 and up to 9999999999.99 with at most two decimals",
        "withdrawalSource must be MERCHANT_WALLET, but is null",
        "walletId must be a UUID, but is an object",
        "expiredAt must be an ISO 8601 date or time, but is not written like 2026-12-01 or 2026-12-01T10:00:00Z",
      ].join("; "),
    });
    await expect(list()).resolves.toEqual([]);
  });

  test("is listed in pages, oldest first, only to its own business", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push((await create()).id);
    const second = { businessId, page: 2, limit: 2 };
    const { items, meta } = await system.call("accounts.applicationTokens", second);
    expect(items.map((item) => item.id)).toEqual(ids.slice(2));
    expect(meta).toEqual({ page: 2, pageSize: 2, pageCount: 2, total: 3 });

    const other = await createBusiness(system);
    const theirs = await system.call("accounts.applicationTokens", { businessId: other.id });
    expect(theirs.meta).toMatchObject({ total: 0 });
    const missing = system.call("accounts.applicationTokens", { businessId: newId() });
    await expect(missing).rejects.toEqual(failure("BUSINESS_NOT_FOUND"));
  });
});

describe("a claim", () => {
  test("spends the token for one payout, and repeats its answer to that payout", async () => {
    const { token } = await create();
    const payoutId = newId();
    for (let i = 0; i < 3; i++) {
      await expect(claim(token, { payoutId })).resolves.toEqual({ walletId: null });
    }
    await expect(claim(token)).rejects.toEqual(invalid);
    await expect(list()).resolves.toMatchObject([{ valid: false }]);
  });

  test("names the merchant's wallet if the payout debits it", async () => {
    const walletId = await openWallet(system, businessId, businessId);
    const funded = { withdrawalSource: "MERCHANT_WALLET", amount: 25, walletId } as const;
    const { token } = await create(funded);
    await expect(claim(token)).resolves.toEqual({ walletId });
  });

  test("succeeds for one of many concurrent payouts", async () => {
    const { token } = await create();
    const race = Array.from({ length: 30 }, () => claim(token));
    const results = await Promise.allSettled(race);
    const refused = results.filter((result) => result.status === "rejected");
    expect(refused).toHaveLength(29);
    for (const { reason } of refused) expect(reason).toEqual(invalid);
  });

  test("must match the token's entity, currency and kind", async () => {
    const { token } = await create();
    const other = await createUser(system, businessId);
    await expect(claim(token, { entityId: other.id })).rejects.toEqual(invalid);
    await expect(claim(token, { entityId: businessId })).rejects.toEqual(invalid);
    await expect(claim(token, { currency: "EUR" })).rejects.toEqual(invalid);
    const account = await create({ tokenType: "ACCOUNT" });
    await expect(claim(account.token)).rejects.toEqual(invalid);
    for (const unknown of ["x", account.id, `${token}x`, token.slice(1)]) {
      await expect(claim(unknown)).rejects.toEqual(invalid);
    }
    await expect(claim(token)).resolves.toEqual({ walletId: null });
  });

  test("of another amount is malformed, but only if the token is valid otherwise", async () => {
    const { token } = await create({ amount: 25 });
    const other = await createUser(system, businessId);
    await expect(claim(token, { amountMinor: 2_499 })).rejects.toEqual(malformed);
    await expect(claim(token, { amountMinor: 2_499, entityId: other.id })).rejects.toEqual(invalid);
    await expect(claim(token, { amountMinor: 2_499, currency: "EUR" })).rejects.toEqual(invalid);
    await expect(claim(token)).resolves.toEqual({ walletId: null });
    await expect(claim(token, { amountMinor: 2_499 })).rejects.toEqual(invalid);
  });

  test("is refused after the token's expiry, except when repeated by its payout", async () => {
    const [late, held] = [await create({ amount: 25 }), await create()];
    const payoutId = newId();
    await claim(held.token, { payoutId });
    // Time passes: the stored expiry moves into the past.
    const ids = [late.id, held.id];
    await database
      .collection<{ _id: string }>("application_tokens")
      .updateMany({ _id: { $in: ids } }, { $set: { expiresAt: new Date(Date.now() - 1) } });

    await expect(claim(late.token)).rejects.toEqual(invalid);
    await expect(claim(late.token, { amountMinor: 1 })).rejects.toEqual(invalid);
    await expect(claim(held.token, { payoutId })).resolves.toEqual({ walletId: null });
    await expect(list()).resolves.toMatchObject([{ valid: false }, { valid: false }]);
  });
});

describe("a release", () => {
  const release = (token: string, payoutId: string) =>
    system.call("accounts.releaseToken", { tokenHash: hashOf(token), payoutId });

  test("frees the token for another payout, but not for the same one", async () => {
    const { token } = await create();
    const declined = newId();
    await claim(token, { payoutId: declined });
    await release(token, declined);
    await release(token, declined);

    await expect(list()).resolves.toMatchObject([{ valid: true }]);
    await expect(claim(token, { payoutId: declined })).rejects.toEqual(invalid);
    await expect(claim(token)).resolves.toEqual({ walletId: null });
  });

  test("that arrives before its claim blocks the claim", async () => {
    const { token } = await create();
    const declined = newId();
    await release(token, declined);
    await expect(claim(token, { payoutId: declined })).rejects.toEqual(invalid);
    await expect(claim(token)).resolves.toEqual({ walletId: null });
  });

  test("of another payout leaves the token with its holder", async () => {
    const { token } = await create();
    const holder = newId();
    await claim(token, { payoutId: holder });
    await release(token, newId());
    await expect(claim(token, { payoutId: holder })).resolves.toEqual({ walletId: null });
    await expect(claim(token)).rejects.toEqual(invalid);
  });

  test("of an unknown token is no error", async () => {
    await expect(release("unknown", newId())).resolves.toEqual({});
  });

  test("works more often than the number of remembered releases", async () => {
    const { token } = await create();
    for (let i = 0; i < 120; i++) {
      const payoutId = newId();
      await claim(token, { payoutId });
      await release(token, payoutId);
    }
    const [stored] = await database.collection("application_tokens").find({ businessId }).toArray();
    expect(stored?.releasedFor).toHaveLength(100);
    await expect(claim(token)).resolves.toEqual({ walletId: null });
  });
});
