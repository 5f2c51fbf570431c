// The bank's calendar: cut-offs at local times on banking days, settlement days after them, wrong
// settings, and the days on which clocks change.

import { DateTime, Settings } from "luxon";
import { bankCalendar } from "../../../partners/bank-files/calendar.ts";
import { isHoliday } from "../../../partners/bank-files/holidays.ts";
import { seeded } from "../../support/traffic.ts";

const NEW_YORK = {
  timeZone: "America/New_York",
  cutOffs: ["10:30", "16:00"],
  holidays: "federal-reserve",
  settlesAfterDays: 1,
};

/** Epoch milliseconds of a time with its offset. */
const at = (time: string) => Date.parse(time);
const iso = (moment: number) => new Date(moment).toISOString();

describe("cut-offs", () => {
  const newYork = bankCalendar(NEW_YORK);

  test.each([
    ["a moment before the first", "2026-03-03T10:29:59.999-05:00", "2026-03-02T16:00-05:00"],
    ["the moment itself", "2026-03-03T10:30:00.000-05:00", "2026-03-03T10:30-05:00"],
    ["a moment between two", "2026-03-03T15:59:59.999-05:00", "2026-03-03T10:30-05:00"],
    ["a Sunday", "2026-03-08T12:00:00.000-04:00", "2026-03-06T16:00-05:00"],
    ["a holiday", "2026-01-01T18:00:00.000-05:00", "2025-12-31T16:00-05:00"],
  ])("the last one at %s", (_, now, expected) => {
    expect(iso(newYork.lastCutOff(at(now)))).toBe(iso(at(expected)));
  });

  test.each([
    ["a moment before the first", "2026-03-03T10:29:59.999-05:00", "2026-03-03T10:30-05:00"],
    ["the moment itself", "2026-03-03T10:30:00.000-05:00", "2026-03-03T16:00-05:00"],
    ["the last of a Friday", "2026-03-06T16:00:00.000-05:00", "2026-03-09T10:30-04:00"],
    ["the evening before a holiday", "2025-12-31T20:00:00.000-05:00", "2026-01-02T10:30-05:00"],
  ])("the next one at %s", (_, now, expected) => {
    expect(iso(newYork.nextCutOff(at(now)))).toBe(iso(at(expected)));
  });

  test("a date of closedOn has none", () => {
    const { nextCutOff } = bankCalendar({ ...NEW_YORK, closedOn: ["2026-03-03"] });
    const next = nextCutOff(at("2026-03-02T17:00-05:00"));
    expect(iso(next)).toBe(iso(at("2026-03-04T10:30-05:00")));
  });

  test("without holidays, weekends and New Year's Day have them", () => {
    const { nextCutOff } = bankCalendar({ ...NEW_YORK, holidays: "none" });
    for (const day of ["2026-01-01", "2026-03-07", "2026-03-01"]) {
      expect(iso(nextCutOff(at(`${day}T00:00-05:00`)))).toBe(iso(at(`${day}T10:30-05:00`)));
    }
  });

  test("with always, each moment is one", () => {
    const { lastCutOff, nextCutOff } = bankCalendar({ ...NEW_YORK, cutOffs: "always" });
    const sunday = at("2026-03-08T12:00-04:00");
    expect([lastCutOff(sunday), nextCutOff(sunday)]).toEqual([sunday, sunday + 1]);
  });

  test("a calendar whose every banking day is closed for a year still finds the next one", () => {
    const closedOn: string[] = [];
    let day = DateTime.utc(2026, 1, 2);
    for (; closedOn.length < 366; day = day.plus({ days: 1 })) {
      const date = day.toFormat("yyyy-MM-dd");
      if (!isHoliday("federal-reserve", date)) closedOn.push(date);
    }
    const { lastCutOff, nextCutOff } = bankCalendar({ ...NEW_YORK, closedOn });
    const before = at("2025-12-31T16:00-05:00");
    const next = nextCutOff(before);
    expect(next).toBeGreaterThan(day.toMillis());
    expect(lastCutOff(next - 1)).toBe(before);
  });

  test("a moment that is no number is refused", () => {
    expect(() => newYork.lastCutOff(Number.NaN)).toThrow("the moment is no number");
    expect(() => newYork.nextCutOff(Number.POSITIVE_INFINITY)).toThrow("the moment is no number");
  });
});

describe("clocks that change", () => {
  const calendarOf = (cutOffs: string[]) =>
    bankCalendar({ ...NEW_YORK, cutOffs, holidays: "none" });

  // In New York, 8 March 2026 has no times from 02:00 to 02:59, and 1 November 2026 has those from
  // 01:00 to 01:59 twice.
  test("a skipped time is read by the clock before the change", () => {
    const { nextCutOff, lastCutOff } = calendarOf(["02:30"]);
    const cutOff = nextCutOff(at("2026-03-08T00:00-05:00"));
    expect(iso(cutOff)).toBe(iso(at("2026-03-08T03:30-04:00")));
    expect(lastCutOff(cutOff)).toBe(cutOff);
    expect(lastCutOff(cutOff - 1)).toBe(at("2026-03-07T02:30-05:00"));
  });

  test("a skipped time may come after a later one, and both are met in their true order", () => {
    const { nextCutOff, lastCutOff } = calendarOf(["02:45", "03:15"]);
    const first = nextCutOff(at("2026-03-08T00:00-05:00"));
    const second = nextCutOff(first);
    expect([iso(first), iso(second)]).toEqual([
      iso(at("2026-03-08T03:15-04:00")),
      iso(at("2026-03-08T03:45-04:00")),
    ]);
    expect(lastCutOff(at("2026-03-08T12:00-04:00"))).toBe(second);
  });

  test.each(["2026-01-15T12:00Z", "2026-07-15T12:00Z"])(
    "a time that comes twice is its first moment, also if asked at %s",
    (asked) => {
      const { now } = Settings;
      Settings.now = () => at(asked);
      try {
        const { nextCutOff } = calendarOf(["01:30"]);
        const first = nextCutOff(at("2026-11-01T00:00-04:00"));
        expect(iso(first)).toBe(iso(at("2026-11-01T01:30-04:00")));
        expect(iso(nextCutOff(first))).toBe(iso(at("2026-11-02T01:30-05:00")));
      } finally {
        Settings.now = now;
      }
    },
  );

  test("cut-offs keep their local time over both changes", () => {
    const { nextCutOff } = bankCalendar(NEW_YORK);
    const times = ["2026-03-06T12:00-05:00", "2026-03-09T12:00-04:00", "2026-11-02T12:00-05:00"];
    const hours = times.map((time) => new Date(nextCutOff(at(time))).getUTCHours());
    expect(hours).toEqual([21, 20, 21]);
  });

  // Clocks in Beirut go forward at midnight, those in Havana go back at 01:00.
  test.each([
    ["Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00.000Z"],
    ["America/Havana", "2026-11-01", "2026-11-01T04:00:00.000Z"],
  ])("in %s, %s begins at its first moment", (timeZone, day, expected) => {
    const { startOfDayAfter } = bankCalendar({ ...NEW_YORK, timeZone, holidays: "none" });
    expect(iso(startOfDayAfter(day, 0))).toBe(expected);
  });
});

describe("settlement", () => {
  test.each([
    [0, "2026-03-03T10:30-05:00", "2026-03-03"],
    [1, "2026-03-03T16:00-05:00", "2026-03-04"],
    [1, "2026-03-06T16:00-05:00", "2026-03-09"],
    [2, "2026-03-05T16:00-05:00", "2026-03-09"],
    // Thanksgiving is on Thursday, and the Saturday of Independence Day closes no Friday.
    [1, "2026-11-25T16:00-05:00", "2026-11-27"],
    [1, "2026-07-02T16:00-04:00", "2026-07-03"],
    [5, "2025-12-24T16:00-05:00", "2026-01-02"],
  ])("is %i banking days after the cut-off of %s, on %s", (settlesAfterDays, cutOff, day) => {
    const { settlementDay } = bankCalendar({ ...NEW_YORK, settlesAfterDays });
    expect(settlementDay(at(cutOff))).toBe(day);
  });

  test("a cut-off belongs to its local day, not to that of UTC", () => {
    const { settlementDay } = bankCalendar({ ...NEW_YORK, settlesAfterDays: 0 });
    expect(settlementDay(at("2026-03-03T23:30-05:00"))).toBe("2026-03-03");
  });

  test("a batch closed on a closed day settles from the next banking day on", () => {
    const sunday = at("2026-03-08T12:00-04:00");
    const days = [0, 1, 2].map((settlesAfterDays) =>
      bankCalendar({ ...NEW_YORK, cutOffs: "always", settlesAfterDays }).settlementDay(sunday),
    );
    expect(days).toEqual(["2026-03-09", "2026-03-09", "2026-03-10"]);
  });
});

describe("the start of a banking day", () => {
  const { startOfDayAfter } = bankCalendar(NEW_YORK);

  test.each([
    ["2026-03-03", 0, "2026-03-03T00:00-05:00"],
    ["2026-03-07", 0, "2026-03-09T00:00-04:00"],
    ["2026-03-06", 1, "2026-03-09T00:00-04:00"],
    ["2026-03-07", 1, "2026-03-09T00:00-04:00"],
    ["2026-12-23", 3, "2026-12-29T00:00-05:00"],
  ])("after %s plus %i is %s", (day, bankingDays, expected) => {
    expect(iso(startOfDayAfter(day, bankingDays))).toBe(iso(at(expected)));
  });

  test.each(["2026-02-29", "2026-3-1", "20260301", "tomorrow", ""])(
    "after %j is refused",
    (day) => {
      expect(() => startOfDayAfter(day, 1)).toThrow("no date");
    },
  );

  test.each([-1, 1.5, 101, Number.NaN])("after %d banking days is refused", (bankingDays) => {
    expect(() => startOfDayAfter("2026-03-03", bankingDays)).toThrow("the banking days");
  });
});

test.each([
  [null, "no JSON object"],
  [[], "no JSON object"],
  [{ ...NEW_YORK, cutoffs: ["10:00"] }, "unknown setting cutoffs"],
  [{ ...NEW_YORK, timeZone: "America/Gotham" }, "timeZone is no IANA"],
  [{ ...NEW_YORK, timeZone: "+05:00" }, "timeZone is no IANA"],
  [{ ...NEW_YORK, timeZone: undefined }, "timeZone is no IANA"],
  [{ ...NEW_YORK, cutOffs: [] }, "cutOffs is neither"],
  [{ ...NEW_YORK, cutOffs: "sometimes" }, "cutOffs is neither"],
  [{ ...NEW_YORK, cutOffs: ["24:00"] }, "not of the form HH:MM"],
  [{ ...NEW_YORK, cutOffs: ["9:30"] }, "not of the form HH:MM"],
  [{ ...NEW_YORK, cutOffs: [930] }, "not of the form HH:MM"],
  [{ ...NEW_YORK, cutOffs: ["16:00", "10:30"] }, "ascending order"],
  [{ ...NEW_YORK, cutOffs: ["10:30", "10:30"] }, "ascending order"],
  [{ ...NEW_YORK, holidays: "fed" }, "holidays is none of"],
  [{ ...NEW_YORK, closedOn: ["2027-02-30"] }, "closedOn has a date"],
  [{ ...NEW_YORK, closedOn: "2027-01-02" }, "closedOn is no list"],
  [{ ...NEW_YORK, settlesAfterDays: 6 }, "settlesAfterDays"],
  [{ ...NEW_YORK, settlesAfterDays: "1" }, "settlesAfterDays"],
  [{ ...NEW_YORK, settlesAfterDays: undefined }, "settlesAfterDays"],
])("the settings %j are refused: %s", (settings, message) => {
  expect(() => bankCalendar(settings)).toThrow(message);
});

test("at random moments, cut-offs follow one another without a gap", () => {
  const random = seeded();
  const zones = ["America/New_York", "Europe/Berlin", "Africa/Lagos", "Australia/Lord_Howe"];
  for (let round = 0; round < 400; round++) {
    const calendar = bankCalendar({
      timeZone: random.oneOf(zones),
      cutOffs: random.oneOf([["00:00"], ["02:15", "02:45"], ["01:30", "12:00", "23:59"]]),
      holidays: random.oneOf(["federal-reserve", "target", "none"]),
      settlesAfterDays: random.below(6),
    });
    const now = at("2024-01-01T00:00Z") + random.below(7 * 365 * 24 * 60) * 60_000;
    const [last, next] = [calendar.lastCutOff(now), calendar.nextCutOff(now)];
    expect(last).toBeLessThanOrEqual(now);
    expect(next).toBeGreaterThan(now);
    // Between the two there is no other cut-off, so each moment belongs to one cut-off.
    expect(calendar.nextCutOff(last)).toBe(next);
    expect(calendar.lastCutOff(next - 1)).toBe(last);
    expect(calendar.lastCutOff(next)).toBe(next);
    // A later cut-off never settles earlier, and none settles before its own day.
    const settles = calendar.settlementDay(last);
    expect(calendar.settlementDay(next) >= settles).toBe(true);
    expect(calendar.startOfDayAfter(settles, 0)).toBeGreaterThan(last - 86_400_000);
  }
});
