// What a rail's module says beside its outcomes: notices about an account, problems for operators,
// and its files for verification.

import mongoose from "mongoose";
import type { RailBatch } from "../../partners/types.ts";
import { verify } from "../../tools/verify/verify.ts";
import { partner } from "../support/partners.ts";
import { scriptedRail } from "../support/payouts.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type TestAccount, type World } from "../support/world.ts";

const DAY_MS = 86_400_000;
const NOTICE = "The account has a new number, ending in 4321. Link it again with this number.";

const { answers, timesAsked, rail, rails } = scriptedRail(2 * DAY_MS);

let world: World;
let payer: Awaited<ReturnType<World["payer"]>>;
let bank: TestAccount;

beforeAll(async () => {
  world = await startWorld({ erasesAtOnce: true, payoutsInstead: [{ rails }] });
  payer = await world.payer(100);
  bank = await world.bank(payer.business, payer.wallet, "6789");
});

beforeEach(() => {
  answers.submit = { kind: "accepted", askAfterMs: 0 };
  answers.query = { kind: "settled", askAfterMs: 0 };
});

afterAll(async () => {
  await world.verifyBooks();
  await world.stop();
});

async function payOut(status: string): Promise<string> {
  const { id } = dataOf(await world.withdraw(payer.user, bank, { amount: 1 }), 200);
  await world.status(payer.business, id, status);
  return id;
}

async function readAs(token: string, path: string) {
  return dataOf(await world.http.get(path, { token }), 200);
}

const asMerchant = (id: string) => readAs(payer.business.token, `/v1/transactions/${id}`);

describe("a notice", () => {
  test("of a settled payout is read by the merchant, and not by its end user", async () => {
    answers.query = { kind: "settled", askAfterMs: 0, notice: NOTICE };
    const id = await payOut("SUCCESS");
    expect(await asMerchant(id)).toMatchObject({ status: "SUCCESS", notice: NOTICE });
    const own = await readAs(payer.user.token, `/v1/ext/withdrawals/${id}`);
    expect(own).not.toHaveProperty("notice");
  });

  test("that comes after the settlement is shown, and stays when the rail repeats none", async () => {
    const id = await payOut("SUCCESS");
    expect(await asMerchant(id)).not.toHaveProperty("notice");
    answers.query = { kind: "settled", askAfterMs: 0, notice: NOTICE };
    await until(async () => (await asMerchant(id)).notice === NOTICE, { awaited: "the notice" });
    answers.query = { kind: "settled", askAfterMs: 0 };
    const asked = timesAsked("query", id);
    await until(async () => timesAsked("query", id) > asked + 1, { awaited: "a later answer" });
    expect(await asMerchant(id)).toMatchObject({ status: "SUCCESS", notice: NOTICE });
  });

  test("does not come back once its end user is erased", async () => {
    const { business, user, wallet } = await world.payer(1.25);
    const { token } = business;
    answers.query = { kind: "settled", askAfterMs: DAY_MS, notice: NOTICE };
    const from = await world.bank(business, wallet);
    const { id } = dataOf(await world.withdraw(user, from, { amount: 1 }), 200);
    await world.status(business, id, "SUCCESS");
    const path = `/v1/business/${business.id}/entities/${user.id}/erase`;
    dataOf(await world.http.post(path, undefined, { token }), 200);
    const asked = timesAsked("query", id);
    await until(async () => {
      await world.call("payouts.railNotified", { id, method: "ACH" });
      return timesAsked("query", id) > asked + 1;
    });
    expect(await readAs(token, `/v1/transactions/${id}`)).not.toHaveProperty("notice");
  });

  test.each<[string, unknown]>([
    ["that is empty", ""],
    ["of 201 characters", "x".repeat(201)],
    ["that is no text", 7],
  ])("%s is dropped, and the outcome counts", async (_case, wrong) => {
    answers.query = { kind: "settled", askAfterMs: 0, notice: wrong as string };
    expect(await asMerchant(await payOut("SUCCESS"))).not.toHaveProperty("notice");
  });
});

describe("problems of a rail", () => {
  afterEach(() => {
    delete rail.problems;
  });

  test("are shown to operators", async () => {
    rail.problems = async () => ["The file A may be at the bank or not: ask the bank"];
    expect((await partner(world, "rail")).problems).toEqual([
      "The file A may be at the bank or not: ask the bank",
    ]);
  });

  test.each<[string, () => Promise<string[]>]>([
    ["fail", () => Promise.reject(new Error("a secret"))],
    ["are no list", async () => "a secret" as unknown as string[]],
    ["never come", () => new Promise(() => {})],
  ])("that %s do not keep the list from operators", async (_case, problems) => {
    rail.problems = problems;
    expect((await partner(world, "rail")).problems).toEqual([
      "The module does not say its problems",
    ]);
  });
});

describe("verification of a rail's files", () => {
  let paid: [string, string];

  beforeAll(async () => {
    answers.submit = { kind: "accepted", askAfterMs: 0 };
    answers.query = { kind: "settled", askAfterMs: 0 };
    paid = [await payOut("SUCCESS"), await payOut("SUCCESS")];
  });

  async function violations(files: RailBatch[]): Promise<string[]> {
    const connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
    try {
      const filed = {
        ...rail,
        async *batches() {
          yield* files;
        },
      };
      const report = await verify(connection, { rails: [filed] });
      expect(report.checked.batches).toBe(files.length);
      return report.violations.map(({ rule, detail }) => `${rule}: ${detail}`);
    } finally {
      await connection.close();
    }
  }

  const file = (id: string, ids: string[], amountMinor = 100 * ids.length): RailBatch => ({
    id,
    currency: "USD",
    amountMinor,
    payments: ids.map((each) => ({ id: each, amountMinor: 100 })),
  });

  test("finds nothing in files that pay each payout once", async () => {
    expect(await violations([file("A", [paid[0]]), file("B", [paid[1]])])).toEqual([]);
  });

  test("finds a sum that is not that of the payouts", async () => {
    expect(await violations([file("A", paid, 199)])).toEqual([
      "batches: The file A says 199 in sum, and its payments are 200",
    ]);
  });

  test("finds a payout in two files", async () => {
    expect(await violations([file("A", paid), file("B", [paid[0]])])).toEqual([
      `batches: Payout ${paid[0]} is twice in the files of scripted`,
    ]);
  });

  test("finds another amount, another currency and an unknown payout", async () => {
    const stranger = "0198c0de-7a5f-7000-8000-9b3e7d1c5a20";
    const wrong: RailBatch = {
      ...file("A", [paid[0], paid[1], stranger], 301),
      payments: [
        { id: paid[0], amountMinor: 101 },
        { id: paid[1], amountMinor: 100 },
        { id: stranger, amountMinor: 100 },
      ],
    };
    expect(await violations([wrong])).toEqual([
      `batches: The file A pays 101 USD for ${paid[0]}, not 100 USD`,
      `batches: The file A pays ${stranger}, and there is no such payout`,
    ]);
    expect(await violations([{ ...file("A", paid), currency: "EUR" }])).toHaveLength(2);
  });

  test("finds a file that pays a declined payout", async () => {
    const other = await world.payer(1);
    const account = await world.bank(other.business, other.wallet);
    expect((await world.withdraw(other.user, account, { amount: 1 })).status).toBe(400);
    const connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
    const declined = await connection.collection("payouts").findOne({ entityId: other.user.id });
    await connection.close();
    const id = String(declined?._id);
    expect(await violations([file("A", paid), file("B", [id])])).toEqual([
      `batches: The file B pays ${id}, which is not a payout of scripted`,
    ]);
  });
});
