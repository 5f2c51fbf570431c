// The times of the retries of a failed delivery.

import { parseRetryAfter, retryWaitMs } from "../../services/webhooks/exchange/schedule.ts";

const DAY_MS = 86_400_000;
const SCHEDULE = [5_000, 300_000];

test("the waits follow the schedule with up to 20 % jitter, and end with it", () => {
  expect(retryWaitMs(SCHEDULE, 1, null, 0)).toBe(4_000);
  expect(retryWaitMs(SCHEDULE, 1, null, 0.5)).toBe(5_000);
  expect(retryWaitMs(SCHEDULE, 1, null, 0.999_999)).toBe(6_000);
  expect(retryWaitMs(SCHEDULE, 2, null, 0.5)).toBe(300_000);
  expect(retryWaitMs(SCHEDULE, 3, null, 0.5)).toBeNull();
});

test("Retry-After only lengthens a wait, by at most a day, and adds no attempt", () => {
  expect(retryWaitMs(SCHEDULE, 1, 60_000, 0.5)).toBe(60_000);
  expect(retryWaitMs(SCHEDULE, 1, 1_000, 0.5)).toBe(5_000);
  expect(retryWaitMs(SCHEDULE, 1, 400 * DAY_MS, 0.5)).toBe(DAY_MS);
  expect(retryWaitMs(SCHEDULE, 3, 60_000, 0.5)).toBeNull();
});

test.each([
  [undefined, null],
  ["120", 120_000],
  ["0", 0],
  ["007", 7_000],
  [" 120 ", 120_000],
  ["\t120", 120_000],
  // All date formats of RFC 9110 (5.6.7), independent of the machine's time zone.
  ["Wed, 21 Oct 2026 07:28:00 GMT", 60_000],
  [" Wed, 21 Oct 2026 07:28:00 GMT ", 60_000],
  ["Wednesday, 21-Oct-26 07:28:00 GMT", 60_000],
  ["Wed Oct 21 07:28:00 2026", 60_000],
  ["Tue Nov  3 07:27:00 2026", 13 * DAY_MS],
  ["Wed, 21 Oct 2026 07:00:00 GMT", 0],
  ["Sunday, 06-Nov-94 08:49:37 GMT", 0],
  ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
  ["-5", null],
  ["+5", null],
  ["1.5", null],
  ["1e3", null],
  ["0x10", null],
  ["5s", null],
  ["5,", 5_000],
  ["１２０", null],
  ["soon", null],
  ["", null],
  [" ", null],
  ["NaN", null],
  ["Infinity", null],
  ["2026-10-21", null],
  ["2026-10-21T07:28:00Z", null],
  ["Wed, 21 Oct 2026", null],
  ["Wed, 21 Oct 2026 07:28:00", null],
  ["Wed, 21 Oct 2026 07:28:00 +0200", null],
  ["Wed, 99 Oct 2026 07:28:00 GMT", null],
  ["Wed, 21 Foo 2026 07:28:00 GMT", null],
  ["Wed 5", null],
])("Retry-After %j is %p ms", (header, expected) => {
  const headers = header === undefined ? undefined : [header];
  expect(parseRetryAfter(headers, Date.parse("2026-10-21T07:27:00Z"))).toBe(expected);
});

test.each<[string[], number | null]>([
  [["120", "240"], 240_000],
  [["240", "120"], 240_000],
  [["120, 240"], 240_000],
  [["5 ,6", "4"], 6_000],
  [["soon", "120"], 120_000],
  [["30, Wed, 21 Oct 2026 07:28:00 GMT"], 60_000],
  [["Wed, 21 Oct 2026 07:28:00 GMT,Wednesday, 21-Oct-26 07:29:00 GMT, 30"], 120_000],
  [["Wed Oct 21 07:28:00 2026, 30"], 60_000],
  [["soon", "later"], null],
  [[], null],
])("of several Retry-After, %j, the longest counts", (headers, expected) => {
  expect(parseRetryAfter(headers, Date.parse("2026-10-21T07:27:00Z"))).toBe(expected);
});

test.each(["99999999999999999999", "9".repeat(10_000), "Fri, 31 Dec 9999 23:59:59 GMT"])(
  "an excessive Retry-After is limited to a day",
  (header) => {
    const asked = parseRetryAfter([header], Date.parse("2026-10-21T07:27:00Z"));
    expect(retryWaitMs(SCHEDULE, 1, asked, 0.5)).toBe(DAY_MS);
  },
);

test("the waits of many deliveries that failed at once are spread evenly", () => {
  const waits = Array.from(
    { length: 101 },
    (_, i) => retryWaitMs([100_000], 1, null, i / 101) as number,
  );
  const steps = waits.slice(1).map((wait, i) => wait - (waits[i] as number));
  expect(Math.max(...steps) - Math.min(...steps)).toBeLessThanOrEqual(1);
});
