// The conformance runner: the samples and the sandbox's own rail and acquirer keep their promises,
// and the command reports each promise.

import { resolve } from "node:path";
import { PROMISES } from "../../conformance/examine.ts";
import { type Examiner, readVerdicts, startExaminer } from "../support/conformance.ts";
import { SAMPLE_ACQUIRER, SAMPLE_RAIL } from "../support/partner.ts";
import { runNode } from "../support/scripts.ts";
import { startWorld, type World } from "../support/world.ts";

const PAGE = "http://127.0.0.1:3000";
const SANDBOX = resolve("test/support/sandbox-partners.ts");

let examiner: Examiner;

beforeAll(async () => {
  examiner = await startExaminer(PAGE);
});
afterAll(() => examiner?.stop());

describe("all promises are kept", () => {
  test.each([
    ["the sample rail", SAMPLE_RAIL, "rail"],
    ["the sample acquirer", SAMPLE_ACQUIRER, "acquirer"],
  ] as const)("by %s", async (_name, path, kind) => {
    const found = await readVerdicts(path, examiner.options());
    const all = PROMISES[kind].map(({ name }) => name);
    expect(found).toEqual({ broken: [], untried: [], kept: all });
  });

  describe("by the sandbox's own", () => {
    let world: World;
    beforeAll(async () => {
      world = await startWorld();
    });
    afterAll(() => world?.stop());

    test.each(["rail", "acquirer"] as const)("%s, except for the optional list", async (part) => {
      const books = { MONGO_URL: world.config.mongoUrl as string, SANDBOX_PART: part };
      const asked = examiner.options({
        environment: examiner.environment(books),
        cardToken: await world.cardToken(),
      });
      const { broken, untried } = await readVerdicts(SANDBOX, asked);
      expect(broken).toEqual([]);
      expect(["lists", "pays-once", "charges-once"]).toEqual(expect.arrayContaining(untried));
    });
  });
});

describe("npm run conformance", () => {
  const run = (args: string[]) => runNode("scripts/conformance.ts", args, examiner.environment());

  test("prints each kept promise in one line, and exits 0", async () => {
    const script = run([SAMPLE_ACQUIRER, "--card-token", examiner.cardToken]);
    expect((await script.exit).code).toBe(0);
    expect(script.stdout()).toContain("kept     void-holds: answers voided");
    expect(script.stdout()).toMatch(/\d+ kept, 0 broken, 0 untried\n$/);
  });

  test.each([
    ["no module", [], "npm run conformance -- MODULE"],
    ["a missing module", ["./nothing.js"], "nothing.js"],
    ["an acquirer without a card", [SAMPLE_ACQUIRER], "--card-token"],
    ["a wrong option", [SAMPLE_RAIL, "--method", "CASH"], "--method must be one of ACH"],
  ])("cannot examine %s: prints the reason and exits 2", async (_case, args, reason) => {
    const script = run(args);
    expect((await script.exit).code).toBe(2);
    expect(script.stderr()).toContain(reason);
  });

  test("--help prints the usage, and exits 0", async () => {
    const script = run(["--help"]);
    expect((await script.exit).code).toBe(0);
    expect(script.stdout()).toContain("Exit code 0");
  });
});
