// npm run verify with kept heads of the ledger, and with books that it cannot read.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inSandbox, RUNNING, runNode, runVerify, withdrawAsShown } from "../../support/scripts.ts";

// An unreachable server takes ten seconds, so the tests run at the same time.
test.concurrent("--head compares the books with kept heads, and --head-keys checks who signed them", () =>
  inSandbox(async (place) => {
    const payrail = runNode("tools/commands/start.ts", [], place.environment);
    await payrail.waitForOutput(RUNNING);
    expect(withdrawAsShown(payrail)).toContain('"success":true');
    const [url] = /http:\/\/[\w.]+:\d+/.exec(payrail.stdout()) ?? [""];
    const token = runNode("tools/commands/token.ts", ["--role", "admin"], place.environment);
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
