// The ledger through its actions on a real MongoDB: balances, declines, repeated postings,
// statements, races.

import type { ServiceSchema } from "moleculer";
import mongoose from "mongoose";
import type { Account } from "../../services/wallet-ledger/journal.model.ts";
import walletLedger from "../../services/wallet-ledger/wallet-ledger.service.ts";
import { POSTED_WITHIN_MS } from "../../shared/contracts/contract.ts";
import { newId } from "../../shared/ids.ts";
import { verifyLedger } from "../../tools/verify/verify.ts";
import { type System, startSystem } from "../support/system.ts";

/** Replaces accounts and accepts every entity, because this test does not check entities. */
function anyEntity(): ServiceSchema {
  return {
    name: "accounts",
    actions: {
      entity: ({ params }: { params: { entityId: string } }) => ({ id: params.entityId }),
    },
  };
}

const businessId = newId();

async function openWallet(system: System, funds = 0): Promise<string> {
  const entityId = newId();
  const { wallet } = await system.call("wallet-ledger.openWallet", {
    businessId,
    entityId,
    currency: "USD",
  });
  if (funds > 0) {
    const fund = { businessId, walletId: wallet.id, amount: funds, reference: "first" };
    await system.call("wallet-ledger.fund", fund);
  }
  return wallet.id;
}

const readBalance = async (system: System, walletId: string) =>
  (await system.call("wallet-ledger.wallet", { businessId, walletId })).balance;

function payout(walletId: string, amountMinor: number, feesMinor = 25, id = newId()) {
  const money = { currency: "USD", method: "ACH", amountMinor, feesMinor } as const;
  return { id, kind: "payout", walletId, ...money } as const;
}

describe.each([
  ["in one process", false],
  ["over NATS", true],
])("the ledger %s", (_name, overNats) => {
  let system: System;

  beforeAll(async () => {
    system = await startSystem([anyEntity, walletLedger], {}, { overNats });
  });

  afterAll(async () => {
    const connection = await mongoose
      .createConnection(system.config.mongoUrl as string)
      .asPromise();
    // The payouts of these postings have no documents.
    const report = await verifyLedger(connection);
    await connection.close();
    await system.stop();
    expect(report.violations).toEqual([]);
  });

  const post = async (...postings: ReturnType<typeof payout>[]) =>
    system.call("wallet-ledger.post", { postings });

  test("a wallet that is opened twice is one wallet", async () => {
    const owner = { businessId, entityId: newId(), currency: "USD" as const };
    const opened = await Promise.all(
      Array.from({ length: 5 }, () => system.call("wallet-ledger.openWallet", owner)),
    );
    expect(new Set(opened.map(({ wallet }) => wallet.id)).size).toBe(1);
    expect(opened.filter(({ created }) => created)).toHaveLength(1);
    expect(opened[0]?.wallet).toMatchObject({ balance: "0.00", disabled: false, type: "SPEND" });
  });

  test("a funding counts once for its reference, and another amount is a conflict", async () => {
    const walletId = await openWallet(system);
    const fund = { businessId, walletId, amount: 12.34, reference: "wire 7" };
    const [first, second] = await Promise.all([
      system.call("wallet-ledger.fund", fund),
      system.call("wallet-ledger.fund", fund),
    ]);
    expect(first).toMatchObject({ flow: "FUNDING", status: "SUCCESS", amount: "12.34" });
    expect(second?.id).toBe(first?.id);
    expect(await readBalance(system, walletId)).toBe("12.34");
    await expect(
      system.call("wallet-ledger.fund", { ...fund, amount: 12.35 }),
    ).rejects.toMatchObject({ type: "CONFLICT" });
    expect(await readBalance(system, walletId)).toBe("12.34");
  });

  test("a payout debits amount and fees, and its reversal gives both back", async () => {
    const walletId = await openWallet(system, 100);
    const debit = payout(walletId, 5_000);
    expect(await post(debit)).toMatchObject([{ outcome: "committed" }]);
    expect(await readBalance(system, walletId)).toBe("49.75");
    const reversal = { ...debit, id: `${debit.id}:reversal`, kind: "payout-reversal" as const };
    expect(await system.call("wallet-ledger.post", { postings: [reversal] })).toMatchObject([
      { outcome: "committed" },
    ]);
    expect(await readBalance(system, walletId)).toBe("100.00");
    const entries = await system.call("wallet-ledger.entriesOf", {
      walletId,
      transactionId: debit.id,
    });
    expect(entries).toMatchObject([
      { id: debit.id, transactionId: debit.id, entry: "DEBIT", amount: "50.25", balance: "49.75" },
      { transactionId: debit.id, entry: "CREDIT", amount: "50.25", balance: "100.00" },
    ]);
  });

  test("a repeated id has the same answer, and another payload is a conflict", async () => {
    const walletId = await openWallet(system, 10);
    const debit = payout(walletId, 400);
    const answers = await Promise.all([post(debit), post(debit), post(debit)]);
    expect(answers.flat()).toEqual(Array(3).fill({ outcome: "committed", balance: 575 }));
    expect(await readBalance(system, walletId)).toBe("5.75");
    expect(await post({ ...debit, amountMinor: 401 })).toEqual([
      { outcome: "failed", reason: "conflict" },
    ]);
    expect(await readBalance(system, walletId)).toBe("5.75");
  });

  test("a declined posting stays declined after the wallet was funded", async () => {
    const walletId = await openWallet(system, 1);
    const debit = payout(walletId, 5_000);
    expect(await post(debit)).toEqual([{ outcome: "declined", reason: "funds" }]);
    await system.call("wallet-ledger.fund", {
      businessId,
      walletId,
      amount: 99,
      reference: "more",
    });
    expect(await post(debit)).toEqual([{ outcome: "declined", reason: "funds" }]);
    expect(await readBalance(system, walletId)).toBe("100.00");
  });

  test("a void prevents every later debit of the id, and returns an existing decision", async () => {
    const walletId = await openWallet(system, 100);
    const late = payout(walletId, 100);
    const voided = await system.call("wallet-ledger.post", { postings: [{ ...late, void: true }] });
    expect(voided).toEqual([{ outcome: "declined", reason: "void" }]);
    expect(await post(late)).toEqual([{ outcome: "declined", reason: "void" }]);
    const debited = payout(walletId, 100);
    await post(debited);
    expect(
      await system.call("wallet-ledger.post", { postings: [{ ...debited, void: true }] }),
    ).toMatchObject([{ outcome: "committed" }]);
    expect(await readBalance(system, walletId)).toBe("98.75");
  });

  test("a posting past its deadline is refused", async () => {
    const walletId = await openWallet(system, 100);
    const inTime = { ...payout(walletId, 10, 0), deadline: Date.now() + POSTED_WITHIN_MS };
    expect(await post(inTime)).toMatchObject([{ outcome: "committed" }]);
    const late = { ...payout(walletId, 90, 0), deadline: Date.now() - 60_000 };
    expect(await post(late)).toEqual([{ outcome: "failed", reason: "unknown" }]);
    expect(await readBalance(system, walletId)).toBe("99.90");
  });

  test("a posting to a wallet that a read does not show is unknown, and decided once it is shown", async () => {
    const walletId = await openWallet(system);
    const connection = await mongoose
      .createConnection(system.config.mongoUrl as string)
      .asPromise();
    const accounts = connection.collection<Account>("ledger_accounts");
    const wallet = (await accounts.findOne({ _id: walletId })) as Account;
    // Like a node with majority reads that are older than the wallet.
    await accounts.deleteOne({ _id: walletId });
    const credit = { ...payout(walletId, 100), kind: "payout-reversal" as const };
    const give = () => system.call("wallet-ledger.post", { postings: [credit] });
    expect(await give()).toEqual([{ outcome: "failed", reason: "unknown" }]);
    await accounts.insertOne(wallet);
    await connection.close();
    expect(await give()).toMatchObject([{ outcome: "committed" }]);
    expect(await readBalance(system, walletId)).toBe("1.25");
  });

  test("a posting in a currency other than the wallet's is rejected and moves no money", async () => {
    const walletId = await openWallet(system, 100);
    const right = payout(walletId, 100);
    const wrong = { ...right, currency: "EUR" as const };
    const answers = await system.call("wallet-ledger.post", { postings: [wrong, right] });
    // This proves no decision for the other payload under the same id, so its caller asks again.
    expect(answers).toEqual([
      { outcome: "failed", reason: "rejected" },
      { outcome: "failed", reason: "unknown" },
    ]);
    expect(await post(right)).toMatchObject([{ outcome: "committed" }]);
    expect(await readBalance(system, walletId)).toBe("98.75");
  });

  test("a funding of a missing wallet is refused, and no funding is stored", async () => {
    const fund = { businessId, walletId: newId(), amount: 1, reference: "nowhere" };
    await expect(system.call("wallet-ledger.fund", fund)).rejects.toMatchObject({
      type: "WALLET_NOT_FOUND",
    });
    const { items } = await system.call("wallet-ledger.fundings", { businessId, limit: 100 });
    expect(items.filter(({ reason }) => reason === "nowhere")).toEqual([]);
  });

  test("a disabled wallet is not debited, and reversals still credit it", async () => {
    const walletId = await openWallet(system, 100);
    const debit = payout(walletId, 1_000);
    await post(debit);
    const change = { businessId, walletId };
    const wallet = await system.call("wallet-ledger.setDisabled", { ...change, disabled: true });
    expect(wallet.disabled).toBe(true);
    expect(await post(payout(walletId, 1_000))).toEqual([
      { outcome: "declined", reason: "disabled" },
    ]);
    const reversal = { ...debit, id: `${debit.id}:reversal`, kind: "payout-reversal" as const };
    expect(await system.call("wallet-ledger.post", { postings: [reversal] })).toMatchObject([
      { outcome: "committed" },
    ]);
    await system.call("wallet-ledger.setDisabled", { ...change, disabled: false });
    expect(await post(payout(walletId, 1_000))).toMatchObject([{ outcome: "committed" }]);
  });

  test("200 debits race for funds for seven: seven are committed, exact to the cent", async () => {
    const walletId = await openWallet(system, 70.5);
    const postings = Array.from({ length: 200 }, () => payout(walletId, 975));
    const answers = await Promise.all(postings.map((posting) => post(posting)));
    const committed = answers.flat().filter(({ outcome }) => outcome === "committed");
    expect(committed).toHaveLength(7);
    expect(await readBalance(system, walletId)).toBe("0.50");
  });

  test("a statement lists all pages newest first, without declines", async () => {
    const walletId = await openWallet(system, 1_000);
    for (let i = 1; i <= 5; i++)
      await post(...Array.from({ length: 7 }, () => payout(walletId, i)));
    await post(payout(walletId, 99_999_999));
    const seen: { balance: string }[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof statement>> = await statement(walletId, cursor);
      seen.push(...page.items);
      cursor = page.meta.nextCursor;
    } while (cursor);
    expect(seen).toHaveLength(36);
    expect(seen[0]?.balance).toBe(await readBalance(system, walletId));
    expect(seen.at(-1)).toMatchObject({ kind: "funding", entry: "CREDIT", balance: "1000.00" });
    await expect(
      system.call("wallet-ledger.entries", { businessId, walletId, cursor: "x.1" }),
    ).rejects.toMatchObject({ type: "VALIDATION" });
  });

  const statement = (walletId: string, cursor: string | null) =>
    system.call("wallet-ledger.entries", {
      businessId,
      walletId,
      limit: 10,
      ...(cursor && { cursor }),
    });

  test("a credit that the wallet cannot hold is declined and moves no money", async () => {
    const walletId = await openWallet(system);
    const credit = () => ({
      ...payout(walletId, Number.MAX_SAFE_INTEGER - 1, 0),
      kind: "payout-reversal" as const,
    });
    const give = (posting: ReturnType<typeof credit>) =>
      system.call("wallet-ledger.post", { postings: [posting] });
    expect(await give(credit())).toMatchObject([{ outcome: "committed" }]);
    expect(await give(credit())).toEqual([{ outcome: "declined", reason: "bound" }]);
    const fund = { businessId, walletId, amount: 1, reference: "one too many" };
    for (let i = 0; i < 2; i++) {
      await expect(system.call("wallet-ledger.fund", fund)).rejects.toMatchObject({
        type: "BALANCE_BOUND",
      });
    }
    expect(await readBalance(system, walletId)).toBe("90071992547409.90");
  });

  test("another business's wallet is not found", async () => {
    const walletId = await openWallet(system, 5);
    const other = { businessId: newId(), walletId };
    for (const refused of [
      system.call("wallet-ledger.wallet", other),
      system.call("wallet-ledger.entries", other),
      system.call("wallet-ledger.setDisabled", { ...other, disabled: true }),
      system.call("wallet-ledger.fund", { ...other, amount: 1, reference: "r" }),
    ]) {
      await expect(refused).rejects.toMatchObject({ type: "WALLET_NOT_FOUND" });
    }
    expect(await readBalance(system, walletId)).toBe("5.00");
  });
});
