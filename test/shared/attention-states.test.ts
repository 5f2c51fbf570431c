// The documents of all businesses that an operator looks at, by their state: a state's list has the
// documents of that state alone, newest first and by cursor, and an index serves it.

import mongoose, { type Connection, type Model } from "mongoose";
import type { AttentionState } from "../../shared/contracts/attention.ts";
import { newId } from "../../shared/ids.ts";
import {
  attentionItem,
  findForAttention,
  overdueReason,
} from "../../shared/resumable/attention.ts";
import { newResumable, type Resumable } from "../../shared/resumable/document.ts";
import { resumableSchema, WAITING_INDEX } from "../../shared/resumable/schema.ts";
import { whereSet } from "../../shared/storage/indexes.ts";

const NOW = Date.parse("2030-01-01");
const MINUTE_MS = 60_000;

let connection: Connection;
let documents: Model<Resumable>;

beforeAll(async () => {
  const url = new URL(process.env.TEST_MONGO_URL as string);
  url.pathname = "/test_attention_states";
  connection = await mongoose.createConnection(url.href).asPromise();
  await connection.dropDatabase();
  const schema = resumableSchema<Resumable>({});
  schema.index(WAITING_INDEX.rail, whereSet("unknownSince"));
  documents = connection.model("documents", schema, "documents");
  await documents.createIndexes();
});
beforeEach(() => documents.deleteMany({}));
afterAll(async () => {
  await connection.dropDatabase();
  await connection.close();
});

async function stored(fields: Partial<Resumable>): Promise<string> {
  const fixed = { step: "ask", status: "PENDING", businessId: newId(), nextAttemptAt: NOW };
  const [document] = await documents.create([{ ...newResumable(newId()), ...fixed, ...fields }]);
  return document?._id as string;
}

const read = (state: AttentionState, page: { cursor?: string; limit?: number } = {}) =>
  findForAttention(documents, { state, now: NOW, ...page }, WAITING_INDEX.rail);

async function idsOf(state: AttentionState): Promise<string[]> {
  return (await read(state)).documents.map(({ _id }) => _id);
}

test("each state has its own documents", async () => {
  await stored({});
  const asked = await stored({ unknownSince: NOW - MINUTE_MS });
  const flagged = await stored({ unknownSince: NOW - 1_500 * MINUTE_MS, needsAttention: true });
  const contradicted = await stored({ needsAttention: true });
  const late = await stored({ nextAttemptAt: NOW - 5 * MINUTE_MS });
  await stored({ nextAttemptAt: NOW - 5 * MINUTE_MS + 1 });
  const both = await stored({
    unknownSince: NOW - 9 * MINUTE_MS,
    nextAttemptAt: NOW - 9 * MINUTE_MS,
  });
  expect(await idsOf("flagged")).toEqual([contradicted, flagged]);
  expect(await idsOf("unknown")).toEqual([both, asked]);
  expect(await idsOf("overdue")).toEqual([both, late]);
});

test.each<[AttentionState, Partial<Resumable>]>([
  ["flagged", { needsAttention: true }],
  ["unknown", { unknownSince: NOW }],
  ["overdue", { nextAttemptAt: 0 }],
])("%s documents page by cursor, and one index serves them", async (state, fields) => {
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.unshift(await stored(fields));
  for (let i = 0; i < 20; i++) await stored({});
  const first = await read(state, { limit: 3 });
  expect(first.documents.map(({ _id }) => _id)).toEqual(ids.slice(0, 3));
  const cursor = first.nextCursor as string;
  const { documents: rest, nextCursor } = await read(state, { limit: 3, cursor });
  expect([rest.map(({ _id }) => _id), nextCursor]).toEqual([ids.slice(3), null]);
  await connection.db?.command({ profile: 2 });
  await read(state, { limit: 3 });
  await connection.db?.command({ profile: 0 });
  const profiled = connection.db?.collection("system.profile").find({ op: "query" });
  const [last] = (await profiled?.sort({ ts: -1 }).limit(1).toArray()) ?? [];
  // The other twenty documents are not among them.
  expect(last).toMatchObject({ planSummary: expect.stringContaining("IXSCAN") });
  expect(last?.docsExamined).toBeLessThanOrEqual(5);
});

test("an item says since when its outcome is unknown and when its next step is due", async () => {
  await stored({ unknownSince: NOW - MINUTE_MS, nextAttemptAt: NOW - 6 * MINUTE_MS });
  const [document] = (await read("overdue")).documents as [Resumable];
  expect(attentionItem(document)).toEqual({
    id: document._id,
    businessId: document.businessId,
    unknownSince: "2029-12-31T23:59:00.000Z",
    nextStepAt: "2029-12-31T23:54:00.000Z",
  });
  expect(overdueReason(document)).toBe("No process has taken the step ask");
  await documents.updateMany({}, { $unset: { nextAttemptAt: "", unknownSince: "" } });
  const ended = (await documents.findOne().lean()) as Resumable;
  expect(attentionItem(ended)).toMatchObject({ unknownSince: null, nextStepAt: null });
});

test("without an index of unknown outcomes nothing of that state is listed", async () => {
  await stored({ unknownSince: NOW });
  const asked = { state: "unknown" as const, now: NOW };
  expect(await findForAttention(documents, asked, null)).toEqual({
    documents: [],
    nextCursor: null,
  });
});
