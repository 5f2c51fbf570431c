// The holidays by rule agree with the lists that the Federal Reserve and the European Central Bank
// have published, on every day of those years.

import { isHoliday } from "../../../partners/bank-files/holidays.ts";
import { type Day, dayAfter } from "../../support/calendar.ts";

/**
 * The days from Monday to Friday on which the Reserve Banks are closed. Sources: the Board's page
 * "K.8 - Holidays Observed by the Federal Reserve System 2026-2030", last updated on 31 December
 * 2025, and for 2024 and 2025 its earlier editions. Holidays of a Saturday are left out, those of a
 * Sunday are on the Monday that the page names.
 */
const FEDERAL_RESERVE: Record<number, string> = {
  2024: "01-01 01-15 02-19 05-27 06-19 07-04 09-02 10-14 11-11 11-28 12-25",
  2025: "01-01 01-20 02-17 05-26 06-19 07-04 09-01 10-13 11-11 11-27 12-25",
  2026: "01-01 01-19 02-16 05-25 06-19 09-07 10-12 11-11 11-26 12-25",
  2027: "01-01 01-18 02-15 05-31 07-05 09-06 10-11 11-11 11-25",
  2028: "01-17 02-21 05-29 06-19 07-04 09-04 10-09 11-23 12-25",
  2029: "01-01 01-15 02-19 05-28 06-19 07-04 09-03 10-08 11-12 11-22 12-25",
  2030: "01-01 01-21 02-18 05-27 06-19 07-04 09-02 10-14 11-11 11-28 12-25",
};

/**
 * The days from Monday to Friday on which T2 is closed. Source: the six closing days of the ECB's
 * long-term calendar, with the dates of Good Friday and Easter Monday in the church's calendar.
 */
const TARGET: Record<number, string> = {
  2024: "01-01 03-29 04-01 05-01 12-25 12-26",
  2025: "01-01 04-18 04-21 05-01 12-25 12-26",
  2026: "01-01 04-03 04-06 05-01 12-25",
  2027: "01-01 03-26 03-29",
  2028: "04-14 04-17 05-01 12-25 12-26",
  2029: "01-01 03-30 04-02 05-01 12-25 12-26",
  2030: "01-01 04-19 04-22 05-01 12-25 12-26",
};

const written = ({ year, month, day }: Day) =>
  `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;

/** The year's days with their weekday, 0 for Sunday. */
function daysOf(year: number): { day: string; weekday: number }[] {
  const days = [];
  for (let day: Day = { year, month: 1, day: 1 }; day.year === year; day = dayAfter(day)) {
    days.push({ day: written(day), weekday: new Date(`${written(day)}T00:00:00Z`).getUTCDay() });
  }
  return days;
}

describe.each([
  ["federal-reserve", FEDERAL_RESERVE],
  ["target", TARGET],
] as const)("%s", (holidays, published) => {
  test.each(Object.keys(published).map(Number))("%i is closed on the published days", (year) => {
    const closed = daysOf(year).filter(({ day }) => isHoliday(holidays, day));
    const ofTheWeek = closed.filter(({ weekday }) => weekday !== 0 && weekday !== 6);
    expect(ofTheWeek.map(({ day }) => day.slice(5)).join(" ")).toBe(published[year]);
  });

  test("every weekend is closed", () => {
    const weekends = daysOf(2026).filter(({ weekday }) => weekday === 0 || weekday === 6);
    expect(weekends).toHaveLength(104);
    expect(weekends.filter(({ day }) => !isHoliday(holidays, day))).toEqual([]);
  });
});

test.each([
  // The earliest and the latest Easter in five centuries, and the exceptions of older algorithms.
  ["1818-03-22"],
  ["2285-03-22"],
  ["2038-04-25"],
  ["1954-04-18"],
  ["1981-04-19"],
  ["2049-04-18"],
  ["2076-04-19"],
])("T2 is closed before and after the Easter of %s", (easter) => {
  const dayFrom = (days: number) =>
    new Date(Date.parse(easter) + days * 86_400_000).toISOString().slice(0, 10);
  const isClosed = [-3, -2, 1, 2].map((days) => isHoliday("target", dayFrom(days)));
  expect(isClosed).toEqual([false, true, true, false]);
});

test("with none, no day is a holiday", () => {
  expect(daysOf(2026).filter(({ day }) => isHoliday("none", day))).toEqual([]);
});
