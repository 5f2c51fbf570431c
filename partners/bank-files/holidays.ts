// The days on which the banks of a payment system are closed, by rule. A day is a date, YYYY-MM-DD,
// and has no time zone. The rules are those of 2022 and later.
//
// They are rules of our own because no kept library has them: date-holidays has no T2, and observes
// the bank holidays of the United States on Fridays; @18f/us-federal-holidays ended with its
// agency.

import { DateTime } from "luxon";

export const HOLIDAYS = ["federal-reserve", "target", "none"] as const;
export type Holidays = (typeof HOLIDAYS)[number];

/**
 * Whether no bank works on this day: on weekends and holidays, never with "none".
 * @param day an existing date, YYYY-MM-DD
 */
export function isHoliday(holidays: Holidays, day: string): boolean {
  if (holidays === "none") return false;
  const date = DateTime.fromISO(day, { zone: "utc" });
  if (date.weekday > 5) return true;
  return holidays === "target" ? isTargetHoliday(date) : isFederalReserveHoliday(date);
}

const FEDERAL_RESERVE_DATES = ["01-01", "06-19", "07-04", "11-11", "12-25"];

/** By month, 1 to 12: the weekday, 1 for Monday, and the first of the seven days it can be on. */
const FEDERAL_RESERVE_WEEKDAYS: Record<number, [weekday: number, firstDay: number]> = {
  // Martin Luther King, Jr.: the third Monday
  1: [1, 15],
  // Washington: the third Monday
  2: [1, 15],
  // Memorial Day: the last Monday
  5: [1, 25],
  // Labor Day: the first Monday
  9: [1, 1],
  // Columbus Day: the second Monday
  10: [1, 8],
  // Thanksgiving Day: the fourth Thursday
  11: [4, 22],
};

/**
 * Source: "Holidays Observed by the Federal Reserve System", K.8, of the Board of Governors. The
 * Reserve Banks observe the holiday of a Sunday on Monday. They do not observe that of a Saturday:
 * they are open on the Friday before it.
 */
function isFederalReserveHoliday(date: DateTime): boolean {
  if (FEDERAL_RESERVE_DATES.includes(date.toFormat("MM-dd"))) return true;
  const dayBefore = date.minus({ days: 1 });
  if (date.weekday === 1 && FEDERAL_RESERVE_DATES.includes(dayBefore.toFormat("MM-dd"))) {
    return true;
  }
  const rule = FEDERAL_RESERVE_WEEKDAYS[date.month];
  if (!rule) return false;
  const [weekday, firstDay] = rule;
  return date.weekday === weekday && date.day >= firstDay && date.day < firstDay + 7;
}

/**
 * Source: "Long-term calendar for TARGET closing days", European Central Bank, 14 December 2000,
 * which T2 keeps. A holiday on a weekend is not observed on another day.
 */
function isTargetHoliday(date: DateTime): boolean {
  if (["01-01", "05-01", "12-25", "12-26"].includes(date.toFormat("MM-dd"))) return true;
  const daysAfterEaster = date.diff(easterSunday(date.year), "days").days;
  return daysAfterEaster === -2 || daysAfterEaster === 1;
}

/** The algorithm of Meeus, Astronomical Algorithms, chapter 8, for the Gregorian calendar. */
function easterSunday(year: number): DateTime {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const f = Math.floor((b + 8) / 25);
  const g = Math.floor((b - f + 1) / 3);
  const h = (19 * a + b - Math.floor(b / 4) - g + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const sum = h + l - 7 * m + 114;
  return DateTime.utc(year, Math.floor(sum / 31), (sum % 31) + 1);
}
