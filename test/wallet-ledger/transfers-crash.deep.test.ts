// A transfer arrives after its ledger node dies between the two halves, because another node sweeps
// it.

import { randomUUID } from "node:crypto";
import mongoose from "mongoose";
import { verify } from "../../verification/verify.ts";
import { endOf, startDying } from "../support/processes.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

let world: World;
let connection: mongoose.Connection;

beforeAll(async () => {
  world = await startWorld({ overNats: true });
  connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
});
afterAll(async () => {
  await connection?.close();
  await world?.stop();
});
afterEach(() => world.verifyBooks());

interface Merchant {
  business: TestBusiness;
  /** The collection account, with a balance of 100.00. */
  accountId: string;
  /** The empty wallet of the business itself. */
  walletId: string;
}

async function merchant(collected = 100): Promise<Merchant> {
  const business = await world.business();
  const accountId = await world.collectionAccount(business, collected);
  const { id: walletId } = await world.wallet(business, business);
  return { business, accountId, walletId };
}

const pathOf = ({ business, accountId }: Merchant) =>
  `/v1/business/${business.id}/collection-accounts/${accountId}/transfers`;

function transfer(from: Merchant, body: Record<string, unknown> = {}) {
  const whole = { walletId: from.walletId, amount: 40, reference: randomUUID(), ...body };
  return world.http.post(pathOf(from), whole, { token: from.business.token });
}

const balancesOf = async ({ business, accountId, walletId }: Merchant) =>
  Promise.all([accountId, walletId].map((id) => world.balance(business, { id })));

test("a transfer is pending after its node dies between the two halves, and arrives", async () => {
  const one = await merchant();
  const point = "transfer-out-posted";
  const { child, nodeID } = await startDying(world, "wallet-ledger", point, one.business.id);
  const asked = { reference: "dies", walletId: one.walletId, amount: 40 };
  const params = { businessId: one.business.id, id: one.accountId, ...asked };
  const answer = world.broker
    .call("wallet-ledger.transfer", params, { nodeID, timeout: 5_000 })
    .catch(() => "no answer");
  expect(await endOf(child)).toBe("SIGKILL");

  // No other node has swept it yet, because the sweeper waits for ten seconds.
  const left = await until(() => balancesOf(one).catch(() => null), { what: "the other node" });
  expect(left).toEqual(["60.00", "0.00"]);
  const report = await verify(connection);
  expect(report).toMatchObject({ ok: true, checked: { "transfers on their way": 1 } });
  expect(await answer).toBe("no answer");

  const arrived = async () => (await balancesOf(one))[1] === "40.00";
  await until(arrived, { what: "the second half" });
  const after = await verify(connection);
  expect([after.ok, after.checked["transfers on their way"]]).toEqual([true, undefined]);
  expect(dataOf(await transfer(one, asked), 201).status).toBe("SUCCESS");
  expect(await balancesOf(one)).toEqual(["60.00", "40.00"]);
});
