// Times as clients write them (RFC 3339, or a date alone).

import { checker } from "../../../shared/contracts/checker.ts";
import { timestamp } from "../../../shared/contracts/fields.ts";
import { faultsOf } from "../../support/faults.ts";

const check = checker({ at: timestamp() });

test.each([
  ["2026-12-01", "2026-12-01T00:00:00.000Z"],
  ["2026-12-01T10:00Z", "2026-12-01T10:00:00.000Z"],
  ["2026-12-01T10:00:00Z", "2026-12-01T10:00:00.000Z"],
  ["2026-12-01t10:00:00z", "2026-12-01T10:00:00.000Z"],
  ["2026-12-01T10:00:00.123456789Z", "2026-12-01T10:00:00.123Z"],
  ["2026-12-01T10:00:00+02:00", "2026-12-01T08:00:00.000Z"],
  ["2026-12-01T10:00:00-00:00", "2026-12-01T10:00:00.000Z"],
  ["2016-12-31T23:59:60Z", "2016-12-31T23:59:59.000Z"],
  ["2016-12-31T23:59:60.5Z", "2016-12-31T23:59:59.500Z"],
  ["1990-12-31T15:59:60-08:00", "1990-12-31T23:59:59.000Z"],
  ["2028-02-29", "2028-02-29T00:00:00.000Z"],
  ["0000-01-01", "0000-01-01T00:00:00.000Z"],
  ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
])("%s is read", (given, moment) => {
  expect(new Date(check({ at: given }).at).toISOString()).toBe(moment);
});

const OFFSET = "has no offset: end it with Z for UTC, or with an offset such as +02:00";
const COLON = "has an offset without a colon: write it like +02:00";
const CALENDAR = "is no moment of the calendar";
const OTHER_FORM = "is not written like 2026-12-01 or 2026-12-01T10:00:00Z";

test.each([
  ["2026-12-01T10:00:00", `, but ${OFFSET}`],
  ["2026-12-01T10:00", `, but ${OFFSET}`],
  ["2026-12-01T10:00:00.5", `, but ${OFFSET}`],
  ["2026-13-01", `, but ${CALENDAR}`],
  ["2026-02-30T10:00:00Z", `, but ${CALENDAR}`],
  ["2026-02-29", `, but ${CALENDAR}`],
  ["2026-12-01T25:00:00Z", `, but ${CALENDAR}`],
  ["2026-12-01T10:00:60Z", `, but ${CALENDAR}`],
  ["2026-12-01T23:59:60+02:00", `, but ${CALENDAR}`],
  ["2026-12-01T23:59:61Z", `, but ${CALENDAR}`],
  ["9999-12-31T23:59:59-01:00", ", but is beyond the year 9999"],
  ["0000-01-01T00:00:00+01:00", ", but is before the year 0000"],
  ["2026-12-01 10:00:00Z", ", but has a blank in place of the T between date and time"],
  ["2026-12-01T10:00:00+0200", `, but ${COLON}`],
  ["2026-12-01T10:00:00.5-08", `, but ${COLON}`],
  [
    "2026-12-01T10:00:00 05:30",
    ", but has a blank in place of the offset's +, which a URL has as %2B",
  ],
  ["01-12-2026", `, but ${OTHER_FORM}`],
  ["2026-12-01T10Z", `, but ${OTHER_FORM}`],
  ["20261201T100000Z", `, but ${OTHER_FORM}`],
  ["2026-W49-2", `, but ${OTHER_FORM}`],
  ["+010000-01-30T00:00:00.000Z", `, but ${OTHER_FORM}`],
  ["1 December 2026", `, but ${OTHER_FORM}`],
  ["", ", but is empty"],
  [1_796_083_200, ", but is a number"],
  [null, ", but is null"],
])("%p is refused with its fault", (given, fault) => {
  expect(faultsOf(check, { at: given })).toEqual([`at must be an ISO 8601 date or time${fault}`]);
});
