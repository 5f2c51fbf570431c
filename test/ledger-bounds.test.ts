// What the books can hold: every balance stays within the safe integers. A posting that would leave
// them is refused clearly and changes nothing, whichever of its accounts it is that is full.

import mongoose, { type Connection } from "mongoose";
import {
  type Account,
  BEFORE_FIRST_BLOCK,
  type Block,
} from "../services/wallet-ledger/journal.model.ts";
import { verifyLedger } from "../services/wallet-ledger/verify.ts";
import { newId } from "../shared/ids.ts";
import { PARTITIONS, partitionOf } from "../shared/partitions.ts";
import { startWorld, type TestBusiness, type World } from "./support/world.ts";

const ALMOST_ALL = Number.MAX_SAFE_INTEGER - 1;
const FULL = { success: false, message: "The amount is more than the books can hold", fatal: true };

let world: World;
let connection: Connection;

beforeEach(async () => {
  world = await startWorld();
  connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
});

afterEach(async () => {
  const report = await verifyLedger(connection);
  await connection.close();
  await world.stop();
  expect(report.violations).toEqual([]);
});

async function arrange() {
  const business = await world.business();
  const user = await world.user(business);
  const wallet = await world.wallet(business, user);
  return { business, user, wallet };
}

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

/** What the journal adds up to, of each account. */
async function sums(): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const { transfers } of await connection
    .collection<Block>("ledger_blocks")
    .find()
    .toArray()) {
    for (const [account, amountMinor] of transfers.flatMap(({ legs }) => legs)) {
      found[account] = (found[account] ?? 0) + amountMinor;
    }
  }
  return found;
}

/** A wallet of nobody in the same partition, so that it shares the system accounts. */
async function neighbourOf(walletId: string): Promise<string> {
  const p = partitionOf(walletId, PARTITIONS);
  let _id = newId();
  while (partitionOf(_id, PARTITIONS) !== p) _id = newId();
  const empty = { checkpoint: BEFORE_FIRST_BLOCK, createdAt: new Date() };
  const accounts = connection.collection<Account>("ledger_accounts");
  await accounts.insertOne({ _id, p, type: "SPEND", currency: "USD", ...empty });
  return _id;
}

test("a funding that a wallet cannot hold is a 400, asked again too, and changes nothing", async () => {
  const { business, wallet } = await arrange();
  await post("payout-reversal", "ACH", wallet.id, ALMOST_ALL);
  const before = await sums();
  for (let i = 0; i < 2; i++) {
    const answer = await fund(business, wallet.id, "one too many");
    expect(answer).toMatchObject({ status: 400, body: FULL });
  }
  expect(await sums()).toEqual(before);
  expect(await world.balance(business, wallet)).toBe("90071992547409.90");
});

test("a wallet that is almost full takes what fits, to the last cent", async () => {
  const { wallet } = await arrange();
  await post("payout-reversal", "ACH", wallet.id, ALMOST_ALL);
  // By another method, whose clearing account is empty.
  expect(await post("payout-reversal", "RTP", wallet.id, 1)).toEqual([{ outcome: "committed" }]);
  expect(await post("payout-reversal", "RTP", wallet.id, 1)).toEqual([
    { outcome: "declined", reason: "bound" },
  ]);
});

test("a withdrawal that its clearing account cannot hold is a 400 and changes nothing", async () => {
  const { business, user, wallet } = await arrange();
  const bank = await world.bank(business, wallet);
  await post("payout-reversal", "RTP", wallet.id, 10_000);
  const neighbour = await neighbourOf(wallet.id);
  await post("payout-reversal", "RTP", neighbour, ALMOST_ALL - 10_000);
  await post("payout", "ACH", neighbour, ALMOST_ALL - 10_000);
  await post("payout-reversal", "WIRE", neighbour, 5_000);
  await post("payout", "ACH", neighbour, 5_000);
  const before = await sums();
  const answer = await world.withdraw(user, bank, { amount: 99, routingType: "ACH" });
  expect(answer).toMatchObject({ status: 400, body: FULL });
  expect(await sums()).toEqual(before);
  expect(await world.balance(business, wallet)).toBe("100.00");
  expect((await world.withdraw(user, bank, { amount: 25, routingType: "ACH" })).status).toBe(200);
});

test("a transfer that the wallet cannot hold is a 400, asked again too, and the money goes back", async () => {
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
