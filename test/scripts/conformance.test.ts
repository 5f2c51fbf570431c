// The conformance runner: it passes the samples and the sandbox's own rail and acquirer, and of modules
// with one planted mistake each it names the promise that the mistake breaks.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { examine, PROMISES } from "../../conformance/examine.ts";
import type { Options } from "../../conformance/session.ts";
import { MISTAKES as ACQUIRER_MISTAKES } from "../support/mistaken-acquirer.ts";
import { MISTAKES as RAIL_MISTAKES } from "../support/mistaken-rail.ts";
import { type Partner, SAMPLE_ACQUIRER, SAMPLE_RAIL, startPartner } from "../support/partner.ts";
import { runNode } from "../support/scripts.ts";
import { startWorld, type World } from "../support/world.ts";

const PAGE = "http://127.0.0.1:3000";
const support = (file: string) => resolve("test/support", file);

let partner: Partner;
let dataDir: string;
let cardToken: string;

beforeAll(async () => {
  partner = await startPartner(PAGE);
  dataDir = mkdtempSync(join(tmpdir(), "payrail-conformance-"));
  cardToken = await cardOf(partner);
});
afterAll(async () => {
  await partner?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** A card in the sample's vault, as its field keeps one. */
async function cardOf({ url }: Partner): Promise<string> {
  const card = { number: "4242424242424242", expMonth: 12, expYear: 2_060, cvc: "123" };
  const headers = { origin: url, "content-type": "application/json" };
  const kept = await fetch(`${url}/cards`, { method: "POST", headers, body: JSON.stringify(card) });
  return ((await kept.json()) as { token: string }).token;
}

function environment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  const NODE_COMPILE_CACHE = join(tmpdir(), "payrail-compile-cache");
  return { PATH, HOME, NODE_COMPILE_CACHE, DATA_DIR: dataDir, ...partner.environment, ...more };
}

function options(more: Partial<Options> = {}): Options {
  return {
    amountMinor: 1_000,
    currency: "USD",
    method: "ACH",
    endsWithinMs: 20_000,
    account: { accountNumber: "918273646789" },
    cardToken,
    environment: environment(),
    ...more,
  };
}

async function verdicts(path: string, asked: Options) {
  const { promises } = await examine(path, asked);
  const of = (wanted: string) =>
    promises.filter(({ verdict }) => verdict === wanted).map(({ name }) => name);
  return { broken: of("broken"), untried: of("untried"), kept: of("kept") };
}

describe("keeps all promises", () => {
  test.each([
    ["the sample rail", SAMPLE_RAIL, "rail"],
    ["the sample acquirer", SAMPLE_ACQUIRER, "acquirer"],
  ] as const)("%s", async (_name, path, kind) => {
    const found = await verdicts(path, options());
    const all = PROMISES[kind].map(({ name }) => name);
    expect(found).toEqual({ broken: [], untried: [], kept: all });
  });

  describe("the sandbox's own", () => {
    let world: World;
    beforeAll(async () => {
      world = await startWorld();
    });
    afterAll(() => world?.stop());

    test.each(["rail", "acquirer"] as const)("%s, which need have no list", async (part) => {
      const books = { MONGO_URL: world.config.mongoUrl as string, SANDBOX_PART: part };
      const asked = options({
        environment: environment(books),
        cardToken: await world.cardToken(),
      });
      const { broken, untried } = await verdicts(support("sandbox-partners.ts"), asked);
      expect(broken).toEqual([]);
      expect(["lists", "pays-once", "charges-once"]).toEqual(expect.arrayContaining(untried));
    });
  });
});

/** The promises that a mistake breaks. More may break with it; these must be named. */
const RAIL_BREAKS: Record<string, string> = {
  "wrong name": "accepted",
  "another name each time": "lasting-name",
  "no test flag": "accepted",
  "a function is missing": "accepted",
  "answers late": "in-time",
  "a kind that there is not": "form",
  "NaN askAfterMs": "form",
  "rejects what has settled": "no-contradiction",
  "answers differently each time": "no-contradiction",
  "forgets ids": "remembers",
  "forgets ids with its process": "survives-restart",
  "knows every id": "unknown-id",
  "pays twice": "pays-once",
  "lists nothing": "lists",
  "takes a duplicate for an end": "duplicate-is-no-end",
  "cancels in words only": "cancel-holds",
  "dies in between": "stays-alive",
  "numbers in its errors": "discreet",
  "numbers in its output": "discreet",
};

const ACQUIRER_BREAKS: Record<string, string> = {
  "wrong name": "accepted",
  "a vault over http": "accepted",
  "the whole number": "card-in-short",
  "knows every card": "card-in-short",
  "declines a repeat": "no-contradiction",
  "charges twice": "charges-once",
  "voids what it captured": "void-tells",
  "forgets what it voided": "void-holds",
  "refunds a repeat again": "refunds-once",
  "refunds too much": "refunds-no-more",
  "forgets with its process": "survives-restart",
  "a kind that there is not": "form",
  "tokens in its errors": "discreet",
  "dies in between": "stays-alive",
};

describe("names the promise that a mistake breaks", () => {
  test.each([
    ["rail", "mistaken-rail.ts", RAIL_MISTAKES, RAIL_BREAKS],
    ["acquirer", "mistaken-acquirer.ts", ACQUIRER_MISTAKES, ACQUIRER_BREAKS],
  ] as const)("of each %s", async (_kind, file, mistakes, breaks) => {
    expect(Object.keys(breaks)).toEqual(Object.keys(mistakes));
    const named = await Promise.all(
      Object.keys(mistakes).map(async (mistake) => {
        const asked = options({
          environment: environment({ MISTAKE: mistake }),
          endsWithinMs: 3_000,
        });
        const { broken } = await verdicts(support(file), asked);
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

describe("npm run conformance", () => {
  const run = (args: string[], more: Record<string, string> = {}) =>
    runNode("scripts/conformance.ts", args, environment(more));

  test("says in one line each what is kept, and exits 0", async () => {
    const script = run([SAMPLE_ACQUIRER, "--card-token", cardToken]);
    expect((await script.exit).code).toBe(0);
    expect(script.stdout()).toContain("kept     void-holds: answers voided");
    expect(script.stdout()).toMatch(/\d+ kept, 0 broken, 0 untried\n$/);
  });

  test("says what was observed and why it matters, as JSON too, and exits 1", async () => {
    const mistaken = [support("mistaken-rail.ts"), "--within", "3"];
    const planted = { MISTAKE: "knows every id" };
    const script = run(mistaken, planted);
    expect((await script.exit).code).toBe(1);
    expect(script.stdout()).toMatch(
      /^BROKEN {3}unknown-id: .*; observed: it answered accepted; why it matters: .*$/m,
    );
    const json = run([...mistaken, "--json"], planted);
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

  test.each([
    ["no module", [], "npm run conformance -- MODULE"],
    ["a module that is not there", ["./nothing.js"], "nothing.js"],
    ["an acquirer without a card", [SAMPLE_ACQUIRER], "--card-token"],
    ["a wrong option", [SAMPLE_RAIL, "--method", "CASH"], "--method must be one of ACH"],
  ])("cannot try %s, says why and exits 2", async (_what, args, says) => {
    const script = run(args);
    expect((await script.exit).code).toBe(2);
    expect(script.stderr()).toContain(says);
  });

  test("--help says how it is used", async () => {
    const script = run(["--help"]);
    expect((await script.exit).code).toBe(0);
    expect(script.stdout()).toContain("Exit code 0");
  });
});
