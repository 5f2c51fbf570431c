// npm run token: prints only a token, or one sentence; in production only an admin's.
// token.deep.test.ts has the other wrong options.

import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import jwt from "jsonwebtoken";
import { runNode, type Sandbox, sandbox } from "../../support/scripts.ts";
import { keyPair } from "../../support/system.ts";

let place: Sandbox;
beforeEach(async () => {
  place = await sandbox();
});
afterEach(() => place.clean());

async function token(args: string[], environment: NodeJS.ProcessEnv = {}) {
  const script = runNode("tools/commands/token.ts", args, { ...place.environment, ...environment });
  const { code } = await script.exit;
  return { code, stdout: script.stdout(), stderr: script.stderr().trim() };
}

test("a token has all required claims and is signed with the key of DATA_DIR", async () => {
  const sub = randomUUID();
  const { code, stdout, stderr } = await token(["--role", "user", "--sub", sub, "--expires", "2h"]);
  const told = `Signed with the keys in ${place.dataDir}, which a payrail with another DATA_DIR refuses.`;
  expect({ code, stderr }).toEqual({ code: 0, stderr: told });
  const file = join(place.dataDir, "development-keys.json");
  const { jwtPublicKey } = JSON.parse(readFileSync(file, "utf8")) as { jwtPublicKey: string };
  const claims = jwt.verify(stdout.trim(), jwtPublicKey, { algorithms: ["ES256"] });
  expect(claims).toMatchObject({
    iss: "payrail",
    aud: "payrail",
    sub,
    role: "user",
    scope: "external.apis",
  });
  const { iat, exp } = claims as { iat: number; exp: number };
  expect(exp - iat).toBe(7_200);
});

test("a configured shared secret signs the token", async () => {
  const JWT_SECRET = "s".repeat(32);
  const args = ["--role", "admin", "--sub", randomUUID(), "--scope", "refunds webhooks"];
  const { stdout } = await token(args, { JWT_SECRET });
  const claims = jwt.verify(stdout.trim(), JWT_SECRET, { algorithms: ["HS256"] });
  expect(claims).toMatchObject({ role: "admin", scope: "refunds webhooks" });
});

/** A production environment of the accounts service, with its signing key in a file. */
function production(): NodeJS.ProcessEnv & { publicKey: string } {
  const { publicKey, privateKey } = keyPair();
  const JWT_PRIVATE_KEY_FILE = join(place.dataDir, "signing.pem");
  writeFileSync(JWT_PRIVATE_KEY_FILE, privateKey);
  return { NODE_ENV: "production", JWT_PRIVATE_KEY_FILE, publicKey };
}

test("production makes an admin's token for an hour at most, and says whose and until when", async () => {
  const { publicKey, ...environment } = production();
  const { code, stdout, stderr } = await token(["--role", "admin"], environment);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^A token of the admin [\da-f-]{36}, until \S+Z\.$/),
  });
  const claims = jwt.verify(stdout.trim(), publicKey, { algorithms: ["ES256"] });
  const { sub, iat, exp } = claims as jwt.JwtPayload;
  expect(claims).toMatchObject({ role: "admin" });
  expect(stderr).toContain(sub);
  expect((exp as number) - (iat as number)).toBe(3_600);

  const refused = { code: 1, stdout: "", stderr: expect.stringMatching(/^In production only/) };
  for (const args of [
    ["--role", "merchant", "--sub", randomUUID()],
    ["--role", "admin", "--expires", "2h"],
  ]) {
    expect(await token(args, environment)).toEqual(refused);
  }
  const without = await token(["--role", "admin"], { NODE_ENV: "production" });
  expect(without).toMatchObject({ code: 1, stdout: "" });
  expect(without.stderr).toMatch(/^There is no key to sign with\. If another system issues/);
});

test("no role is refused in one sentence", async () => {
  const { code, stdout, stderr } = await token(["--sub", randomUUID()]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("--role must be one of admin, merchant, user");
  expect(stderr).not.toContain("\n");
});
