// Commands on an unreachable MongoDB: one sentence names its address.

import { inherited } from "../../support/inherited.ts";
import { runNode } from "../../support/scripts.ts";
import { keyedEnvironment } from "../../support/system.ts";

// Each command waits ten seconds for an answer, so they run at the same time.
test.concurrent.each([
  ["migrate", 1],
  ["hold-billing", 1],
  ["rotate-keys", 2],
] as const)("npm run %s ends with the code %d and one sentence", async (command, code) => {
  const MONGO_URL = "mongodb://127.0.0.1:1/payrail";
  const environment = { ...inherited(), ...keyedEnvironment(), MONGO_URL };
  const script = runNode(`tools/commands/${command}.ts`, [], environment);
  expect((await script.exit).code).toBe(code);
  expect(script.stdout()).toBe("");
  expect(script.stderr().trim()).toMatch(
    /^MONGO_URL: no MongoDB answers at 127\.0\.0\.1:1 [^\n]+$/,
  );
});
