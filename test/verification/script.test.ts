// npm run verify: finds the database of the books, beside a running payrail and after it, and exits
// with different codes for correct books, wrong books, and books that it cannot read.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import mongoose from "mongoose";
import type { Block } from "../../services/wallet-ledger/journal.model.ts";
import {
  inSandbox,
  processesOf,
  RUNNING,
  runNode,
  runVerify,
  type Sandbox,
  withdrawAsShown,
} from "../support/scripts.ts";
import { until } from "../support/system.ts";

/** Moves a cent in the journal without a posting. */
async function falsify({ dataDir }: Sandbox): Promise<void> {
  const address = readFileSync(join(dataDir, "mongod.json"), "utf8");
  const { url } = JSON.parse(address) as { url: string };
  const connection = await mongoose.createConnection(url).asPromise();
  const blocks = connection.getClient().db(connection.name).collection<Block>("ledger_blocks");
  const changed = await blocks.updateOne({}, { $inc: { "transfers.0.balance": 1 } });
  await connection.close();
  expect(changed.modifiedCount).toBe(1);
}

// An unreachable server takes ten seconds, so the tests run at the same time.
test.concurrent("correct books exit with 0 and wrong ones with 1, beside payrail and after it", () =>
  inSandbox(async (place) => {
    const verify = (args: string[] = []) => runVerify(args, place.environment);
    const payrail = runNode("scripts/start.ts", [], place.environment);
    await payrail.waitForOutput(RUNNING);
    expect(withdrawAsShown(payrail)).toContain('"success":true');
    const right = await verify();
    expect(right).toMatchObject({ code: 0, stderr: "" });
    expect(right.stdout).toMatch(
      /^(ok +\w+ +[A-Z].* \([\d,]+ \w+\)\n)+The books are right\. [\d,]+ transfers in \d+ s\.\n$/,
    );

    await falsify(place);
    const wrong = await verify(["--json"]);
    expect(wrong.code).toBe(1);
    const report = JSON.parse(wrong.stdout) as { ok: boolean; violations: { rule: string }[] };
    expect(report.ok).toBe(false);
    expect(report.violations.map(({ rule }) => rule)).toContain("hashes");

    payrail.interrupt();
    await payrail.exit;
    const afterwards = await verify();
    expect(afterwards.code).toBe(1);
    expect(afterwards.stdout).toMatch(
      /^WRONG hashes .*\n {8}block \d+:1 does not match its hash$/m,
    );
    expect(afterwards.stdout).toMatch(/^The books are wrong: \d+ violations\. /m);
    await until(() => processesOf(place.dataDir).length === 0, {
      awaited: "the end of all processes",
    });
  }));

test.concurrent("--head compares the books with kept heads, and --head-keys checks who signed them", () =>
  inSandbox(async (place) => {
    const payrail = runNode("scripts/start.ts", [], place.environment);
    await payrail.waitForOutput(RUNNING);
    expect(withdrawAsShown(payrail)).toContain('"success":true');
    const [url] = /http:\/\/[\w.]+:\d+/.exec(payrail.stdout()) ?? [""];
    const token = runNode("scripts/token.ts", ["--role", "admin"], place.environment);
    await token.exit;
    const headers = { authorization: `Bearer ${token.stdout().trim()}` };
    const keep = async (name: string, path: string) => {
      const file = join(place.dataDir, name);
      writeFileSync(file, await (await fetch(url + path, { headers })).text());
      return file;
    };
    const head = await keep("head.json", "/v1/admin/ledger-head");
    const keys = await keep("keys.json", "/.well-known/ledger-keys.json");
    const verify = (...args: string[]) => runVerify(args, place.environment);

    const right = await verify("--head", head, "--head-keys", keys);
    expect(right).toMatchObject({ code: 0, stderr: "" });
    expect(right.stdout).toMatch(/^ok +heads +.* \(1 heads\)$/m);
    const unsigned = await verify("--head", head, "--json");
    expect(unsigned.code).toBe(0);
    expect(unsigned.stderr).toContain("signatures of the heads were not checked");

    const forged = join(place.dataDir, "forged.json");
    writeFileSync(forged, readFileSync(head, "utf8").replaceAll(/\.eyJ[\w-]+/g, withOtherSums));
    const refused = await verify("--head", forged, "--head-keys", keys);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(`${forged} has a wrong signature`);
    const wrong = await verify("--head", head, "--head", forged);
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toMatch(
      /^WRONG heads .*\(2 heads\)\n {8}the head .*forged.json has 1.23 SPEND USD/m,
    );
    expect(await verify("--head", keys)).toMatchObject({
      code: 2,
      stderr: `${keys} holds no head of the ledger.`,
    });
    expect((await verify("--head", "/nowhere")).stderr).toBe("/nowhere cannot be read (ENOENT).");
    expect((await verify("--head", head, "--head-keys", head)).stderr).toContain("is no JWKS");
    payrail.interrupt();
    await payrail.exit;
  }));

/** The payload of a JWS, with other sums. */
function withOtherSums(part: string): string {
  const claims = JSON.parse(Buffer.from(part.slice(1), "base64url").toString()) as object;
  const sums = { SPEND: { USD: "1.23" }, COLLECTION: {} };
  return `.${Buffer.from(JSON.stringify({ ...claims, sums })).toString("base64url")}`;
}

test.concurrent("--help prints the usage, and a wrong argument exits with 2", () =>
  inSandbox(async ({ environment }) => {
    const help = await runVerify(["--help"], environment);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toMatch(/^npm run verify .*--json[\s\S]*Exit code 0[\s\S]*1[\s\S]*2/);
    const wrong = await runVerify(["--jsno"], environment);
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toContain("--jsno");
  }));

test.concurrent("unreadable books exit with 2, and the error names the cause", () =>
  inSandbox(async ({ dataDir, environment }) => {
    const empty = new URL(process.env.TEST_MONGO_URL as string);
    empty.pathname = "/nothing_here";
    const verifyWith = (books: NodeJS.ProcessEnv) => runVerify([], { ...environment, ...books });
    const [unset, unreachable, missing] = await Promise.all([
      verifyWith({}),
      verifyWith({ MONGO_URL: "mongodb://127.0.0.1:1/payrail" }),
      verifyWith({ MONGO_URL: empty.href }),
    ]);
    expect(unset).toMatchObject({
      code: 2,
      stdout: "",
      stderr: `DATA_DIR ${dataDir} holds no database; set MONGO_URL, or DATA_DIR to where payrail ran.`,
    });
    expect(unreachable.code).toBe(2);
    expect(unreachable.stderr).toMatch(/^MONGO_URL: no MongoDB answers at 127\.0\.0\.1:1/);
    expect(missing).toMatchObject({ code: 2, stdout: "" });
    expect(missing.stderr).toContain("There are no books in the database nothing_here");
  }));
