// The conformance runner: the sandbox's own rail and acquirer keep their promises, and the command
// refuses what it cannot examine.

import { resolve } from "node:path";
import { type Examiner, readVerdicts, startExaminer } from "../support/conformance.ts";
import { SAMPLE_ACQUIRER, SAMPLE_RAIL } from "../support/partner.ts";
import { runNode } from "../support/scripts.ts";
import { startWorld, type World } from "../support/world.ts";

const SANDBOX = resolve("test/support/sandbox-partners.ts");

let examiner: Examiner;

beforeAll(async () => {
  examiner = await startExaminer("http://127.0.0.1:3000");
});
afterAll(() => examiner?.stop());

describe("all promises are kept", () => {
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
  test.each([
    ["a missing module", ["./nothing.js"], "nothing.js"],
    ["an acquirer without a card", [SAMPLE_ACQUIRER], "--card-token"],
    ["a wrong option", [SAMPLE_RAIL, "--method", "CASH"], "--method must be one of ACH"],
  ])("cannot examine %s: prints the reason and exits 2", async (_case, args, reason) => {
    const script = runNode("scripts/conformance.ts", args, examiner.environment());
    expect((await script.exit).code).toBe(2);
    expect(script.stderr()).toContain(reason);
  });
});
