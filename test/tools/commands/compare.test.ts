// npm run compare: a real system pays out and collects, and then the test damages one side like a
// restore or a partner's mistake. The command names each difference, and writes no data.

import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import mongoose, { type Connection } from "mongoose";
import { newId } from "../../../shared/ids.ts";
import { openBooks } from "../../../tools/commands/compare/books.ts";
import {
  type Comparison,
  compare,
  type Difference,
} from "../../../tools/commands/compare/compare.ts";
import type { ListBounds, Partner } from "../../../tools/commands/compare/list.ts";
import { findPartner } from "../../../tools/commands/compare/partners.ts";
import { openPaymentBooks, type PaymentBooks } from "../../support/payments.ts";
import { type Books, openBooks as openPayouts } from "../../support/payouts.ts";
import { runNode, type Sandbox, sandbox } from "../../support/scripts.ts";
import { allStored } from "../../support/stored.ts";
import { until } from "../../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../../support/world.ts";

let world: World;
let books: Books;
let payments: PaymentBooks;
let connection: Connection;
let business: TestBusiness;
let place: Sandbox;
let paid: string[];
let made: Collected[];
const began = Date.now() - 1;
const commands = new Set<string>();

beforeAll(async () => {
  world = await startWorld();
  books = await openPayouts(world);
  payments = await openPaymentBooks(world);
  const url = world.config.mongoUrl as string;
  connection = await mongoose.createConnection(url, { monitorCommands: true }).asPromise();
  connection.getClient().on("commandStarted", ({ commandName }) => commands.add(commandName));
  business = await world.business();
  place = await sandbox();
  paid = await paidOut("6789", "6789", "6789", "6789", "6789", "6789", "0003", "0001");
  made = [await collected(), await collected(), await collected(), await collected()];
  await world.verifyBooks();
});

afterAll(async () => {
  place?.clean();
  await connection?.close();
  await books?.close();
  await payments?.close();
  await world?.stop();
});

const db = () => connection.getClient().db(connection.name);
const partnerOf = (role: Partner["role"]) => findPartner(world.config, db(), role, "sandbox");

/** Ended payouts, one to an account for each of these last four digits. */
async function paidOut(...lastFours: string[]): Promise<string[]> {
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 1_000);
  const ids: string[] = [];
  for (const lastFour of lastFours) {
    const bank = await world.bank(business, wallet, lastFour);
    ids.push(dataOf(await world.withdraw(user, bank), 200).id);
  }
  for (const id of ids) await books.step(id, "closed");
  return ids;
}

/** A successful payment with a partial refund; the acquirer knows the refund by its key. */
async function collected() {
  const link = await world.paymentLink(business);
  const { id } = dataOf(await world.pay(link, await world.cardToken()), 200);
  await payments.ended(id);
  const path = `/v1/business/${business.id}/payments/${id}/refunds`;
  const body = { amount: 5, reference: randomUUID() };
  const refund = dataOf(await world.http.post(path, body, { token: business.token }), 201);
  const { key = refund.id } = (await refunds().findOne({ _id: refund.id })) ?? {};
  return { payment: id as string, refund: refund.id as string, refundKey: key as string };
}

const refunds = () => db().collection<{ _id: string; key?: string }>("payment_refunds");

async function comparison(partner: Partner, given: Partial<Comparison> = {}) {
  const differences: Difference[] = [];
  const asked = { partner, books: openBooks(db()), since: began, marginMs: 0, ...given };
  const summary = await compare(asked, async (difference) => void differences.push(difference));
  const found = (id: string) =>
    differences.filter((each) => each.id === id).map((each) => each.difference);
  return { summary, differences, found };
}

async function run(args: string[], environment: NodeJS.ProcessEnv = {}) {
  const since = ["--since", new Date(began).toISOString(), "--margin", "0s"];
  const script = runNode("tools/commands/compare.ts", [...args, ...since], {
    ...place.environment,
    MONGO_URL: world.config.mongoUrl as string,
    ...environment,
  });
  const { code } = await script.exit;
  return { code, stdout: script.stdout(), stderr: script.stderr().trim() };
}

test("equal books and lists have no difference: exit 0", async () => {
  const atRail = await comparison(await partnerOf("rail"));
  expect(atRail.summary).toEqual({ compared: 8, agree: 8, onTheWay: 0, differences: {} });
  const atAcquirer = await comparison(await partnerOf("acquirer"));
  expect(atAcquirer.summary).toEqual({ compared: 8, agree: 8, onTheWay: 0, differences: {} });
  const { code, stdout } = await run(["--rail", "sandbox"]);
  expect([code, stdout]).toEqual([
    0,
    "The books and the rail sandbox agree. 8 compared: 8 agree, 0 are on their way.\n",
  ]);
});

test("every damage to payouts or to the rail's books is named, and no data is written", async () => {
  const [lost, unknown, refunded, refused, cheap, other, failed] = paid as Seven;
  // As after a restore to an earlier moment: the rail has paid a payout that is missing in the
  // books.
  await books.payouts.deleteOne({ _id: lost });
  await books.rail.deleteOne({ _id: unknown });
  await books.payouts.updateOne({ _id: refunded }, { $set: { status: "FAILED" } });
  await books.rail.updateOne({ _id: refused }, { $set: { lastFour: "0003" } });
  await books.payouts.updateOne({ _id: cheap }, { $inc: { amountMinor: -1 } });
  await books.payouts.updateOne({ _id: other }, { $set: { rail: "another" } });
  await books.payouts.updateOne({ _id: failed }, { $set: { status: "SUCCESS" } });
  const strange = newId();
  await books.rail.insertOne({ _id: strange, submits: 1, acceptedAt: Date.now() });

  const before = await allStored(world);
  commands.clear();
  const partner = await partnerOf("rail");
  const { summary, found } = await comparison(partner);
  expect([...commands].filter((name) => !["find", "getMore"].includes(name))).toEqual([]);
  expect(await allStored(world)).toEqual(before);
  expect(found(lost)).toEqual(["onlyAtPartner"]);
  expect(found(unknown)).toEqual(["onlyInBooks"]);
  expect(found(refunded)).toEqual(["states"]);
  expect(found(refused)).toEqual(["states"]);
  expect(found(cheap)).toEqual(["amounts"]);
  expect(found(other)).toEqual(["elsewhere"]);
  expect(found(failed)).toEqual(["states"]);
  expect(found(strange)).toEqual(["unreadable"]);
  expect(summary.differences).toEqual({
    onlyAtPartner: 1,
    onlyInBooks: 1,
    states: 3,
    amounts: 1,
    elsewhere: 1,
    unreadable: 1,
  });

  const { code, stdout } = await run(["--rail", "sandbox"]);
  expect(code).toBe(1);
  expect(stdout).toContain(
    `only at the partner: payout ${lost}; books: nothing; rail: settled 25.00 USD`,
  );
  expect(stdout).toMatch(/The books and the rail sandbox differ: .*3 states contradict/);
  // A change within the margin may still be on its way to the other side, but a delay does not
  // explain another amount.
  const young = await comparison(partner, { marginMs: 3_600_000 });
  expect(young.summary.differences).toEqual({ amounts: 1, elsewhere: 1, unreadable: 1 });
  expect(young.summary.onTheWay).toBeGreaterThanOrEqual(5);
});

test("every damage to payments and refunds is named with the key of its request", async () => {
  const [lost, voided, dear, keyed] = made as [Collected, Collected, Collected, Collected];
  await payments.payments.deleteOne({ _id: lost.payment });
  await refunds().deleteOne({ _id: lost.refund });
  await payments.payments.updateOne({ _id: voided.payment }, { $set: { status: "FAILED" } });
  await payments.charges.updateOne({ _id: voided.payment }, { $set: { refunds: [] } });
  await payments.charges.updateOne({ _id: dear.payment }, { $inc: { amountMinor: 1 } });
  await payments.charges.updateOne({ _id: dear.payment }, { $set: { "refunds.0.amountMinor": 1 } });
  // A renewal has a key other than its id.
  const key = randomUUID();
  const charge = await payments.charges.findOneAndDelete({ _id: keyed.payment });
  if (charge) await payments.charges.insertOne({ ...charge, _id: key });
  await payments.payments.updateOne({ _id: keyed.payment }, { $set: { key } as object });

  const { summary, found } = await comparison(await partnerOf("acquirer"));
  expect(found(lost.payment)).toEqual(["onlyAtPartner"]);
  expect(found(lost.refundKey)).toEqual(["onlyAtPartner"]);
  expect(found(voided.payment)).toEqual(["states"]);
  expect(found(voided.refundKey)).toEqual(["onlyInBooks"]);
  expect(found(dear.payment)).toEqual(["amounts"]);
  expect(found(dear.refundKey)).toEqual(["amounts"]);
  expect(summary.differences).toEqual({ onlyAtPartner: 2, states: 1, onlyInBooks: 1, amounts: 2 });

  const { code, stdout } = await run(["--acquirer", "sandbox", "--json"]);
  expect(code).toBe(1);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.at(-1)).toEqual({ summary });
  expect(lines).toContainEqual(
    expect.objectContaining({ difference: "states", kind: "payment", id: voided.payment }),
  );
});

type Seven = [string, string, string, string, string, string, string];
type Collected = Awaited<ReturnType<typeof collected>>;

test("a payout without an answer from the rail is named once the rail has ended it", async () => {
  const user = await world.user(business);
  const bank = await world.bank(business, await world.wallet(business, user, 100), "0010");
  const { id } = dataOf(await world.withdraw(user, bank), 200);
  await until(() => books.payouts.findOne({ _id: id, unknownSince: { $exists: true } }));
  const partner = await partnerOf("rail");
  await until(async () => (await comparison(partner)).found(id)[0] === "states");
  expect((await comparison(partner, { marginMs: 900_000 })).found(id)).toEqual([]);
});

describe("a faulty list", () => {
  const ID = newId();
  const right = { id: ID, state: "settled", amountMinor: 1, currency: "USD", at: Date.now() };

  async function listing(
    list: () => unknown,
    bounds: ListBounds = { entries: 1_000, withinMs: 10_000 },
  ) {
    const rail = await partnerOf("rail");
    // The start is in the future, so entries that only the books have do not appear here.
    const since = Date.now() + 60_000;
    return comparison({ ...rail, list: list as Partner["list"] }, { bounds, since });
  }

  async function* yielding(...values: unknown[]) {
    yield* values;
  }

  test.each<[unknown, string]>([
    [null, "its state"],
    ["settled", "its state"],
    [{ ...right, state: "paid" }, "its state"],
    [{ ...right, state: "toString" }, "its state"],
    [{ ...right, id: 1 }, "its id"],
    [{ ...right, id: "invoice-1" }, "its id"],
    [{ ...right, id: { $ne: null } }, "its id"],
    [{ ...right, amountMinor: Number.NaN }, "its amountMinor"],
    [{ ...right, amountMinor: 1.5 }, "its amountMinor"],
    [{ ...right, amountMinor: -1 }, "its amountMinor"],
    [{ ...right, amountMinor: "1" }, "its amountMinor"],
    [{ ...right, currency: "usd" }, "its currency"],
    [{ ...right, at: Number.NaN }, "its at"],
    [{ ...right, at: Math.floor(Date.now() / 1_000) }, "its at"],
    [{ ...right, at: Date.now() + 86_400_000 }, "its at"],
    [{ ...right, at: new Date() }, "its at"],
  ])(
    "with an entry %j: its place is named, and the other entries are compared",
    async (value, problem) => {
      const { differences } = await listing(() => yielding(right, value));
      expect(differences).toEqual([
        expect.objectContaining({ difference: "onlyAtPartner", id: ID }),
        expect.objectContaining({
          difference: "unreadable",
          place: 2,
          problem: expect.stringContaining(problem),
        }),
      ]);
    },
  );

  test.each([
    ["lower", ID],
    ["upper", ID.toUpperCase()],
  ])("with a duplicate entry in %s case: the entry is named", async (_case, id) => {
    const { found } = await listing(() => yielding(right, { ...right, id, state: "rejected" }));
    expect(found(ID)).toEqual(["onlyAtPartner", "twice"]);
  });

  test.each<[string, () => unknown, RegExp]>([
    [
      "throws",
      () => {
        throw new Error("No permission");
      },
      /cannot be read \(No permission\)/,
    ],
    ["is an array", () => [right], /cannot be read/],
    ["is undefined", () => undefined, /cannot be read/],
    ["fails half-way", () => failing(), /failed \(Connection lost\)/],
    [
      "stops without an end",
      () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
      /did not go on within 0\.05 s/,
    ],
    ["never ends", () => endless(), /more than 1000 entries/],
    [
      "yields null",
      () => ({ [Symbol.asyncIterator]: () => ({ next: async () => null }) }),
      /is no list/,
    ],
  ])("that %s ends the comparison with an error", async (_name, list, message) => {
    const withinMs = message.source.includes("within") ? 50 : 10_000;
    await expect(listing(list, { entries: 1_000, withinMs })).rejects.toThrow(message);
  });

  async function* failing() {
    yield right;
    throw new Error("Connection lost");
  }

  async function* endless() {
    for (;;) yield { ...right, id: newId() };
  }
});

describe("the command", () => {
  test("prints its usage and names wrong arguments: exit 2", async () => {
    const help = await run(["--help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toMatch(/^npm run compare .*--rail NAME[\s\S]*Exit code 0[\s\S]*1[\s\S]*2/);
    const wrong: [string[], string][] = [
      [["--rail", "a", "--acquirer", "b"], "--rail NAME or --acquirer NAME"],
      [["--rail", "none"], "No rail is called none; configured: sandbox."],
    ];
    for (const [args, message] of wrong) {
      const { code, stdout, stderr } = await run(args);
      expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(message)]);
    }
  });

  test("loads the rails of RAILS, and refuses one without a list", async () => {
    const module = (list: string) => `
      export default () => ({
        name: "bank-a", test: true, returnWindowMs: 0,
        submit: async () => ({ kind: "unknown" }), query: async () => ({ kind: "unknown" }),
        cancel: async () => "no", ${list}
      });`;
    const path = join(place.dataDir, "rail.mjs");
    const RAILS = JSON.stringify({ ACH: path });
    await writeFile(path, module(""));
    const without = await run(["--rail", "bank-a"], { RAILS });
    expect([without.code, without.stderr]).toEqual([
      2,
      "The rail bank-a has no list, so it cannot be compared.",
    ]);
    const entry = { id: newId(), state: "settled", amountMinor: 7, currency: "EUR", at: began };
    await writeFile(path, module(`async *list() { yield ${JSON.stringify(entry)}; },`));
    const { code, stdout } = await run(["--rail", "bank-a"], { RAILS });
    expect(code).toBe(1);
    expect(stdout).toContain(`payout ${entry.id}; books: nothing; rail: settled 0.07 EUR`);
  });
});
