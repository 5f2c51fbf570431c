// A document that is due for its outbox before its next step: its events are relayed, and its step
// is taken at the step's own time, or never if it has none.

import mongoose, { type Connection } from "mongoose";
import { newId } from "../../shared/ids.ts";
import { NO_METRICS } from "../../shared/observability/metrics.ts";
import { LEASE_MS } from "../../shared/resumable/change.ts";
import { type Change, newResumable, type Resumable } from "../../shared/resumable/document.ts";
import { erase } from "../../shared/resumable/erasure.ts";
import { createMachine } from "../../shared/resumable/machine.ts";
import { gatherRelays } from "../../shared/resumable/relay.ts";
import { retryNow } from "../../shared/resumable/retry.ts";
import { settableClock } from "../support/settable-clock.ts";
import { until } from "../support/system.ts";
import { OFTEN } from "../support/turns.ts";

let connection: Connection;

beforeAll(async () => {
  const url = new URL(process.env.TEST_MONGO_URL as string);
  url.pathname = "/test_resumable_outbox";
  connection = await mongoose.createConnection(url.href).asPromise();
  await connection.dropDatabase();
});

afterAll(async () => {
  await connection.dropDatabase();
  await connection.close();
});

const collection = () =>
  connection.getClient().db(connection.name).collection<Resumable>("documents");
const stored = (id: string) => collection().findOne({ _id: id });

const DONE: Change<Resumable> = { set: { step: "done" }, next: "never" };

/** A machine on its own clock. Its steps and the events that webhooks has are kept. */
function machineWith({
  step = () => DONE,
  counts = () => true,
}: {
  step?: () => Change<Resumable>;
  counts?: (document: Resumable) => boolean;
} = {}) {
  const clock = settableClock();
  const steps: string[] = [];
  const events: string[] = [];
  const away = { isAway: false };
  const machine = createMachine<Resumable>({
    newId,
    kind: "document",
    metrics: NO_METRICS,
    clock,
    turns: OFTEN,
    documents: collection(),
    log: { info: () => {}, warn: () => {} },
    changeFor: async ({ _id }) => {
      steps.push(_id);
      return step();
    },
    outlet: {
      counts,
      async publish(published) {
        if (away.isAway) throw new Error("webhooks is away");
        events.push(...published.map(({ transactionId, seq }) => `${transactionId} ${seq}`));
      },
      toEvent: () => ({ body: {} as never }),
      estimateBytes: () => 0,
    },
  });
  return { machine, clock, steps, events, away };
}

async function insert(fields: Partial<Resumable> = {}): Promise<Resumable> {
  const document: Resumable = {
    ...newResumable(newId()),
    step: "run",
    status: "PENDING",
    states: [{ status: "PENDING", at: Date.now() }],
    businessId: newId(),
    nextAttemptAt: Date.now(),
    ...fields,
  };
  await collection().insertOne(document);
  return document;
}

afterEach(() => collection().deleteMany({}));

test("the events of a waiting document are relayed, and its step is taken at its own time", async () => {
  const { machine, clock, steps, events } = machineWith();
  const stepAt = clock.now() + 60_000;
  const { _id } = await insert({ stepAt });
  machine.start();
  try {
    const isCleared = async () => ((await stored(_id))?.relayed === 1 ? stored(_id) : null);
    const cleared = await until(isCleared);
    expect(cleared).toMatchObject({ step: "run", nextAttemptAt: stepAt });
    expect(cleared).not.toHaveProperty("stepAt");
    expect([events, steps]).toEqual([[`${_id} 1`], []]);
    clock.aheadMs += 60_000;
    await until(async () => (await stored(_id))?.step === "done");
  } finally {
    await machine.stop(1_000);
  }
  // An event may be relayed again by a sweep that has found the document before.
  expect([[...new Set(events)], steps]).toEqual([[`${_id} 1`], [_id]]);
});

test("the events of an ended document are relayed, and no step is taken", async () => {
  const { machine, clock, steps, events } = machineWith();
  const { _id } = await insert({ step: "done", stepAt: null });
  machine.start();
  try {
    const cleared = await until(async () =>
      (await stored(_id))?.relayed === 1 ? stored(_id) : null,
    );
    for (const field of ["nextAttemptAt", "stepAt", "relayAt", "unknownSince"]) {
      expect(cleared).not.toHaveProperty(field);
    }
    clock.aheadMs += 60_000;
  } finally {
    await machine.stop(1_000);
  }
  expect([events, steps]).toEqual([[`${_id} 1`], []]);
});

test("events that webhooks does not take are relayed again, and the step does not wait for them", async () => {
  const { machine, clock, steps, events, away } = machineWith({
    step: () => ({ set: { step: "waits" }, next: 300_000 }),
  });
  away.isAway = true;
  const { _id } = await insert({ stepAt: clock.now() + 15_000 });
  machine.start();
  try {
    await until(async () => ((await stored(_id))?.v ?? 0) > 0);
    expect(steps).toEqual([]);
    clock.aheadMs += 15_000;
    const waiting = await until(() => collection().findOne({ _id, step: "waits" }));
    expect([steps, waiting.relayed]).toEqual([[_id], 0]);
    away.isAway = false;
    clock.aheadMs += LEASE_MS;
    await until(() => collection().findOne({ _id, relayed: 1 }));
    const { nextAttemptAt = 0 } = (await stored(_id)) ?? {};
    expect(nextAttemptAt - clock.now()).toBeGreaterThan(200_000);
  } finally {
    await machine.stop(1_000);
  }
  expect([new Set(events), steps]).toEqual([new Set([`${_id} 1`]), [_id]]);
});

test("no event of an undecided document is relayed, and all of its events once it is decided", async () => {
  let isLast = false;
  const { machine, clock, steps, events } = machineWith({
    step: () => (isLast ? DONE : { set: { step: "debit" }, next: 20_000 }),
    counts: ({ step }) => step !== "debit",
  });
  const { _id } = await insert({ step: "debit" });
  machine.start();
  try {
    await until(() => steps.length === 1);
    clock.aheadMs += 20_000;
    await until(() => steps.length === 2);
    expect((await stored(_id))?.relayed).toBe(0);
    expect(events).toEqual([]);
    isLast = true;
    clock.aheadMs += 20_000;
    await until(() => collection().findOne({ _id, relayed: 1 }));
  } finally {
    await machine.stop(1_000);
  }
  expect(events).toEqual([`${_id} 1`]);
});

test("an outbox stays if its document has moved its next step, or has entered a state, meanwhile", async () => {
  const outlet = { publish: async () => {}, toEvent: () => null, estimateBytes: () => 0 };
  const relay = gatherRelays(collection(), outlet);
  const now = Date.now();
  const moves: [Partial<Resumable>, Partial<Resumable>][] = [
    [{ stepAt: null }, { nextAttemptAt: now }],
    [{ stepAt: null }, { stepAt: now + 90_000 }],
    [{ stepAt: now + 60_000 }, { stepAt: null }],
    [{ stepAt: null }, { states: [1, 2].map((at) => ({ status: "PENDING", at })) }],
  ];
  for (const [before, $set] of moves) {
    const document = await insert(before);
    const { _id } = document;
    const $unset = Object.hasOwn($set, "stepAt") ? {} : { stepAt: "" as const };
    const moved = await collection().findOneAndUpdate(
      { _id },
      { $set, ...(!$set.states && { $unset }) } as never,
      { returnDocument: "after" },
    );
    await relay({ document, isLast: true });
    expect(await stored(_id)).toEqual(moved);
  }
});

test("a retry and an erasure go by the next step, and not by the outbox", async () => {
  const { machine, clock } = machineWith();
  const ended = await insert({ step: "done", stepAt: null });
  await expect(retryNow({ clock, machine }, ended)).rejects.toMatchObject({
    type: "NOT_RETRYABLE",
  });
  const stepAt = clock.now() + 60_000;
  const retried = await retryNow({ clock, machine }, await insert({ stepAt }));
  expect(retried.nextAttemptAt).toBeLessThanOrEqual(clock.now());
  expect(retried).not.toHaveProperty("stepAt");
  const erasing = {
    clock,
    documents: collection(),
    transitionAlone: machine.transitionAlone,
    outlet: { toEvent: () => null },
    revise: async () => {},
  };
  const told = await insert({ stepAt, relayed: 1 });
  await erase(erasing, told, { decidedBy: "erased" });
  expect(await stored(told._id)).toMatchObject({ decidedBy: "erased", nextAttemptAt: stepAt });
});
