// A change of RAILS: each module gets requests only for the payouts that name it.

import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Books, openBooks } from "../support/payouts.ts";
import { endOf, startService } from "../support/processes.ts";
import { until } from "../support/system.ts";
import { startWorld, type World } from "../support/world.ts";

/** A rail that writes its requests to a file, and settles payments once the file has `settles`. */
const bookkeeper = (name: string) => `
import { appendFileSync, readFileSync } from "node:fs";
const book = new URL("${name}.txt", import.meta.url);
const record = (line) => appendFileSync(book, line + "\\n");
const has = (line) => readFileSync(book, "utf8").split("\\n").includes(line);
const find = (start) => readFileSync(book, "utf8").split("\\n").find((line) => line.startsWith(start));
const sumOf = (id) => {
  const [, , amount, currency] = find("sum " + id).split(" ");
  return { amountMinor: Number(amount), currency };
};
const state = (id) =>
  has("settles")
    ? { kind: "settled", ...sumOf(id), askAfterMs: 100 }
    : { kind: "accepted", askAfterMs: 100 };
export default () => ({
  name: "${name}",
  test: true,
  returnWindowMs: 0,
  async submit({ id, amountMinor, currency }) {
    record("sum " + id + " " + amountMinor + " " + currency);
    record("submit " + id);
    return state(id);
  },
  async query(id) {
    record("query " + id);
    return has("submit " + id) ? state(id) : { kind: "notFound" };
  },
  async cancel(id) {
    record("cancel " + id);
    return "cancelled";
  },
});
`;

let world: World;
let books: Books;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "payrail-rails-"));
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

test("after a change of RAILS only a payout's own rail gets its queries", async () => {
  const business = await world.business();
  const user = await world.user(business);
  const bank = await world.bank(business, await world.wallet(business, user, 100));
  // The gateway may still call the stopped process, which accepts no call.
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
    // The first payout's rail is not configured, so its outcome is unknown and nothing changes.
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
