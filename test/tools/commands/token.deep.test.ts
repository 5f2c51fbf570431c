// npm run token with wrong options.

import { randomUUID } from "node:crypto";
import { inSandbox, runNode } from "../../support/scripts.ts";

const sub = randomUUID();
test.each<[string, string[], NodeJS.ProcessEnv, string]>([
  ["an unknown role", ["--role", "root", "--sub", sub], {}, "--role must be one of"],
  ["a subject that is no UUID", ["--role", "user", "--sub", "1"], {}, "--sub must be a UUID"],
  [
    "an unknown scope",
    ["--role", "user", "--sub", sub, "--scope", "refunds refund"],
    {},
    "--scope must name some of external.apis, wallets,",
  ],
  ["an unknown option", ["--role", "user", "--sub", sub, "--x"], {}, "Usage: npm run -s token"],
  [
    "a lifetime without a unit",
    ["--role", "user", "--sub", sub, "--expires", "1"],
    {},
    "--expires must be",
  ],
  [
    "keys of another issuer",
    ["--role", "user", "--sub", sub],
    { JWT_JWKS_URL: "https://id.example/keys" },
    "set JWT_PRIVATE_KEY to sign here",
  ],
])("%s is refused in one sentence", (_case, args, environment, part) =>
  inSandbox(async (place) => {
    const script = runNode("tools/commands/token.ts", args, {
      ...place.environment,
      ...environment,
    });
    expect((await script.exit).code).toBe(1);
    expect(script.stdout()).toBe("");
    const said = script.stderr().trim();
    expect(said).toContain(part);
    expect(said).not.toContain("\n");
  }),
);
