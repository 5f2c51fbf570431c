// A bank's calendar: the moments at which it takes files, and the banking days on which their
// payments settle. It is pure: the same settings and moment always give the same answer. Moments
// are epoch milliseconds, days are dates, YYYY-MM-DD, in the bank's time zone.
//
// Batches close at cut-offs, so a moment must belong to the same cut-off on every node and after
// every restart. Otherwise two nodes close two batches where one was due.

import { DateTime, IANAZone } from "luxon";
import { HOLIDAYS, type Holidays, isHoliday } from "./holidays.ts";

export interface BankCalendar {
  /** The latest cut-off at or before `now`; with "always", `now` itself. */
  lastCutOff(now: number): number;
  /** The first cut-off after `now`; with "always", the next millisecond. */
  nextCutOff(now: number): number;
  /** The banking day on which the payments of a cut-off settle. */
  settlementDay(cutOff: number): string;
  /**
   * The moment at which the nth banking day after a day begins. With 0 it is that of the day
   * itself, or of the next banking day if the bank is closed on it.
   * @param bankingDays a whole number, 0 to 100
   * @throws Error if `day` is no date, or `bankingDays` no such number
   */
  startOfDayAfter(day: string, bankingDays: number): number;
}

interface Settings {
  timeZone: string;
  /** Local times in minutes after midnight, ascending. */
  cutOffs: number[] | "always";
  holidays: Holidays;
  closedOn: Set<string>;
  settlesAfterDays: number;
}

const DATE = "yyyy-MM-dd";
const DAY_MS = 86_400_000;
const MAX_CLOSED_ON = 366;
const MAX_CUT_OFFS = 24;
const MAX_BANKING_DAYS = 100;
/** No bank is closed this long: with every date of `closedOn` on a banking day it is 530 days. */
const MAX_WALK_DAYS = 800;

/**
 * @param settings an operator's JSON:
 *   `timeZone`, such as "America/New_York";
 *   `cutOffs`, local times such as ["10:30", "16:00"], ascending, or "always", with which a batch
 *   may close at any moment, for sandboxes; `holidays`, "federal-reserve", "target" or "none", with
 *   which every day is a banking day; `closedOn`, further dates without banking, such as
 *   ["2027-01-02"], none by default; `settlesAfterDays`, the banking days from a cut-off to the
 *   settlement of its payments, 0 to 5
 * @throws Error that names the wrong setting
 */
export function bankCalendar(settings: unknown): BankCalendar {
  const { timeZone, cutOffs, holidays, closedOn, settlesAfterDays } = checked(settings);

  const isBankingDay = (day: string) => !closedOn.has(day) && !isHoliday(holidays, day);
  const localDay = (moment: number) => {
    if (!Number.isFinite(moment)) throw new Error("the moment is no number");
    return DateTime.fromMillis(moment, { zone: timeZone }).toFormat(DATE);
  };
  const cutOffsOn = (day: string) =>
    cutOffs !== "always" && isBankingDay(day)
      ? cutOffs.map((minutes) => momentOf(day, minutes, timeZone))
      : [];

  function bankingDayAfter(day: string, count: number): string {
    if (count === 0 && isBankingDay(day)) return day;
    let left = Math.max(count, 1);
    return walk(day, 1, (each) => {
      if (each !== day && isBankingDay(each)) left -= 1;
      return left === 0 ? each : null;
    });
  }

  return {
    lastCutOff(now) {
      if (cutOffs === "always") return now;
      return walk(localDay(now), -1, (day) => {
        const passed = cutOffsOn(day).filter((moment) => moment <= now);
        return passed.length > 0 ? Math.max(...passed) : null;
      });
    },
    nextCutOff(now) {
      if (cutOffs === "always") return now + 1;
      return walk(localDay(now), 1, (day) => {
        const coming = cutOffsOn(day).filter((moment) => moment > now);
        return coming.length > 0 ? Math.min(...coming) : null;
      });
    },
    settlementDay: (cutOff) => bankingDayAfter(localDay(cutOff), settlesAfterDays),
    startOfDayAfter(day, bankingDays) {
      if (!isDate(day)) throw new Error("the day is no date of the form YYYY-MM-DD");
      if (!isWhole(bankingDays, MAX_BANKING_DAYS)) {
        throw new Error(`the banking days are no whole number from 0 to ${MAX_BANKING_DAYS}`);
      }
      return momentOf(bankingDayAfter(day, bankingDays), 0, timeZone);
    },
  };
}

/** Goes from day to day, beginning with `day`, until `find` returns something. */
function walk<T>(day: string, step: 1 | -1, find: (day: string) => T | null): T {
  const start = DateTime.fromISO(day, { zone: "utc" });
  for (let days = 0; days <= MAX_WALK_DAYS; days++) {
    const found = find(start.plus({ days: days * step }).toFormat(DATE));
    if (found !== null) return found;
  }
  throw new Error(`no banking day is within ${MAX_WALK_DAYS} days of ${day}`);
}

/**
 * The moment of a local time. A time that is skipped when clocks go forward is read by the clock
 * before the change: 02:30 is the moment at which clocks show 03:30. A time that comes twice when
 * they go back is its first moment, because a file at the second one may be too late for the bank.
 */
function momentOf(day: string, minutes: number, timeZone: string): number {
  const asUtc = DateTime.fromISO(day, { zone: "utc" }).plus({ minutes }).toMillis();
  const zone = IANAZone.create(timeZone);
  const momentBy = (offsetMinutes: number) => asUtc - offsetMinutes * 60_000;
  // luxon's own choice for a time that comes twice depends on the time of the call. No zone changes
  // its clocks twice within two days.
  const [before, after] = [zone.offset(asUtc - DAY_MS), zone.offset(asUtc + DAY_MS)];
  const isAfterChange =
    zone.offset(momentBy(before)) !== before && zone.offset(momentBy(after)) === after;
  return momentBy(isAfterChange ? after : before);
}

function checked(settings: unknown): Settings {
  if (typeof settings !== "object" || settings === null || Array.isArray(settings)) {
    throw new Error("calendar is no JSON object");
  }
  const known = ["timeZone", "cutOffs", "holidays", "closedOn", "settlesAfterDays"];
  const unknown = Object.keys(settings).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new Error(`calendar has the unknown setting ${unknown}`);
  const given = settings as Record<string, unknown>;
  return {
    timeZone: checkedZone(given.timeZone),
    cutOffs: checkedCutOffs(given.cutOffs),
    holidays: checkedHolidays(given.holidays),
    closedOn: checkedDates(given.closedOn ?? []),
    settlesAfterDays: checkedDays(given.settlesAfterDays),
  };
}

function checkedZone(zone: unknown): string {
  // Intl also takes "+05:00", which is no zone with changes of its clocks.
  const isZone = typeof zone === "string" && /^[A-Z]/i.test(zone) && IANAZone.isValidZone(zone);
  if (!isZone) throw new Error('timeZone is no IANA time zone, such as "America/New_York"');
  return zone;
}

function checkedCutOffs(cutOffs: unknown): Settings["cutOffs"] {
  if (cutOffs === "always") return cutOffs;
  if (!Array.isArray(cutOffs) || cutOffs.length === 0 || cutOffs.length > MAX_CUT_OFFS) {
    throw new Error(`cutOffs is neither "always" nor a list of 1 to ${MAX_CUT_OFFS} times`);
  }
  const times = cutOffs.map((time) => {
    const isTime = typeof time === "string" && /^([01]\d|2[0-3]):[0-5]\d$/.test(time);
    if (!isTime) throw new Error("cutOffs has a time that is not of the form HH:MM");
    return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
  });
  const isAscending = times.every((time, i) => i === 0 || time > (times[i - 1] as number));
  if (!isAscending) throw new Error("cutOffs is not in ascending order");
  return times;
}

function checkedHolidays(holidays: unknown): Holidays {
  const found = HOLIDAYS.find((each) => each === holidays);
  if (!found) throw new Error(`holidays is none of ${HOLIDAYS.join(", ")}`);
  return found;
}

function checkedDates(dates: unknown): Set<string> {
  if (!Array.isArray(dates) || dates.length > MAX_CLOSED_ON) {
    throw new Error(`closedOn is no list of at most ${MAX_CLOSED_ON} dates`);
  }
  if (!dates.every(isDate)) throw new Error("closedOn has a date that is none, as in 2027-01-02");
  return new Set(dates);
}

function checkedDays(days: unknown): number {
  if (!isWhole(days, 5)) throw new Error("settlesAfterDays is no whole number from 0 to 5");
  return days;
}

function isWhole(value: unknown, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;
}

function isDate(value: unknown): value is string {
  return (
    typeof value === "string" &&
    /^\d{4}-\d{2}-\d{2}$/.test(value) &&
    DateTime.fromISO(value, { zone: "utc" }).isValid
  );
}
