// Configured rails: the first module of a payout method takes its new payouts, and the sandbox
// serves the other methods. A module that is no rail of the system's mode ends the start.

import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Books, openBooks } from "../support/payouts.ts";
import { endOf, forkService, startService } from "../support/processes.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

/** A rail that settles at once, and opens the account's number before. */
const RAIL = `
export default function rail(config) {
  return {
    name: "numbered",
    test: true,
    returnWindowMs: 0,
    async submit(payment, instrument) {
      const { data } = await instrument();
      const sees = data.accountNumber.endsWith(payment.lastFour) && config.sandbox;
      const { amountMinor, currency } = payment;
      return sees
        ? { kind: "settled", amountMinor, currency }
        : { kind: "rejected", code: "account_not_found" };
    },
    query: async () => ({ kind: "unknown" }),
    cancel: async () => "no",
  };
}
`;

const REAL = RAIL.replace("test: true,", "");

let world: World;
let books: Books;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "payrail-rails-"));
  await writeFile(join(directory, "rail.mjs"), RAIL);
  await writeFile(join(directory, "twin.mjs"), RAIL);
  await writeFile(join(directory, "real.mjs"), REAL);
  await writeFile(join(directory, "sandbox.mjs"), RAIL.replace('"numbered"', '"sandbox"'));
  await writeFile(join(directory, "none.mjs"), "export const rail = null;");
  world = await startWorld({ overNats: true, payoutsInstead: [] });
  books = await openBooks(world);
});

afterAll(async () => {
  await books.close();
  await world.stop();
  await rm(directory, { recursive: true });
});

const paying = (...files: string[]) => ({
  WITHDRAWAL_LIMIT: "off",
  RAILS: JSON.stringify({ ACH: files.map((file) => join(directory, file)) }),
});

test("a configured rail pays by its method, and the sandbox by the other methods", async () => {
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

test.each([
  ["a module that makes no rail", ["none.mjs"], "none.mjs"],
  ["a module that may move real money, beside the sandbox", ["real.mjs"], "test: true"],
  ["a module with the name of the sandbox's own", ["sandbox.mjs"], 'other than "sandbox"'],
  ["two modules of one name", ["rail.mjs", "twin.mjs"], "names must differ"],
])("%s ends the start with the reason", async (_name, files, reason) => {
  const child = forkService(world, "payouts", paying(...files));
  let output = "";
  child.stderr?.on("data", (chunk) => {
    output += chunk;
  });
  // Waits for the whole error output.
  const [code] = await once(child, "close");
  expect(code).not.toBe(0);
  expect(output).toContain(reason);
});
