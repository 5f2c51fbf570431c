// A transfer arrives after its ledger node dies between the two halves, because another node sweeps
// it.

import mongoose from "mongoose";
import { verify } from "../../tools/verify/verify.ts";
import { endOf, startDying } from "../support/processes.ts";
import { until } from "../support/system.ts";
import { createMerchant, readBalances, transfer } from "../support/transfers.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

const HOUR_MS = 3_600_000;

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

test("a transfer is pending after its node dies between the two halves, and arrives", async () => {
  const one = await createMerchant(world);
  const point = "transfer-out-posted";
  const { child, nodeID } = await startDying(world, "wallet-ledger", point, one.business.id);
  const asked = { reference: "dies", walletId: one.walletId, amount: 40 };
  const params = { businessId: one.business.id, id: one.accountId, ...asked };
  const answer = world.broker
    .call("wallet-ledger.transfer", params, { nodeID, timeout: 5_000 })
    .catch(() => "no answer");
  expect(await endOf(child)).toBe("SIGKILL");

  // No other node has swept it yet, because the sweeper waits for ten seconds.
  const left = await until(() => readBalances(world, one).catch(() => null), {
    awaited: "the other node",
  });
  expect(left).toEqual(["60.00", "0.00"]);
  // As young as the verification, and long before it.
  for (const now of [Date.now(), Date.now() + HOUR_MS]) {
    const report = await verify(connection, { now });
    expect(report).toMatchObject({ ok: true, checked: { "transfers on their way": 1 } });
  }
  expect(await answer).toBe("no answer");

  const arrived = async () => (await readBalances(world, one))[1] === "40.00";
  await until(arrived, { awaited: "the second half" });
  const after = await verify(connection);
  expect([after.ok, after.checked["transfers on their way"]]).toEqual([true, undefined]);
  expect(dataOf(await transfer(world, one, asked), 201).status).toBe("SUCCESS");
  expect(await readBalances(world, one)).toEqual(["60.00", "40.00"]);
});
