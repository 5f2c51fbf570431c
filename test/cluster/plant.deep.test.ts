// The plant serves withdrawals, and its nodes come back after kills.

import { type Http, httpClient } from "../support/http.ts";
import { until } from "../support/system.ts";
import { buildersOver, type TestAccount, type TestUser } from "../support/world.ts";
import { type Plant, startPlant } from "./plant/plant.ts";

let plant: Plant;
let http: Http;
let builders: ReturnType<typeof buildersOver>;
let user: TestUser;
let bank: TestAccount;

beforeAll(async () => {
  plant = await startPlant();
  http = await httpClient(Number(new URL(plant.gateways[0] as string).port));
  builders = buildersOver(plant, http);
  const business = await builders.business();
  user = await builders.user(business);
  const wallet = await builders.wallet(business, user, 1_000);
  bank = await builders.bank(business, wallet);
});
afterAll(async () => {
  await builders?.verifyBooks();
  builders?.close();
  http?.close();
  await plant?.stop();
});

const isServed = async () => (await builders.withdraw(user, bank, { amount: 1 })).status === 200;

test("a killed primary is replaced, and comes back as a member in sync", async () => {
  const primary = await plant.mongo.primary();
  await primary.kill();
  await until(isServed, { awaited: "a withdrawal" });
  expect((await plant.mongo.primary()).name).not.toBe(primary.name);
  await primary.start();
  await plant.awaitHealed();
});
