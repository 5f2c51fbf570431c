// docs/change/cluster-test.md lists every fault, every rule of the checker that a test plants a
// violation of, and the number of these violations.

import { readDocument } from "../support/document.ts";
import { OF_ANSWERS } from "./checker/violations-of-answers.ts";
import { OF_EVENTS } from "./checker/violations-of-events.ts";
import { OF_MONEY } from "./checker/violations-of-money.ts";
import { FAULTS } from "./nemesis/faults.ts";

const { page, table } = readDocument("docs/change/cluster-test.md");
const VIOLATIONS = { ...OF_MONEY, ...OF_ANSWERS, ...OF_EVENTS };

test("the page lists every fault by its name, in the order of the code", () => {
  expect(table("| fault |").map(([name]) => name)).toEqual(FAULTS.map(({ name }) => name));
});

test("the page explains every rule with a planted violation, and counts the violations", () => {
  const explained = table("| rule |").flatMap(([rules = ""]) => rules.split(", "));
  const planted = Object.values(VIOLATIONS).flatMap(({ rules }) => rules);
  expect(explained).toEqual(expect.arrayContaining([...new Set(planted)]));
  expect(page).toContain(`each of ${Object.keys(VIOLATIONS).length} violations`);
});
