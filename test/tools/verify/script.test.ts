// npm run verify: finds the database of the books, beside a running payrail and after it, and exits
// with different codes for correct books and wrong ones. script.deep.test.ts has kept heads, and
// books that it cannot read.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import mongoose from "mongoose";
import type { Block } from "../../../services/wallet-ledger/journal.model.ts";
import {
  inSandbox,
  processesOf,
  RUNNING,
  runNode,
  runVerify,
  type Sandbox,
  withdrawAsShown,
} from "../../support/scripts.ts";
import { until } from "../../support/system.ts";

/** Moves a cent in the journal without a posting. */
async function falsify({ dataDir }: Sandbox): Promise<void> {
  const address = readFileSync(join(dataDir, "mongod.json"), "utf8");
  const { url } = JSON.parse(address) as { url: string };
  const connection = await mongoose.createConnection(url).asPromise();
  const blocks = connection.getClient().db(connection.name).collection<Block>("ledger_blocks");
  const changed = await blocks.updateOne({}, { $set: { "transfers.0.row": "" } });
  await connection.close();
  expect(changed.modifiedCount).toBe(1);
}

test.concurrent("correct books exit with 0 and wrong ones with 1, beside payrail and after it", () =>
  inSandbox(async (place) => {
    const verify = (args: string[] = []) => runVerify(args, place.environment);
    const payrail = runNode("tools/commands/start.ts", [], place.environment);
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

test.concurrent("--help prints the usage, and a wrong argument exits with 2", () =>
  inSandbox(async ({ environment }) => {
    const help = await runVerify(["--help"], environment);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toMatch(/^npm run verify .*--json[\s\S]*Exit code 0[\s\S]*1[\s\S]*2/);
    const wrong = await runVerify(["--jsno"], environment);
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toContain("--jsno");
  }));
