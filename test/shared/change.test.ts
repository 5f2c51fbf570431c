// What a change does to a document, by rows: the lease of the document, the outbox, the fields.

import { applyChange, LEASE_MS } from "../../shared/resumable/change.ts";
import { askedAgain, type Change, type Resumable } from "../../shared/resumable/document.ts";

const NOW = 1_000_000_000;

interface Document extends Resumable {
  code?: string;
  attempts?: { name: string; at: number }[];
}

function documentWith(fields: Partial<Document> = {}): Document {
  return {
    _id: "id",
    v: 3,
    writtenBy: "earlier",
    step: "run",
    status: "PENDING",
    states: [],
    relayed: 0,
    businessId: "business",
    needsAttention: false,
    ...fields,
  };
}

function changedBy(fields: Partial<Document>, change: Partial<Change<Document>>): Document {
  return applyChange(documentWith(fields), { set: {}, next: "never", ...change }, NOW).after;
}

const entered = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ status: "PENDING", at: i }));

describe("the moment from which any node may drive the document", () => {
  test.each<[string, number | undefined, Partial<Change<Document>>, number | undefined]>([
    ["a lease, if the next step follows at once", undefined, { next: "now" }, NOW + LEASE_MS],
    ["a new lease in place of an old one", NOW + 5_000, { next: "now" }, NOW + LEASE_MS],
    ["the same young lease", NOW + 9_000, { next: "now" }, NOW + 9_000],
    ["the same lease twice as long", NOW + 20_000, { next: "now" }, NOW + 20_000],
    ["a lease in place of a long wait", NOW + 20_001, { next: "now" }, NOW + LEASE_MS],
    ["now", NOW + 9_000, { next: 0 }, NOW],
    ["the end of a wait", NOW + 9_000, { next: 3_000 }, NOW + 3_000],
    ["none after the last step", NOW + 9_000, { next: "never" }, undefined],
  ])("is %s", (_, nextAttemptAt, change, expected) => {
    const changed = changedBy(nextAttemptAt === undefined ? {} : { nextAttemptAt }, change);
    expect(changed.nextAttemptAt).toBe(expected);
  });
});

describe("the moments of a document with an outbox", () => {
  const lateBy = (ms: number) => ({ states: [{ status: "PENDING", at: NOW - ms }] });
  const DONE = { enter: ["DONE"] };
  const [LEASE, WAIT] = [NOW + LEASE_MS, 300_000];
  type Moments = Pick<Document, "nextAttemptAt" | "stepAt">;
  test.each<[string, Partial<Document>, Partial<Change<Document>>, Moments]>([
    ["none while no state is entered", {}, {}, {}],
    ["a lease, and no step", {}, DONE, { nextAttemptAt: LEASE, stepAt: null }],
    [
      "a lease, and the end of a long wait",
      {},
      { ...DONE, next: WAIT },
      { nextAttemptAt: LEASE, stepAt: NOW + WAIT },
    ],
    [
      "the end of a wait that is over soon",
      {},
      { ...DONE, next: 2 * LEASE_MS },
      { nextAttemptAt: LEASE + LEASE_MS },
    ],
    ["the lease of the driver", {}, { ...DONE, next: "now" }, { nextAttemptAt: LEASE }],
    [
      "a lease of its own, because a relay may take the outbox's moment away",
      { ...lateBy(0), nextAttemptAt: NOW + 9_500, stepAt: null },
      { next: "now" },
      { nextAttemptAt: LEASE },
    ],
    [
      "the step alone once all states are acknowledged",
      { ...lateBy(0), relayed: 1, stepAt: NOW + WAIT },
      { next: "same" },
      { nextAttemptAt: NOW + WAIT },
    ],
    ["none once all states are acknowledged", { ...lateBy(0), relayed: 1, stepAt: null }, {}, {}],
    [
      "a lease again while the outbox is young",
      { ...lateBy(2 * LEASE_MS - 1), stepAt: NOW + WAIT },
      { next: "same" },
      { nextAttemptAt: LEASE, stepAt: NOW + WAIT },
    ],
    [
      "a longer wait once it is late",
      { ...lateBy(2 * LEASE_MS), stepAt: null },
      { next: "same" },
      { nextAttemptAt: LEASE + LEASE_MS, stepAt: null },
    ],
    [
      "a minute at most",
      { ...lateBy(100 * LEASE_MS), stepAt: null },
      { next: "same" },
      { nextAttemptAt: NOW + 60_000, stepAt: null },
    ],
    ["none for states without events", {}, { ...DONE, hasNoEvents: true }, {}],
    [
      "a lease for states without events behind one that has an event",
      lateBy(0),
      { ...DONE, hasNoEvents: true },
      { nextAttemptAt: LEASE, stepAt: null },
    ],
    ["none for states that are dropped", lateBy(0), { dropsStates: true }, {}],
  ])("are %s", (_, fields, change, expected) => {
    const { nextAttemptAt, stepAt } = changedBy(fields, change);
    expect({ nextAttemptAt, stepAt }).toEqual(expected);
  });
});

test("a document whose states do not count yet is not due for its outbox", () => {
  const document = documentWith({ states: entered(1) });
  const change: Change<Document> = { set: {}, next: 300_000 };
  const counts = ({ step }: Document) => step !== "run";
  expect(applyChange(document, change, NOW, counts).after.nextAttemptAt).toBe(NOW + 300_000);
  const decided = { ...change, set: { step: "done" } };
  expect(applyChange(document, decided, NOW, counts).after.nextAttemptAt).not.toBe(NOW + 300_000);
});

test("a state, its event and the fields are one update", () => {
  const change: Change<Document> = {
    set: { step: "closed", code: undefined, decidedBy: "admin" },
    enter: ["PROCESSING", "DONE"],
    next: "never",
  };
  const document = documentWith({ code: "x", nextAttemptAt: NOW });
  const { update, after } = applyChange(document, change, NOW);
  const states = [
    { status: "PROCESSING", at: NOW, by: "admin" },
    { status: "DONE", at: NOW, by: "admin" },
  ];
  expect(update).toEqual({
    $set: {
      step: "closed",
      decidedBy: "admin",
      status: "DONE",
      relayed: 0,
      nextAttemptAt: NOW + LEASE_MS,
      stepAt: null,
    },
    $unset: { code: "" },
    $push: { states: { $each: states } },
  });
  expect(after).toEqual(
    documentWith({
      step: "closed",
      decidedBy: "admin",
      status: "DONE",
      nextAttemptAt: NOW + LEASE_MS,
      stepAt: null,
      states,
    }),
  );
  expect(after).not.toHaveProperty("code");
  expect(document.states).toEqual([]);
});

test("a field that the document does not have is not removed", () => {
  const change: Change<Document> = { set: { code: undefined }, next: "never" };
  expect(applyChange(documentWith(), change, NOW).update).toEqual({ $set: { relayed: 0 } });
});

test("documents with different lists make the same update of one entry", () => {
  const change: Change<Document> = {
    set: {},
    amend: { list: "attempts", index: 1, set: { at: 3 } },
    next: "never",
  };
  const listOf = (name: string) => [
    { name, at: 1 },
    { name, at: 2 },
  ];
  const [a, b] = ["a", "b"].map((name) =>
    applyChange(documentWith({ attempts: listOf(name) }), change, NOW),
  );
  expect(a?.update).toEqual({ $set: { relayed: 0, "attempts.1.at": 3 } });
  expect(b?.update).toEqual(a?.update);
  expect(b?.after.attempts).toEqual([
    { name: "b", at: 1 },
    { name: "b", at: 3 },
  ]);
});

test("a clock that was set back does not cause immediate repeated queries", () => {
  const waiting = documentWith({ unknownSince: NOW + 180_000 });
  expect(askedAgain(waiting, NOW).next).toBe(1_000);
});
