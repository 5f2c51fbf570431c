// The conformance runner: the modules that payrail comes with keep all their promises, and the
// command says why it cannot examine a module.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PROMISES } from "../../../tools/conformance/examine.ts";
import { AGREEMENT } from "../../partners/bank-files/nacha/samples.ts";
import { KEYS } from "../../support/bank/files.ts";
import { ORIGINATOR } from "../../support/bank/wires.ts";
import {
  type Examiner,
  PROBLEM_ACCOUNT,
  readVerdicts,
  startExaminer,
} from "../../support/conformance.ts";
import { SAMPLE_ACQUIRER, SAMPLE_RAIL } from "../../support/partner.ts";
import { runNode } from "../../support/scripts.ts";
import { startWorld, type World } from "../../support/world.ts";

const PAGE = "http://127.0.0.1:3000";

let examiner: Examiner;

beforeAll(async () => {
  examiner = await startExaminer(PAGE);
});
afterAll(() => examiner?.stop());

const kept = (kind: "rail" | "acquirer") => ({
  broken: [],
  untried: [],
  kept: PROMISES[kind].map(({ name }) => name),
});

describe("all promises are kept", () => {
  describe("by the sandbox's own", () => {
    let world: World;
    beforeAll(async () => {
      world = await startWorld();
    });
    afterAll(() => world?.stop());

    test.each(["rail", "acquirer"] as const)("%s", async (kind) => {
      const MONGO_URL = world.config.mongoUrl as string;
      const environment = examiner.environment({ MONGO_URL, SANDBOX_SETTLE_MS: "100" });
      const cardToken = await world.cardToken();
      const problemAccount = PROBLEM_ACCOUNT;
      const asked = examiner.options({ environment, cardToken, problemAccount });
      expect(await readVerdicts(`partners/sandbox/${kind}.ts`, asked)).toEqual(kept(kind));
    });
  });

  describe("by the rail of", () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), "payrail-conformance-files-"));
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    /** Writes the settings of a rail, with folders of its own. @returns their path */
    function writeSettings(name: string, more: object): string {
      const place = (at: string) => {
        mkdirSync(join(folder, name, at), { recursive: true });
        return { url: pathToFileURL(join(folder, name, at)).href };
      };
      const settings = {
        name,
        test: true,
        fileId: "TEST",
        calendar: { timeZone: "UTC", cutOffs: "always", holidays: "none", settlesAfterDays: 0 },
        out: place("out"),
        answers: place("answers"),
        archive: place("archive"),
        repeats: "refused",
        returnWindowDays: 5,
        turnEverySeconds: 0.1,
        askEverySeconds: 0.1,
        ...more,
      };
      const path = join(folder, `${name}.json`);
      writeFileSync(path, JSON.stringify(settings));
      return path;
    }

    test("ACH by files", async () => {
      const settings = { originator: AGREEMENT, settledAfterDays: 0 };
      const environment = examiner.environment({
        ACH_FILES: writeSettings("ach", settings),
        BANK_FILES_KEYS: KEYS,
      });
      const found = await readVerdicts(
        "partners/bank-files/ach.ts",
        examiner.options({ environment, account: US_ACCOUNT }),
      );
      expect(found).toEqual(kept("rail"));
    });

    test("wires by files, at a bank that answers them", async () => {
      const environment = examiner.environment({
        WIRE_FILES: writeSettings("wire", { originator: ORIGINATOR }),
        BANK_FILES_KEYS: KEYS,
      });
      const bank = spawn(
        process.execPath,
        ["test/tools/commands/bank-process.ts", join(folder, "wire")],
        {
          stdio: ["ignore", "ignore", "inherit"],
        },
      );
      try {
        const asked = examiner.options({ environment, method: "WIRE", account: US_ACCOUNT });
        expect(await readVerdicts("partners/bank-files/wire.ts", asked)).toEqual(kept("rail"));
      } finally {
        bank.kill();
      }
    });
  });
});

const US_ACCOUNT = {
  firstName: "Ada",
  lastName: "Lovelace",
  accountNumber: "918273646789",
  routingNumber: "021000021",
  accountType: "CHECKING",
  recipientAddress: "1 Main St",
  recipientCity: "New York",
  recipientState: "NY",
  recipientPostalCode: "10001",
};

describe("npm run conformance", () => {
  test.each([
    ["a missing module", ["./nothing.js"], "nothing.js"],
    ["an acquirer without a card", [SAMPLE_ACQUIRER], "--card-token"],
    ["a wrong option", [SAMPLE_RAIL, "--method", "CASH"], "--method must be one of ACH"],
  ])("cannot examine %s: prints the reason and exits 2", async (_case, args, reason) => {
    const script = runNode("tools/commands/conformance.ts", args, examiner.environment());
    expect((await script.exit).code).toBe(2);
    expect(script.stderr()).toContain(reason);
  });
});
