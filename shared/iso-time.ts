// Moments as the API shows them (ISO 8601, UTC) and as clients write them (RFC 3339, or a date).

import type { Fault } from "./contracts/field.ts";

/** The last moment that has a year of four digits, as RFC 3339 wants it; epoch ms. */
export const LATEST_MS = Date.parse("9999-12-31T23:59:59.999Z");

/** @param at epoch ms */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

export function isoOrNull(at: number | undefined): string | null {
  return at === undefined ? null : isoTime(at);
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/;
/** What clients write in place of such a time, and what is wrong with it. */
const NEARLY: [RegExp, string][] = [
  [/^\d{4}-\d{2}-\d{2} \d/, "has a blank in place of the T between date and time"],
  [/T[\d:.]+[+-]\d{2}(\d{2})?$/, "has an offset without a colon: write it like +02:00"],
  [/T[\d:.]+ \d{2}:\d{2}$/, "has a blank in place of the offset's +, which a URL has as %2B"],
];
/** ISO 8601 has further forms, such as 20261201T100000Z and 2026-W49-2, and RFC 3339 has none. */
const OTHER_FORM = "is not written like 2026-12-01 or 2026-12-01T10:00:00Z";
/** 23:59:60 in UTC, which another offset shows at another hour (RFC 3339, 5.6 and appendix D). */
const LEAP_SECOND = /(?<=T\d{2}:\d{2}:)60/;

/**
 * Reads a time, or a date alone, in the years 0000 to 9999. A `t` or a `z` in lower case and a leap
 * second are valid (RFC 3339, 5.6 and 5.7); the leap second is read as the second before it,
 * because epoch time has none.
 * @returns the time as it was written, in capitals
 */
export function readTime(given: string): string | Fault {
  if (given === "") return { fault: "is empty" };
  const written = given.toUpperCase();
  const time = TIME.exec(written);
  if (!time && !DAY.test(written)) {
    const [, fault = OTHER_FORM] = NEARLY.find(([form]) => form.test(written)) ?? [];
    return { fault };
  }
  if (time && time[4] === undefined) {
    return { fault: "has no offset: end it with Z for UTC, or with an offset such as +02:00" };
  }
  const read = withoutLeapSecond(written);
  const day = time?.[1] ?? written;
  // The parser reads the 30th of February as the 2nd of March.
  const isDay = !Number.isNaN(Date.parse(day)) && isoTime(Date.parse(day)).startsWith(day);
  if (!isDay || Number.isNaN(Date.parse(read))) return { fault: "is no moment of the calendar" };
  const [sign = ""] = isoTime(Date.parse(read));
  if (sign === "-") return { fault: "is before the year 0000" };
  return sign === "+" ? { fault: "is beyond the year 9999" } : read;
}

/** A 60th second anywhere but at the end of a day, UTC, stays, and is no moment. */
function withoutLeapSecond(time: string): string {
  const before = time.replace(LEAP_SECOND, "59");
  const isLast = before !== time && /T23:59:59/.test(new Date(before).toJSON() ?? "");
  return isLast ? before : time;
}
