// Ways of reading a long list, of which the second is for a read that skips too many documents.

import { type FoundPage, orElse, type ReadPage } from "../../shared/storage/search.ts";

interface Document {
  _id: string;
}

const PAGE: FoundPage<Document> = { documents: [{ _id: "a" }], nextCursor: null };
const EXPIRED = Object.assign(new Error("operation exceeded time limit"), { code: 50 });

/** A read that ends as given, and the times that it was given. */
function reads(end: () => FoundPage<Document>): { read: ReadPage<Document>; times: unknown[] } {
  const times: unknown[] = [];
  const read: ReadPage<Document> = async (_place, options) => {
    times.push(options?.maxTimeMS);
    return end();
  };
  return { read, times };
}
const ends = () => PAGE;
const fails = (error: Error) => () => {
  throw error;
};

test("a read that ends in time is the only one", async () => {
  const [first, second] = [reads(ends), reads(ends)];
  expect(await orElse(first.read, second.read)({})).toBe(PAGE);
  expect([first.times, second.times]).toEqual([[1_000], []]);
});

test("after a read that takes long, the next one has the rest of the time", async () => {
  const [first, second, third] = [reads(fails(EXPIRED)), reads(fails(EXPIRED)), reads(ends)];
  const read = orElse(first.read, orElse(second.read, third.read));
  expect(await read({}, { maxTimeMS: 3_000 })).toBe(PAGE);
  expect([first.times, second.times, third.times]).toEqual([[1_000], [1_000], [1_000]]);
});

test("no read begins once the time is over, and no other error begins one", async () => {
  const second = reads(ends);
  const late = orElse(reads(fails(EXPIRED)).read, second.read)({}, { maxTimeMS: 500 });
  await expect(late).rejects.toBe(EXPIRED);
  const lost = new Error("connection lost");
  await expect(orElse(reads(fails(lost)).read, second.read)({})).rejects.toBe(lost);
  expect(second.times).toEqual([]);
});
