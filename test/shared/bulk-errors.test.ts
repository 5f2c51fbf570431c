// The reader of bulk errors: it counts documents as stored only if the error proves it.

import { readBulkError } from "../../shared/bulk-errors.ts";

const duplicate = { index: 1, code: 11_000 };
const tooLarge = { index: 2, code: 10_334 };
const met = { getWriteConcernError: () => undefined };
const unmet = { getWriteConcernError: () => ({ code: 64 }) };

test.each([
  ["refusals alone", { writeErrors: [duplicate, tooLarge], result: met }, [1, 2], true],
  ["one refusal without a list", { writeErrors: duplicate, result: met }, [1], true],
  ["refusals and a failed write concern", { writeErrors: [duplicate], result: unmet }, [1], false],
  ["a failed write concern alone", { writeErrors: [], result: unmet }, [], false],
  ["a lost connection", new Error("connection closed"), [], false],
])("%s", (_name, error, indexes, othersStored) => {
  const read = readBulkError(error);
  expect(read.refused.map(({ index }) => index)).toEqual(indexes);
  expect(read.othersStored).toBe(othersStored);
});
