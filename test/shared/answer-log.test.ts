// The answer log of a process: it counts the questions of the last hour and forgets older ones.

import { addSeen, createAnswerLog, NOTHING_SEEN } from "../../shared/partners/answer-log.ts";

const MINUTE_MS = 60_000;

/** A log with a clock that the test sets. */
function logAt(start: number) {
  const clock = { ms: start, now: () => clock.ms };
  return { clock, log: createAnswerLog(clock) };
}

test("each outcome is counted, and only answers have a time", () => {
  const { log } = logAt(5_000);
  log.note("a", "accepted", 30);
  log.note("a", "no", 70);
  log.note("a", "unknown", 10);
  log.note("a", "error", 500);
  log.note("a", "timeout", 4_000);
  log.note("b", "settled", 1);
  expect(log.read("a")).toEqual({
    answered: 2,
    unknown: 1,
    errors: 1,
    timeouts: 1,
    tookMs: 100,
    longestMs: 70,
    lastAnsweredAt: 5_000,
    lastUnansweredAt: 5_000,
  });
  expect(log.read("c")).toEqual(NOTHING_SEEN);
});

test("a question is forgotten after an hour, except when it was the last", () => {
  const { clock, log } = logAt(59_999);
  log.note("a", "timeout", 4_000);
  log.note("a", "settled", 20);
  clock.ms = MINUTE_MS;
  log.note("a", "settled", 40);
  clock.ms = 59 * MINUTE_MS + 59_999;
  expect(log.read("a")).toMatchObject({ answered: 2, timeouts: 1, tookMs: 60, longestMs: 40 });
  clock.ms += 1;
  expect(log.read("a")).toMatchObject({ answered: 1, timeouts: 0, tookMs: 40 });
  clock.ms = 1_000 * MINUTE_MS;
  expect(log.read("a")).toEqual({
    ...NOTHING_SEEN,
    lastAnsweredAt: MINUTE_MS,
    lastUnansweredAt: 59_999,
  });
});

test("what several processes have seen is added", () => {
  const one = { ...NOTHING_SEEN, answered: 2, tookMs: 50, longestMs: 40, lastAnsweredAt: 7 };
  const other = { ...NOTHING_SEEN, answered: 1, errors: 3, tookMs: 20, longestMs: 20 };
  const both = { ...one, answered: 3, errors: 3, tookMs: 70 };
  expect(addSeen(one, other)).toEqual(both);
  expect(addSeen(other, one)).toEqual(both);
});
