// The answer log of a process: how its partners have answered in the last hour, in memory, counted
// by the minute. The gateway adds the logs of all processes (services/gateway/routes/partners.ts).

import type { Clock } from "../clock.ts";
import type { Infer } from "../contracts/field.ts";
import type { seen } from "../contracts/partners.ts";

export type Seen = Infer<typeof seen>;

export interface AnswerLog {
  /**
   * Counts a question.
   * @param name the partner's own
   * @param outcome the kind of the answer; `timeout` or `error` without one
   */
  note(name: string, outcome: string, tookMs: number): void;
  /** The questions of the last hour; nothing for a partner that was not asked. */
  read(name: string): Seen;
}

export const NOTHING_SEEN: Seen = {
  answered: 0,
  unknown: 0,
  errors: 0,
  timeouts: 0,
  tookMs: 0,
  longestMs: 0,
  lastAnsweredAt: 0,
  lastUnansweredAt: 0,
};

const MINUTE_MS = 60_000;
const MINUTES = 60;

interface Log {
  /** By the minute, at most the last sixty. */
  minutes: Map<number, Seen>;
  sinceStart: Seen;
}

export function createAnswerLog(clock: Pick<Clock, "now">): AnswerLog {
  const logs = new Map<string, Log>();

  /** The log of a partner, without the minutes that are over an hour ago. */
  function logOf(name: string): Log {
    const log = logs.get(name) ?? { minutes: new Map(), sinceStart: NOTHING_SEEN };
    logs.set(name, log);
    const oldest = minuteOf(clock.now()) - MINUTES + 1;
    for (const minute of log.minutes.keys()) if (minute < oldest) log.minutes.delete(minute);
    return log;
  }

  return {
    note(name, outcome, tookMs) {
      const log = logOf(name);
      const at = clock.now();
      const question = questionOf(outcome, tookMs, at);
      const before = log.minutes.get(minuteOf(at)) ?? NOTHING_SEEN;
      log.minutes.set(minuteOf(at), addSeen(before, question));
      log.sinceStart = addSeen(log.sinceStart, question);
    },

    read(name) {
      const { minutes, sinceStart } = logOf(name);
      const { lastAnsweredAt, lastUnansweredAt } = sinceStart;
      const inLastHour = minutes.values().reduce(addSeen, NOTHING_SEEN);
      return { ...inLastHour, lastAnsweredAt, lastUnansweredAt };
    },
  };
}

const minuteOf = (at: number) => Math.floor(at / MINUTE_MS);

const WITHOUT_ANSWER: Record<string, "unknown" | "errors" | "timeouts"> = {
  unknown: "unknown",
  error: "errors",
  timeout: "timeouts",
};

function questionOf(outcome: string, tookMs: number, at: number): Seen {
  const without = WITHOUT_ANSWER[outcome];
  return without
    ? { ...NOTHING_SEEN, [without]: 1, lastUnansweredAt: at }
    : { ...NOTHING_SEEN, answered: 1, tookMs, longestMs: tookMs, lastAnsweredAt: at };
}

/** What two minutes, or two processes, have seen together. */
export function addSeen(a: Seen, b: Seen): Seen {
  return {
    answered: a.answered + b.answered,
    unknown: a.unknown + b.unknown,
    errors: a.errors + b.errors,
    timeouts: a.timeouts + b.timeouts,
    tookMs: a.tookMs + b.tookMs,
    longestMs: Math.max(a.longestMs, b.longestMs),
    lastAnsweredAt: Math.max(a.lastAnsweredAt, b.lastAnsweredAt),
    lastUnansweredAt: Math.max(a.lastUnansweredAt, b.lastUnansweredAt),
  };
}
