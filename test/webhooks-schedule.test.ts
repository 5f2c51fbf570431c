// When a failed delivery is tried again.

import { parseRetryAfter, retryWaitMs } from "../services/webhooks/schedule.ts";

const DAY_MS = 86_400_000;
const SCHEDULE = [5_000, 300_000];

test("the waits are the schedule's, each up to 20 % shorter or longer, and then there are none", () => {
  expect(retryWaitMs(SCHEDULE, 1, null, 0)).toBe(4_000);
  expect(retryWaitMs(SCHEDULE, 1, null, 0.5)).toBe(5_000);
  expect(retryWaitMs(SCHEDULE, 1, null, 0.999_999)).toBe(6_000);
  expect(retryWaitMs(SCHEDULE, 2, null, 0.5)).toBe(300_000);
  expect(retryWaitMs(SCHEDULE, 3, null, 0.5)).toBeNull();
});

test("Retry-After can only lengthen a wait, by at most a day, and adds no attempt", () => {
  expect(retryWaitMs(SCHEDULE, 1, 60_000, 0.5)).toBe(60_000);
  expect(retryWaitMs(SCHEDULE, 1, 1_000, 0.5)).toBe(5_000);
  expect(retryWaitMs(SCHEDULE, 1, 400 * DAY_MS, 0.5)).toBe(DAY_MS);
  expect(retryWaitMs(SCHEDULE, 3, 60_000, 0.5)).toBeNull();
});

test.each([
  [undefined, null],
  ["120", 120_000],
  ["0", 0],
  ["Wed, 21 Oct 2026 07:28:00 GMT", 60_000],
  ["Wed, 21 Oct 2026 07:00:00 GMT", 0],
  ["-5", null],
  ["1.5", null],
  ["soon", null],
  ["", null],
  ["99999999999999999999", null],
  ["2026-10-21", null],
])("Retry-After %j is %p ms", (header, expected) => {
  expect(parseRetryAfter(header, Date.parse("2026-10-21T07:27:00Z"))).toBe(expected);
});
