// A balance report that is too long to be whole in a process: all of it arrives, and one that the
// ledger does not finish is cut off, so that its reader does not take the beginning for the whole.

import mongoose from "mongoose";
import { seedBlocks, seedWallets } from "../../tools/bench/support/seed.ts";
import { startWorld, type TestBusiness, type World } from "../support/world.ts";

const PARTITION = 3;
const MOVEMENTS = 4_000;

let world: World;
let business: TestBusiness;
/** A wallet to which each movement has added one cent. */
let walletId: string;

beforeAll(async () => {
  world = await startWorld({ overNats: true });
  business = await world.business();
  const connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
  const db = connection.getClient().db(connection.name);
  [walletId = ""] = await seedWallets(db, 1, { partition: PARTITION, businessId: business.id });
  const block = Array<string>(4).fill(walletId);
  await seedBlocks(db, PARTITION, Array<string[]>(MOVEMENTS / 4).fill(block), 1);
  await connection.close();
});
afterAll(() => world?.stop());

function ask(): Promise<Response> {
  const query = `currency=USD&from=2020-01-01&to=2999-01-01&walletId=${walletId}`;
  return fetch(`${world.http.url}/v1/business/${business.id}/reports/balance?${query}`, {
    headers: { authorization: `Bearer ${business.token}` },
  });
}

const brokerOf = (name: string) =>
  world.brokers.find(({ services }) => services.some((each) => each.name === name));

test("a report of many pages has every movement, oldest first", async () => {
  const response = await ask();
  expect(response.headers.get("content-length")).toBeNull();
  const { data } = (await response.json()) as {
    data: { opening: string; closing: string; rows: { balance: string }[] };
  };
  expect([data.opening, data.closing]).toEqual(["0.00", "40.00"]);
  expect(data.rows.map(({ balance }) => Number(balance))).toEqual(
    Array.from({ length: MOVEMENTS }, (_, i) => (i + 1) / 100),
  );
});

test("a report is cut off if the ledger goes away", async () => {
  const gateway = brokerOf("gateway") as NonNullable<ReturnType<typeof brokerOf>>;
  const call = gateway.call.bind(gateway) as (...args: unknown[]) => Promise<unknown>;
  let pages = 0;
  jest.spyOn(gateway, "call").mockImplementation(async (...args: unknown[]) => {
    if (args[0] === "wallet-ledger.movements") pages += 1;
    if (pages === 5) await brokerOf("wallet-ledger")?.stop();
    return call(...args);
  });
  const response = await ask();
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow("terminated");
});
