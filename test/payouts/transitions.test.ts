// Transitions of payouts on a real database. Of several changes to the same version one wins, in
// every combination of batches. A writer without an answer reads whether its change was made.

import mongoose, { type Connection } from "mongoose";
import type { Payout } from "../../services/payouts/payout.model.ts";
import { systemClock } from "../../shared/clock.ts";
import { newId } from "../../shared/ids.ts";
import { NO_METRICS } from "../../shared/observability/metrics.ts";
import type { Change } from "../../shared/resumable/document.ts";
import { gatherTransitions } from "../../shared/resumable/transitions.ts";
import { withCommands } from "../support/commands.ts";

let connection: Connection;

beforeAll(async () => {
  const url = new URL(process.env.TEST_MONGO_URL as string);
  url.pathname = "/test_payout_transitions";
  connection = await mongoose.createConnection(url.href).asPromise();
  await connection.dropDatabase();
});

afterAll(async () => {
  await connection.dropDatabase();
  await connection.close();
});

function payouts() {
  return connection.getClient().db(connection.name).collection<Payout>("payouts");
}

function writer(documents = payouts()) {
  const parts = { clock: systemClock, newId, kind: "payout", metrics: NO_METRICS };
  return gatherTransitions({ ...parts, documents });
}

async function insert(count: number): Promise<Payout[]> {
  const documents = Array.from({ length: count }, () => {
    const fields = { _id: newId(), v: 0, step: "debit", status: "PENDING", states: [], relayed: 0 };
    return fields as unknown as Payout;
  });
  await payouts().insertMany(documents);
  return documents;
}

const stored = (id: string) => payouts().findOne({ _id: id });

const accept: Change<Payout> = {
  set: { step: "submit", visible: true },
  enter: ["PENDING"],
  next: "now",
};
const submit: Change<Payout> = { set: { step: "submitting" }, next: "now" };
const cancel: Change<Payout> = { set: { step: "reverse", railCode: "cancelled" }, next: "now" };

test("a change and its event are one update, and the writer gets the stored document", async () => {
  const [payout] = (await insert(1)) as [Payout];
  const accepted = await writer().transition(payout, accept);
  expect(accepted).toEqual(await stored(payout._id));
  expect(accepted).toMatchObject({
    v: 1,
    step: "submit",
    visible: true,
    status: "PENDING",
    states: [{ status: "PENDING", at: expect.any(Number) }],
    relayed: 0,
    nextAttemptAt: expect.any(Number),
  });
});

test("acknowledged events and finished steps are removed from the document", async () => {
  const [payout] = (await insert(1)) as [Payout];
  const { transition: write } = writer();
  const accepted = (await write(payout, accept)) as Payout;
  const closed = await write(
    { ...accepted, relayed: 1 },
    { set: { step: "closed", unknownSince: undefined }, next: "never" },
  );
  expect(closed).toEqual(await stored(payout._id));
  expect(closed).toMatchObject({ relayed: 1, step: "closed" });
  expect(closed).not.toHaveProperty("stepAt");
  expect(closed).not.toHaveProperty("nextAttemptAt");
});

test("a large batch is written completely", async () => {
  const { transition: write } = writer();
  const documents = await insert(300);
  const changed = await Promise.all(documents.map((payout) => write(payout, accept)));
  expect(changed.every((payout) => payout?.step === "submit")).toBe(true);
  expect(await payouts().countDocuments({ step: "submit", v: 1 })).toBeGreaterThanOrEqual(300);
});

test("only the change that another writer overtook fails", async () => {
  const documents = await insert(20);
  const [first, ...others] = documents as [Payout, ...Payout[]];
  await writer().transition(first, cancel);
  const { transition: write } = writer();
  const changed = await Promise.all(documents.map((payout) => write(payout, submit)));
  expect(changed[0]).toBeNull();
  expect(changed.slice(1).filter((payout) => payout !== null)).toHaveLength(others.length);
  expect(await stored(first._id)).toMatchObject({ step: "reverse", v: 1 });
});

test.each([
  ["of different changes in a batch", [submit, cancel]],
  ["of the same change in a batch", [submit, submit]],
])("%s to one payout one wins", async (_name, changes) => {
  const [payout] = (await insert(1)) as [Payout];
  const { transition: write } = writer();
  const changed = await Promise.all(changes.map((change) => write(payout, change)));
  const winners = changed.filter((each) => each !== null);
  expect(winners).toHaveLength(1);
  expect(winners[0]).toEqual(await stored(payout._id));
});

test("of ten writers of one version one wins", async () => {
  const [payout] = (await insert(1)) as [Payout];
  const changes = Array.from({ length: 10 }, (_, i) => (i % 2 ? submit : cancel));
  const changed = await Promise.all(changes.map((change) => writer().transition(payout, change)));
  expect(changed.filter((each) => each !== null)).toHaveLength(1);
  expect(await stored(payout._id)).toMatchObject({ v: 1 });
});

test("a writer learns of its change even if the document has changed again", async () => {
  const [asked, others] = (await insert(2)) as [Payout, Payout];
  await writer().transition(others, cancel);
  // Another writer changes the document before this writer can read it.
  const overtaken = withCommands(payouts(), async (send) => {
    const reply = await send();
    const next = { $inc: { v: 1 }, $set: { writtenBy: "another" } };
    await payouts().updateOne({ _id: asked._id, step: "submitting" }, next);
    return reply;
  });
  const { transition, transitionAlone } = writer(overtaken);
  const [changed, lost] = await Promise.all([
    transitionAlone(asked, submit),
    transition(others, submit),
  ]);
  expect([changed?.step, changed?.v]).toEqual(["submitting", 1]);
  expect(lost).toBeNull();
});

test("a writer without an answer reads whether its change was made", async () => {
  const failing = (isDone: boolean) =>
    withCommands(payouts(), async (send) => {
      if (isDone) await send();
      throw new Error("The connection is lost");
    });
  const [done, lost] = (await insert(2)) as [Payout, Payout];
  expect(await writer(failing(true)).transition(done, submit)).toEqual(await stored(done._id));
  expect(await writer(failing(false)).transition(lost, submit)).toBeNull();
  expect(await stored(lost._id)).toMatchObject({ v: 0, step: "debit" });
});
