// The machine of resumable documents on a real database: a step that throws is retried at growing
// intervals, and a success resets them.

import mongoose, { type Connection } from "mongoose";
import { type Clock, LATE, systemClock } from "../../shared/clock.ts";
import type { EventBody } from "../../shared/contracts/events.ts";
import { newId } from "../../shared/ids.ts";
import { NO_METRICS } from "../../shared/observability/metrics.ts";
import { LEASE_MS } from "../../shared/resumable/change.ts";
import type { Change, Resumable } from "../../shared/resumable/document.ts";
import { createMachine } from "../../shared/resumable/machine.ts";
import type { Outlet } from "../../shared/resumable/relay.ts";
import { gatherTransitions } from "../../shared/resumable/transitions.ts";
import { withCommands } from "../support/commands.ts";
import { settableClock } from "../support/settable-clock.ts";
import { until } from "../support/system.ts";
import { OFTEN } from "../support/turns.ts";

let connection: Connection;

beforeAll(async () => {
  const url = new URL(process.env.TEST_MONGO_URL as string);
  url.pathname = "/test_resumable_machine";
  connection = await mongoose.createConnection(url.href).asPromise();
  await connection.dropDatabase();
});

afterAll(async () => {
  await connection.dropDatabase();
  await connection.close();
});

function collection() {
  return connection.getClient().db(connection.name).collection<Resumable>("documents");
}

const PARTS = { newId, kind: "document", metrics: NO_METRICS };

/** A machine that runs the given step; the test sets the time of its clock. */
function machineWith(step: () => Change<Resumable>, documents = collection()) {
  const time = { now: Date.now() };
  // The machine never retries a document by itself.
  const clock = { ...systemClock, now: () => time.now, sleep: () => new Promise<void>(() => {}) };
  return { time, ...machineBy(clock, step, documents) };
}

const NO_EVENTS: Outlet<Resumable> = {
  publish: async () => {},
  toEvent: () => null,
  estimateBytes: () => 0,
};

function machineBy(
  clock: Clock,
  step: () => Change<Resumable>,
  documents = collection(),
  outlet = NO_EVENTS,
) {
  const warn = jest.fn();
  const machine = createMachine<Resumable>({
    ...PARTS,
    clock,
    turns: OFTEN,
    documents,
    log: { info: () => {}, warn },
    changeFor: async () => step(),
    outlet,
  });
  return { machine, warn };
}

async function insert(fields: Partial<Resumable> = {}): Promise<Resumable> {
  const document: Resumable = {
    _id: newId(),
    v: 0,
    writtenBy: "test",
    step: "run",
    status: "PENDING",
    states: [],
    relayed: 0,
    businessId: newId(),
    needsAttention: false,
    ...fields,
  };
  await collection().insertOne(document);
  return document;
}

const FRESH = { isFresh: true };
const broken = (): never => {
  throw new Error("The step is broken");
};
const stored = (id: string) => collection().findOne({ _id: id });

test("a step that throws is retried after 1, 2, 4 s, and flagged after a day", async () => {
  const { machine, time } = machineWith(broken);
  const beganAt = time.now;
  let document = await insert();
  const waits: number[] = [];
  for (let i = 0; i < 4; i++) {
    document = await machine.drive(document, FRESH);
    waits.push((document.nextAttemptAt ?? 0) - time.now);
    time.now = beganAt + 2 ** (i + 1) * 1_000 - 1_000;
  }
  // The driver itself retries after short waits, so others wait a lease longer; sweepers retry
  // after 8 s.
  expect(waits).toEqual([1_000 + LEASE_MS, 2_000 + LEASE_MS, 4_000 + LEASE_MS, 8_000]);
  time.now = beganAt + 86_400_000;
  expect(await machine.drive(document, FRESH)).toMatchObject({
    needsAttention: true,
    unknownSince: beganAt,
    nextAttemptAt: time.now + 300_000,
  });
});

test("a success resets the beginning of an unknown outcome", async () => {
  const { machine } = machineWith(() => ({ set: {}, next: 60_000 }));
  const document = await insert({ unknownSince: Date.now() - 86_000_000 });
  await machine.drive(document, FRESH);
  expect(await stored(document._id)).not.toHaveProperty("unknownSince");
});

test.each([
  ["no change", undefined],
  ["only what an assembly adds to each change", { onConflict: async () => {} }],
])("a step of the next release, with %s, stays as it is and is due again", async (_, change) => {
  const { machine, time, warn } = machineWith(() => change as never);
  const document = await insert({ step: "run in the next release" });
  await machine.drive(document, FRESH);
  expect(await stored(document._id)).toMatchObject({
    step: "run in the next release",
    status: "PENDING",
    states: [],
    nextAttemptAt: time.now + 1_000 + LEASE_MS,
  });
  const error = new Error("This version does not know the step run in the next release");
  expect(warn).toHaveBeenCalledWith(expect.any(String), expect.objectContaining({ error }));
});

test("a failing write after a throwing step leaves the document and its lease unchanged", async () => {
  const offline = withCommands(collection(), () =>
    Promise.reject(new Error("The connection is lost")),
  );
  const { machine } = machineWith(broken, offline);
  const document = await insert({ nextAttemptAt: Date.now() + 10_000 });
  await machine.drive(document, FRESH);
  expect(await stored(document._id)).toEqual(document);
});

test("an amendment changes one entry of a list, and the writer gets the stored document", async () => {
  const attempts = (name: string) => [
    { name, at: 1 },
    { name, at: 2 },
  ];
  type WithAttempts = Resumable & { attempts: ReturnType<typeof attempts> };
  const names = ["a", "b"];
  const documents = await Promise.all(
    names.map((name) => insert({ attempts: attempts(name) } as never)),
  );
  const all = connection.getClient().db(connection.name).collection<WithAttempts>("documents");
  const { transition: write } = gatherTransitions({ ...PARTS, clock: systemClock, documents: all });
  const amend = { list: "attempts" as const, index: 1, set: { at: 3, isOver: true } };
  const changed = await Promise.all(
    documents.map((each) => write(each as WithAttempts, { set: {}, amend, next: "never" })),
  );
  expect(changed).toEqual(await Promise.all(documents.map(({ _id }) => stored(_id))));
  expect(changed.map((each) => each?.attempts)).toEqual(
    names.map((name) => [
      { name, at: 1 },
      { name, at: 3, isOver: true },
    ]),
  );
  // They share a statement, although their lists differ.
  expect(changed[0]?.writtenBy).toBe(changed[1]?.writtenBy);
});

test("a started machine claims a document of a dead process at the end of its lease", async () => {
  const clock = settableClock();
  const done = { set: { step: "done" }, next: "never" as const };
  const { machine } = machineBy(clock, () => done);
  machine.start();
  try {
    const { _id } = await insert({ nextAttemptAt: clock.now() + LEASE_MS });
    const early = await insert({ nextAttemptAt: clock.now() + LEASE_MS / 2 });
    const step = async (id: string) => (await stored(id))?.step;
    clock.aheadMs += LEASE_MS / 2;
    await until(async () => (await step(early._id)) === "done");
    expect(await step(_id)).toBe("run");
    clock.aheadMs += LEASE_MS / 2;
    await until(async () => (await step(_id)) === "done");
  } finally {
    await machine.stop(1_000);
  }
});

test("a started machine drives a document again after a wait that it does not keep", async () => {
  const clock = settableClock();
  const steps: number[] = [];
  const { machine } = machineBy(clock, () => {
    steps.push(clock.now());
    return steps.length > 1 ? { set: {}, next: "never" } : { set: {}, next: 60_000 };
  });
  machine.start();
  try {
    await machine.drive(await insert(), FRESH);
    clock.aheadMs += 60_000;
    await until(() => steps.length > 1);
  } finally {
    await machine.stop(1_000);
  }
});

/** A document that enters two states with a wait between them, while webhooks is slow. */
async function driveWithSlowRelay(clock: Clock) {
  const published: string[][] = [];
  const acknowledged = Promise.withResolvers<void>();
  const outlet: Outlet<Resumable> = {
    ...NO_EVENTS,
    publish(events) {
      published.push(events.map(({ body }) => body.status));
      return acknowledged.promise;
    },
    toEvent: (_, status) => ({ body: { status } as EventBody }),
  };
  const changes: Change<Resumable>[] = [
    { set: {}, enter: ["PENDING"], next: 100 },
    { set: { step: "done" }, enter: ["SUCCESS"], next: "never" },
  ];
  const { machine } = machineBy(clock, () => changes.shift() as never, collection(), outlet);
  const { _id } = await machine.drive(await insert(), FRESH);
  await until(() => published.length === 1);
  return { published, acknowledge: acknowledged.resolve, read: () => stored(_id) };
}

test("a driver goes on once its relay is acknowledged, so each event is published once", async () => {
  // The wait is over immediately.
  const { published, acknowledge, read } = await driveWithSlowRelay({
    ...systemClock,
    sleep: async () => {},
  });
  for (let i = 0; i < 20; i++) expect(await read()).toMatchObject({ step: "run" });
  acknowledge();
  await until(async () => (await read())?.relayed === 2);
  expect(published).toEqual([["PENDING"], ["SUCCESS"]]);
});

test("a driver goes on without an acknowledgement if webhooks takes too long", async () => {
  const within = (async () => LATE) as Clock["within"];
  const { acknowledge, read } = await driveWithSlowRelay({ ...systemClock, within });
  await until(async () => (await read())?.step === "done");
  acknowledge();
  await until(async () => (await read())?.relayed === 2);
});
