// Withdrawals whose first request was cut off (docs/integrate/rest-api.md, Idempotency of
// withdrawals): the answer names the payout, and a repeat with the same key waits for the decision,
// has it, or begins anew if nothing was debited.

import mongoose from "mongoose";
import type { Point } from "../../services/payouts/deps.ts";
import { freezer } from "../support/freezer.ts";
import type { Answer } from "../support/http.ts";
import { type Books, openBooks } from "../support/payouts.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

const { reached, freeze } = freezer<Point>();

let world: World;
let books: Books;

beforeAll(async () => {
  world = await startWorld({ payoutsInstead: [{ reached }] });
  books = await openBooks(world);
});

afterAll(async () => {
  await world.verifyBooks();
  await books.close();
  await world.stop();
});

async function arrange() {
  const { business, user, wallet } = await world.payer(100);
  const bank = await world.bank(business, wallet);
  const ask = (key?: string, body = {}) =>
    world.withdraw(user, bank, body, key === undefined ? {} : { "idempotency-key": key });
  const own = (id: string) => world.http.get(`/v1/ext/withdrawals/${id}`, { token: user.token });
  return { ask, own, balance: () => world.balance(business, wallet) };
}

/** Cuts a request off at a point until its caller has given up; its node goes on when released. */
async function cutOff(point: Point, asked: () => Promise<Answer>) {
  const frozen = freeze(point);
  const asking = asked();
  const id = await frozen.reached;
  return { id, answer: await asking, release: frozen.release };
}

test.each<Point>(["debit-answered", "accepted"])(
  "cut off at %s, a repeat has the first answer",
  async (point) => {
    const { ask, own, balance } = await arrange();
    const { id, answer, release } = await cutOff(point, () => ask("cut"));
    expect([answer.status, answer.body]).toMatchObject([
      500,
      {
        message: "The withdrawal may have been accepted. Check its status before trying again.",
        data: { id },
      },
    ]);
    // The ledger has the debit, so the payout counts, whatever its process does.
    expect((await own(id)).status).toBe(200);
    expect((await ask("cut", { amount: 26 })).status).toBe(422);
    const { body: repeat } = await ask("cut");
    expect(repeat.data).toEqual({ id, status: "PENDING", fees: "0.25", amount: "25.25" });
    expect(dataOf(await own(id), 200)).toMatchObject({ id, amount: "25.25" });
    release();
    expect((await ask("cut")).body).toEqual(repeat);
    expect(await balance()).toBe("74.75");
  },
);

test("cut off before the debit, the key waits for the void, and then begins anew", async () => {
  const { ask, own, balance } = await arrange();
  const { id, answer, release } = await cutOff("inserted", () => ask("cut"));
  expect(answer.status).toBe(500);
  expect((await ask("cut")).status).toBe(409);
  await books.step(id, "declined");
  expect(await balance()).toBe("100.00");
  // A request without a debit and without a decline does not bind its key.
  const anew = dataOf(await ask("cut", { amount: 30 }), 200);
  expect(anew.id).not.toBe(id);
  release();
  expect((await ask("cut", { amount: 30 })).body.data).toEqual(anew);
  expect((await ask("cut")).status).toBe(422);
  expect((await own(id)).status).toBe(404);
  expect(await balance()).toBe("69.75");
});

test("a repeat beside the void of its first request never debits beside it", async () => {
  const { ask, balance } = await arrange();
  const { release } = await cutOff("inserted", () => ask("cut"));
  release();
  const accepted = await until(async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask("cut")));
    const found = answers.filter(({ status }) => status === 200);
    return found.length > 0 && found;
  });
  expect(new Set(accepted.map(({ body }) => body.data.id)).size).toBe(1);
  expect(await balance()).toBe("74.75");
});

/** The durable writes of a payout until it is accepted, by kind. */
async function writesUntilAccepted(asked: () => Promise<Answer>): Promise<string[]> {
  const connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
  const db = connection.getClient().db(connection.name);
  try {
    await db.command({ profile: 2 });
    const frozen = freeze("accepted");
    const asking = asked();
    const id = await frozen.reached;
    await db.command({ profile: 0 });
    frozen.release();
    dataOf(await asking, 200);
    const profile = db.collection<{ op: string }>("system.profile");
    const inserts = { op: "insert", "command.documents._id": id };
    const updates = { op: "update", "command.q._id.$in": id };
    const found = await profile.find({ $or: [inserts, updates] }).toArray();
    return found.map(({ op }) => op).toSorted();
  } finally {
    await connection.close();
  }
}

test("a payout is stored by its insert alone until its 200, with a key as without", async () => {
  const { ask } = await arrange();
  expect(await writesUntilAccepted(() => ask())).toEqual(["insert"]);
  expect(await writesUntilAccepted(() => ask("keyed"))).toEqual(["insert"]);
});
