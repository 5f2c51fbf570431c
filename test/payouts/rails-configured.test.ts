// Rails are named in configuration: the first module of a method takes its new payouts, each module is
// asked about the payouts that name it, the sandbox serves the other methods, and a module that is no
// rail of the system's mode ends the start.

import { once } from "node:events";
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Books, openBooks } from "../support/payouts.ts";
import { endOf, forkService, startService } from "../support/processes.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

/** A rail that settles at once, and wants to see the account's number for that. */
const RAIL = `
export default function rail(config) {
  return {
    name: "numbered",
    test: true,
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

/** A rail that writes its questions to a file, and settles its payments once the file has `settles`. */
const bookkeeper = (name: string) => `
import { appendFileSync, readFileSync } from "node:fs";
const book = new URL("${name}.txt", import.meta.url);
const told = (line) => appendFileSync(book, line + "\\n");
const has = (line) => readFileSync(book, "utf8").split("\\n").includes(line);
const state = () => ({ kind: has("settles") ? "settled" : "accepted", askAfterMs: 100 });
export default () => ({
  name: "${name}",
  test: true,
  returnWindowMs: 0,
  async submit({ id }) {
    told("submit " + id);
    return state();
  },
  async query(id) {
    told("query " + id);
    return has("submit " + id) ? state() : { kind: "notFound" };
  },
  async cancel(id) {
    told("cancel " + id);
    return "cancelled";
  },
});
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
  await writeFile(join(directory, "none.mjs"), "export const rail = null;");
  for (const name of ["old", "new"]) {
    await writeFile(join(directory, `${name}.mjs`), bookkeeper(name));
    await writeFile(join(directory, `${name}.txt`), "");
  }
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

test("a rail of configuration pays its method, the sandbox the others", async () => {
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

test("after RAILS changes, a payout's own rail is asked on, and no other one", async () => {
  const business = await world.business();
  const user = await world.user(business);
  const bank = await world.bank(business, await world.wallet(business, user, 100));
  // The gateway may still send to the process that was stopped, which takes nothing.
  const pay = () =>
    until<string>(async () => {
      const { status, body } = await world.withdraw(user, bank);
      return status === 200 && body.data.id;
    });
  const bookOf = (name: string) => readFile(join(directory, `${name}.txt`), "utf8");
  const during = async (files: string[], work: () => Promise<void>) => {
    const { child } = await startService(world, "payouts", paying(...files));
    await work();
    child.kill();
    await endOf(child);
  };
  let first = "";
  await during(["old.mjs"], async () => {
    first = await pay();
    expect(await books.step(first, "settle")).toMatchObject({ rail: "old" });
  });
  await appendFile(join(directory, "new.txt"), "settles\n");
  await during(["new.mjs"], async () => {
    expect(await books.step(await pay(), "closed")).toMatchObject({ status: "SUCCESS" });
    // The first payout's rail is not configured any more: its outcome is unknown, and nothing changes.
    await until(() => books.payouts.findOne({ _id: first, unknownSince: { $exists: true } }));
    expect(await books.payouts.findOne({ _id: first })).toMatchObject({ step: "settle" });
  });
  await appendFile(join(directory, "old.txt"), "settles\n");
  await during(["new.mjs", "old.mjs"], async () => {
    const second = await pay();
    expect(await books.step(second, "closed")).toMatchObject({ status: "SUCCESS" });
    expect(await books.step(first, "closed")).toMatchObject({ status: "SUCCESS" });
    expect(await bookOf("new")).toContain(`submit ${second}`);
    expect(await bookOf("old")).not.toContain(second);
  });
  expect(await bookOf("new")).not.toContain(first);
  await world.verifyBooks();
});

test.each([
  ["a module that makes no rail", ["none.mjs"], "none.mjs"],
  ["a module that may move real money, beside the sandbox", ["real.mjs"], "test: true"],
  ["two modules of one name", ["rail.mjs", "twin.mjs"], "names must differ"],
])("%s ends the start with the reason", async (_name, files, reason) => {
  const child = forkService(world, "payouts", paying(...files));
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  // With all that it said.
  const [code] = await once(child, "close");
  expect(code).not.toBe(0);
  expect(said).toContain(reason);
});
