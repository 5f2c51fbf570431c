// The conformance runner names the broken promise of modules with one planted mistake each.

import { resolve } from "node:path";
import {
  type Examiner,
  PROBLEM_ACCOUNT,
  readVerdicts,
  startExaminer,
} from "../../support/conformance.ts";
import { runNode } from "../../support/scripts.ts";
import { MISTAKES as ACQUIRER_MISTAKES } from "./mistaken-acquirer.ts";
import { MISTAKES as RAIL_MISTAKES } from "./mistaken-rail.ts";
import { MISTAKES as SCREENING_MISTAKES } from "./mistaken-screening.ts";

let examiner: Examiner;

beforeAll(async () => {
  examiner = await startExaminer("http://127.0.0.1:3000");
});
afterAll(() => examiner?.stop());

/** The promise that each mistake breaks. A mistake may break further promises too. */
const RAIL_BREAKS: Record<string, string> = {
  "wrong name": "accepted",
  "another name each time": "lasting-name",
  "no test flag": "accepted",
  "a function is missing": "accepted",
  "answers late": "in-time",
  "cancels late": "in-time",
  "unknown kind": "form",
  "NaN askAfterMs": "form",
  "rejects settled payments": "no-contradiction",
  "answers differently each time": "no-contradiction",
  "forgets ids": "remembers",
  "forgets ids with its process": "survives-restart",
  "knows unknown ids": "unknown-id",
  "pays twice": "pays-once",
  "lists nothing": "lists",
  "settles no sum": "form",
  "settles more": "tells-the-sum",
  "echoes the asked sum": "tells-the-sum",
  "a problem without words": "form",
  "decides about any payment": "decides",
  "decides nothing": "decides",
  "forgets decisions": "decides",
  "takes back decisions": "decides",
  "reports duplicates as ends": "duplicate-is-no-end",
  "cancels without effect": "cancel-holds",
  "exits during a request": "stays-alive",
  "numbers in its errors": "discreet",
  "numbers in its output": "discreet",
};

const ACQUIRER_BREAKS: Record<string, string> = {
  "wrong name": "accepted",
  "a vault over http": "accepted",
  "returns the whole number": "card-in-short",
  "knows unknown cards": "card-in-short",
  "declines a repeat": "no-contradiction",
  "charges twice": "charges-once",
  "voids captured charges": "void-tells",
  "forgets voids": "void-holds",
  "refunds a repeat again": "refunds-once",
  "refunds too much": "refunds-no-more",
  "captures no sum": "form",
  "captures less": "tells-the-sum",
  "echoes the asked sum of a charge": "tells-the-sum",
  "echoes the asked sum of a refund": "tells-the-sum",
  "voids without the captured sum": "tells-the-sum",
  "forgets with its process": "survives-restart",
  "unknown kind": "form",
  "tokens in its errors": "discreet",
  "exits during a request": "stays-alive",
};

const SCREENING_BREAKS: Record<string, string> = {
  "wrong name": "accepted",
  "another name each time": "lasting-name",
  "allows at the second question": "answers-again",
  "allows what has no recipient": "never-blind",
  "answers late": "in-time",
  "unknown decision": "form",
  "a review without reasons": "form",
  "a denial without a code": "form",
  "exits during a request": "stays-alive",
};

describe("the runner names the broken promise", () => {
  test.each([
    ["rail", "mistaken-rail.ts", RAIL_MISTAKES, RAIL_BREAKS],
    ["acquirer", "mistaken-acquirer.ts", ACQUIRER_MISTAKES, ACQUIRER_BREAKS],
    ["screening", "mistaken-screening.ts", SCREENING_MISTAKES, SCREENING_BREAKS],
  ] as const)("of every mistaken %s", async (_kind, file, mistakes, breaks) => {
    expect(Object.keys(breaks)).toEqual(Object.keys(mistakes));
    const named = await Promise.all(
      Object.keys(mistakes).map(async (mistake) => {
        const asked = examiner.options({
          environment: examiner.environment({ MISTAKE: mistake }),
          endsWithinMs: 3_000,
          problemAccount: PROBLEM_ACCOUNT,
        });
        const { broken } = await readVerdicts(resolve("test/tools/commands", file), asked);
        return [mistake, broken.filter((name) => name === breaks[mistake]), broken];
      }),
    );
    const expected = Object.entries(breaks).map(([mistake, promise]) => [
      mistake,
      [promise],
      expect.anything(),
    ]);
    expect(named).toEqual(expected);
  });
});

test("npm run conformance prints each broken promise with its observation, also as JSON, and exits 1", async () => {
  const mistaken = [resolve("test/tools/commands", "mistaken-rail.ts"), "--within", "3"];
  const environment = examiner.environment({ MISTAKE: "knows unknown ids" });
  const run = (args: string[]) => runNode("tools/commands/conformance.ts", args, environment);
  const script = run(mistaken);
  expect((await script.exit).code).toBe(1);
  expect(script.stdout()).toMatch(
    /^BROKEN {3}unknown-id: .*; observed: it answered accepted; why it matters: .*$/m,
  );
  const json = run([...mistaken, "--json"]);
  expect((await json.exit).code).toBe(1);
  const report = JSON.parse(json.stdout());
  expect(report).toMatchObject({ kind: "rail", name: "sample-rail" });
  expect(report.promises.find((each: { name: string }) => each.name === "unknown-id")).toEqual({
    name: "unknown-id",
    says: expect.any(String),
    because: expect.any(String),
    verdict: "broken",
    observed: "it answered accepted",
  });
});
