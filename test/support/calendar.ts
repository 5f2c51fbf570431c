// A calendar for tests that walks from day to day and uses only the lengths of months.

export interface Day {
  year: number;
  /** From 1, as the day. */
  month: number;
  day: number;
}

export const DAY_MS = 86_400_000;

export function daysIn(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  if (month === 2) return isLeap ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

export function dayAfter({ year, month, day }: Day): Day {
  if (day < daysIn(year, month)) return { year, month, day: day + 1 };
  return month < 12 ? { year, month: month + 1, day: 1 } : { year: year + 1, month: 1, day: 1 };
}

/** Epoch ms of the day's midnight, counted from 1 January 1970. */
export function midnightOf({ year, month, day }: Day): number {
  let days = day - 1;
  for (let each = 1970; each < year; each++) days += daysIn(each, 2) + 337;
  for (let each = 1; each < month; each++) days += daysIn(year, each);
  return days * DAY_MS;
}

export interface Interval {
  type: "day" | "week" | "month" | "year";
  count: number;
}

/**
 * All boundaries up to some time after the anchor, found by walking there.
 * @param anchor the anchor's day, and its time within that day
 * @returns epoch ms
 */
export function walkBoundaries(
  anchor: Day & { timeMs: number },
  { type, count }: Interval,
  days: number,
): number[] {
  const boundaries: number[] = [];
  let today: Day = anchor;
  let months = 0;
  const start = midnightOf(anchor) + anchor.timeMs;
  for (let passed = 0; passed <= days; passed++) {
    const isDay = today.day === Math.min(anchor.day, daysIn(today.year, today.month));
    const isBoundary = {
      day: passed % count === 0,
      week: passed % (7 * count) === 0,
      month: isDay && months % count === 0,
      year: isDay && months % (12 * count) === 0,
    }[type];
    if (isBoundary) boundaries.push(start + passed * DAY_MS);
    today = dayAfter(today);
    if (today.day === 1) months += 1;
  }
  return boundaries;
}
