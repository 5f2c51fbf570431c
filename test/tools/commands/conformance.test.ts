// The conformance runner: the samples keep their promises, and the command reports each promise.
// conformance.deep.test.ts has the sandbox's own rail and acquirer.

import { SANDBOX_SCREENING } from "../../../shared/partners/sandbox.ts";
import { PROMISES } from "../../../tools/conformance/examine.ts";
import {
  type Examiner,
  PROBLEM_ACCOUNT,
  readVerdicts,
  startExaminer,
} from "../../support/conformance.ts";
import { SAMPLE_ACQUIRER, SAMPLE_RAIL } from "../../support/partner.ts";
import { runNode } from "../../support/scripts.ts";

const PAGE = "http://127.0.0.1:3000";

let examiner: Examiner;

beforeAll(async () => {
  examiner = await startExaminer(PAGE);
});
afterAll(() => examiner?.stop());

describe("all promises are kept", () => {
  test.each([
    ["the sample rail", SAMPLE_RAIL, "rail"],
    ["the sample acquirer", SAMPLE_ACQUIRER, "acquirer"],
    ["the sandbox's screening", SANDBOX_SCREENING, "screening"],
  ] as const)("by %s", async (_name, path, kind) => {
    const found = await readVerdicts(path, examiner.options({ problemAccount: PROBLEM_ACCOUNT }));
    const all = PROMISES[kind].map(({ name }) => name);
    expect(found).toEqual({ broken: [], untried: [], kept: all });
  });
});

describe("npm run conformance", () => {
  const run = (args: string[]) =>
    runNode("tools/commands/conformance.ts", args, examiner.environment());

  test("prints each kept promise in one line, and exits 0", async () => {
    const script = run([SAMPLE_ACQUIRER, "--card-token", examiner.cardToken]);
    expect((await script.exit).code).toBe(0);
    expect(script.stdout()).toContain("kept     void-holds: answers voided");
    expect(script.stdout()).toMatch(/\d+ kept, 0 broken, 0 untried\n$/);
  });

  test("cannot examine no module: prints the reason and exits 2", async () => {
    const script = run([]);
    expect((await script.exit).code).toBe(2);
    expect(script.stderr()).toContain("npm run conformance -- MODULE");
  });

  test("--help prints the usage, and exits 0", async () => {
    const script = run(["--help"]);
    expect((await script.exit).code).toBe(0);
    expect(script.stdout()).toContain("Exit code 0");
  });
});
