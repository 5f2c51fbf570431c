// Rails are named in configuration: a module's rail takes its method, the sandbox the others, and a
// module that is none ends the start.

import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Books, openBooks } from "./support/payouts.ts";
import { endOf, forkService, startService } from "./support/processes.ts";
import { dataOf, startWorld, type World } from "./support/world.ts";

/** A rail that settles at once, and wants to see the account's number for that. */
const RAIL = `
export default function rail(config) {
  return {
    returnWindowMs: 0,
    async submit(payment, instrument) {
      const { data } = await instrument();
      const sees = data.accountNumber.endsWith(payment.lastFour) && config.sandbox;
      return sees ? { kind: "settled" } : { kind: "rejected", code: "account_not_found" };
    },
    query: async () => ({ kind: "unknown" }),
    cancel: async () => "no",
  };
}
`;

let world: World;
let books: Books;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "payrail-rails-"));
  await writeFile(join(directory, "rail.mjs"), RAIL);
  await writeFile(join(directory, "none.mjs"), "export const rail = null;");
  world = await startWorld({ overNats: true, payoutsInstead: [] });
  books = await openBooks(world);
});

afterAll(async () => {
  await books.close();
  await world.stop();
  await rm(directory, { recursive: true });
});

const paying = (file: string) => ({
  WITHDRAWAL_LIMIT: "off",
  RAILS: JSON.stringify({ ACH: join(directory, file) }),
});

test("a rail of configuration's pays its method, the sandbox the others", async () => {
  const { child } = await startService(world, "payouts", paying("rail.mjs"));
  const business = await world.business();
  const user = await world.user(business);
  const bank = await world.bank(business, await world.wallet(business, user, 100));
  const byAch = dataOf(await world.withdraw(user, bank, { routingType: "ACH" }), 200).id;
  const byRtp = dataOf(await world.withdraw(user, bank, { routingType: "RTP" }), 200).id;
  await world.status(business, byAch, "SUCCESS");
  await world.status(business, byRtp, "SUCCESS");
  expect(await books.rail.distinct("_id")).toEqual([byRtp]);
  expect(await books.payouts.findOne({ _id: byAch })).toMatchObject({ step: "closed" });
  await world.verifyBooks();
  child.kill();
  await endOf(child);
});

test("a module that makes no rail ends the start, and says which", async () => {
  const child = forkService(world, "payouts", paying("none.mjs"));
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  // With all that it said.
  const [code] = await once(child, "close");
  expect(code).not.toBe(0);
  expect(said).toContain("none.mjs");
});
