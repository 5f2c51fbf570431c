// Each filter and each order of each list, and MongoDB reads only documents of the page, because a
// page of a large business without an index for the filter would be a scan.

import mongoose from "mongoose";
import type { Route } from "../../services/gateway/http/route.ts";
import { named, sendSample, TABLE } from "../support/sampled-routes.ts";
import { makeThings, type Sample, samplesOf } from "../support/samples.ts";
import { settledStored } from "../support/stored.ts";
import { served } from "../support/system.ts";
import { startWorld, type World } from "../support/world.ts";

/** Parameters of lists that are no filters. */
const PAGING = ["page", "limit", "order", "cursor", "sortBy", "sortDirection"];

const filtersOf = ({ inQuery }: Route) => inQuery.filter((name) => !PAGING.includes(name));
const lists = TABLE.filter(({ contract }) => contract.result.fields?.items !== undefined);
const UNKNOWN_ID = "0198c0de-7a54-7000-8000-2d6b1c0f9e47";

let world: World;
let samples: Record<string, Sample>;
let connection: mongoose.Connection;

beforeAll(async () => {
  world = await startWorld();
  samples = samplesOf(world, await makeThings(world));
  await settledStored(world);
  connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
});
afterAll(async () => {
  await connection?.close();
  await world?.stop();
});

/** All values of an enumeration, or an unknown id; none of another text. */
function valuesOf({ contract }: Route, filter: string): unknown[] {
  const { schema } = contract.params[filter] ?? {};
  if (schema?.type === "boolean") return [true, false];
  if (schema?.format === "uuid") return [UNKNOWN_ID];
  return Array.isArray(schema?.enum) ? schema.enum : [];
}

interface Read {
  ns: string;
  planSummary: string;
  docsExamined: number;
  nreturned: number;
}

/** The reads of pages. */
async function readsOf(work: () => Promise<void>): Promise<Read[]> {
  const db = connection.getClient().db(connection.name);
  // The plan for another value of the same filter may be a scan that is as fast for that value.
  for (const { collectionName } of await db.collections()) {
    await db.command({ planCacheClear: collectionName });
  }
  const since = new Date();
  await db.command({ profile: 2 });
  await work();
  await db.command({ profile: 0 });
  // Pages are sorted by their ids; sweeps in the background are not.
  const pages = { ts: { $gte: since }, "command.sort._id": { $exists: true } };
  return db.collection<Read>("system.profile").find(pages).toArray();
}

interface Page {
  ids: string[];
  meta: { nextCursor?: string | null };
}

/** A page of a list; a read of more documents than the page has fails the test. */
async function pageOf(route: Route, query: string): Promise<Page> {
  let page: Page = { ids: [], meta: {} };
  const reads = await readsOf(async () => {
    const sample = samples[route.name] as Sample;
    const { status, body } = await served(() => sendSample(world, route, sample, { query }));
    expect([query, status]).toEqual([query, 200]);
    page = { ids: body.data.map(({ id }: { id: string }) => id), meta: body.meta };
  });
  if (page.ids.length > 0) expect(reads).not.toEqual([]);
  const scans = reads
    .filter(({ docsExamined, nreturned }) => docsExamined > nreturned)
    .map(({ ns, planSummary }) => `${ns}: ${planSummary}`);
  expect([query, scans]).toEqual([query, []]);
  return page;
}

async function idsOf(route: Route, query: string): Promise<string[]> {
  return (await pageOf(route, query)).ids;
}

/** The ids of a list by cursor, newest first, with one on a page. */
async function newestOf(route: Route, query: string): Promise<string[]> {
  const newest: string[] = [];
  let place = "";
  for (;;) {
    const { ids, meta } = await pageOf(route, `${query}&order=newest&limit=1${place}`);
    newest.push(...ids);
    expect(Object.keys(meta)).toEqual(["nextCursor"]);
    if (meta.nextCursor === null) return newest;
    expect(ids).toEqual([meta.nextCursor]);
    place = `&cursor=${meta.nextCursor}`;
  }
}

const filters = lists.flatMap((route) =>
  filtersOf(route).map((filter): [string, string, unknown[], Route] => {
    return [route.name, filter, valuesOf(route, filter), route];
  }),
);
const cases = filters.filter(([, , values]) => values.length > 0);
/** Texts, ids of several kinds and times, which have no fixed set of values. */
const UNTRIED = [
  "amountFrom",
  "amountTo",
  "bank",
  "email",
  "externalId",
  "from",
  "idempotencyKey",
  "last4",
  "reference",
  "search",
  "since",
  "subjectId",
  "to",
];
/** A value of a filter that covers other values of it; the transactions' own tests try it. */
const COVERING = ["WITHDRAWAL"];

test("every filter with a fixed set of values is tried", () => {
  const untried = filters.filter((each) => !cases.includes(each)).map(([, filter]) => filter);
  expect([...new Set(untried)].toSorted()).toEqual(UNTRIED);
});

test.each(cases)(
  "%s by %s has what matches, and reads no more",
  async (_, filter, values, route) => {
    const found: string[] = [];
    for (const value of values) {
      const ids = await idsOf(route, `${filter}=${String(value)}`);
      if (!COVERING.includes(String(value)) || filter !== "flow") found.push(...ids);
    }
    // Each thing has one of the values, and none has the unknown id.
    const expected = values.includes(UNKNOWN_ID) ? [] : await idsOf(route, "");
    expect(found.toSorted()).toEqual(expected.toSorted());
  },
);

const ordered = named(lists.filter(({ inQuery }) => inQuery.includes("order")));

test.each(ordered)("%s has the same by number and, reversed, by cursor", async (_, route) => {
  const filtered = cases
    .filter(([name]) => name === route.name)
    .flatMap(([, filter, values]) => values.map((value) => `${filter}=${String(value)}`));
  for (const query of ["", ...filtered]) {
    const oldest = await idsOf(route, query);
    expect(oldest).toEqual(oldest.toSorted());
    expect([query, await newestOf(route, query)]).toEqual([query, oldest.toReversed()]);
  }
});

test.each(ordered)("%s is asked for in one way", async (_, route) => {
  const sample = samples[route.name] as Sample;
  for (const [query, message] of [
    ["order=newest&page=1", "page must be left out with order=newest"],
    [`cursor=${UNKNOWN_ID}`, "cursor must be left out without order=newest"],
    [`cursor=${UNKNOWN_ID}&order=oldest`, "cursor must be left out without order=newest"],
    ["order=newest&cursor=x", "cursor must be a nextCursor of this list"],
    ["order=NEWEST", "order must be one of oldest, newest"],
  ]) {
    const { status, body } = await served(() => sendSample(world, route, sample, { query }));
    expect([query, status, body.message]).toEqual([query, 400, message]);
  }
});
