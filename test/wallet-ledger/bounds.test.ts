// The bounds of balances: every wallet stays within the safe integers. The ledger declines a
// posting beyond them with a clear reason, and changes no balance. System accounts, which all
// businesses share, wrap around instead, so that no business can block another one.

import mongoose, { type Connection } from "mongoose";
import { readBlock } from "../../services/wallet-ledger/block-format.ts";
import type { BlockLog } from "../../services/wallet-ledger/block-log.ts";
import {
  type Account,
  BEFORE_FIRST_BLOCK,
  type StoredBlock,
} from "../../services/wallet-ledger/journal.model.ts";
import { createLedger, type Ledger } from "../../services/wallet-ledger/ledger.ts";
import { systemClock } from "../../shared/clock.ts";
import { newId } from "../../shared/ids.ts";
import { PARTITIONS, partitionFor } from "../../shared/rpc/partitions.ts";
import { verifyLedger } from "../../tools/verify/verify.ts";
import { refusal } from "../support/refusal.ts";
import { startWorld, type TestBusiness, type World } from "../support/world.ts";

const ALMOST_ALL = Number.MAX_SAFE_INTEGER - 1;
const FULL = refusal("The amount is more than the books can hold");

let world: World;
let connection: Connection;
let beside: Ledger[];

beforeEach(async () => {
  beside = [];
  world = await startWorld();
  connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
});

afterEach(async () => {
  for (const ledger of beside) await ledger.stop();
  const report = await verifyLedger(connection);
  await connection.close();
  await world.stop();
  expect(report.violations).toEqual([]);
});

const post = (
  kind: "payout" | "payout-reversal",
  method: "ACH" | "RTP" | "WIRE",
  walletId: string,
  amountMinor: number,
) => {
  const money = { currency: "USD", method, amountMinor, feesMinor: 0 } as const;
  return world.call("wallet-ledger.post", {
    postings: [{ id: newId(), kind, walletId, ...money }],
  });
};

const fund = ({ id, token }: TestBusiness, walletId: string, reference: string) =>
  world.http.post(
    `/v1/business/${id}/wallets/${walletId}/fund`,
    { amount: 1, reference },
    { token },
  );

/** The sum of the journal's legs for each account. */
async function sums(): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  const blocks = await connection.collection<StoredBlock>("ledger_blocks").find().toArray();
  for (const { transfers } of blocks.map(readBlock)) {
    for (const [account, amountMinor] of transfers.flatMap(({ legs }) => legs)) {
      found[account] = (found[account] ?? 0) + amountMinor;
    }
  }
  return found;
}

/** Opens a second ledger process on the world's database. */
async function ledgerBeside(): Promise<BlockLog> {
  const ledger = await createLedger({ connection }, systemClock, () => {});
  beside.push(ledger);
  return ledger.log;
}

/** A wallet without an owner in the same partition, which therefore shares the system accounts. */
async function insertNeighbour(walletId: string): Promise<string> {
  const p = partitionFor(walletId, PARTITIONS);
  let _id = newId();
  while (partitionFor(_id, PARTITIONS) !== p) _id = newId();
  const empty = { checkpoint: BEFORE_FIRST_BLOCK, createdAt: new Date() };
  const accounts = connection.collection<Account>("ledger_accounts");
  await accounts.insertOne({ _id, p, type: "SPEND", currency: "USD", ...empty });
  return _id;
}

test("a funding that a wallet cannot hold is a 400, also when repeated, and moves no money", async () => {
  const { business, wallet } = await world.payer();
  await post("payout-reversal", "ACH", wallet.id, ALMOST_ALL);
  const before = await sums();
  for (let i = 0; i < 2; i++) {
    const answer = await fund(business, wallet.id, "one too many");
    expect(answer).toMatchObject({ status: 400, body: FULL });
  }
  expect(await sums()).toEqual(before);
  expect(await world.balance(business, wallet)).toBe("90071992547409.90");
});

test("a wallet that is almost full accepts an amount up to its bound, to the last cent", async () => {
  const { wallet } = await world.payer();
  await post("payout-reversal", "ACH", wallet.id, ALMOST_ALL);
  expect(await post("payout-reversal", "RTP", wallet.id, 1)).toMatchObject([
    { outcome: "committed" },
  ]);
  expect(await post("payout-reversal", "RTP", wallet.id, 1)).toEqual([
    { outcome: "declined", reason: "bound" },
  ]);
});

test("system accounts wrap around, so that no business can block another one", async () => {
  const { business, user, wallet } = await world.payer();
  const bank = await world.bank(business, wallet);
  const neighbour = await insertNeighbour(wallet.id);
  const funding = { kind: "funding" as const, walletId: neighbour, currency: "USD" as const };
  // Funds to the bound and pays out again, twice. Many fundings over HTTP have the same effect.
  const log = await ledgerBeside();
  for (let i = 0; i < 2; i++) {
    const posting = { ...funding, id: newId(), amountMinor: ALMOST_ALL };
    expect(await log.post({ posting })).toMatchObject({ outcome: "committed" });
    expect(await post("payout", "ACH", neighbour, ALMOST_ALL)).toMatchObject([
      { outcome: "committed" },
    ]);
  }
  expect((await fund(business, wallet.id, "first")).status).toBe(201);
  expect((await fund(business, wallet.id, "second")).status).toBe(201);
  expect(await world.balance(business, wallet)).toBe("2.00");
  const answer = await world.withdraw(user, bank, { amount: 1, routingType: "ACH" });
  expect(answer.status).toBe(200);
  // 0.25 is the fee.
  expect(await world.balance(business, wallet)).toBe("0.75");
});

test("a transfer that the wallet cannot hold is a 400, also when repeated, and the money goes back", async () => {
  const business = await world.business();
  const accountId = await world.collectionAccount(business, 50);
  const wallet = await world.wallet(business, business);
  await post("payout-reversal", "ACH", wallet.id, ALMOST_ALL);
  const path = `/v1/business/${business.id}/collection-accounts/${accountId}/transfers`;
  const body = { walletId: wallet.id, amount: 20, reference: "too much" };
  for (let i = 0; i < 2; i++) {
    const answer = await world.http.post(path, body, { token: business.token });
    expect(answer).toMatchObject({ status: 400, body: FULL });
  }
  expect(await world.balance(business, { id: accountId })).toBe("50.00");
  expect(await world.balance(business, wallet)).toBe("90071992547409.90");
  const list = await world.http.get(path, { token: business.token });
  expect(list.body.data).toMatchObject([{ status: "FAILED", amount: "20.00" }]);
});
