// npm run check: format and lint, type-aware lint, types, unused code, generated files, the lock
// file and the OpenAPI document. It runs all checks, prints the time of each, and fails if any of
// them fails.

import { join } from "node:path";
import ansis from "ansis";
import { run } from "../platform/processes.ts";

const TIMEOUT_MS = 300_000;
const root = join(import.meta.dirname, "..", "..");
const bin = (name: string) => join(root, "node_modules", ".bin", name);

const OXLINT = [
  ...["--type-aware", "--deny-warnings", "--config", join("tools", ".oxlintrc.json")],
  ...["--ignore-pattern", "**/generated/**"],
];

const CHECKS: [name: string, program: string, args: string[]][] = [
  ["format and lint", bin("biome"), ["check", "--error-on-warnings", "."]],
  ["type-aware lint", bin("oxlint"), OXLINT],
  ["types", bin("tsc"), ["--noEmit"]],
  ["checkout's types", bin("tsc"), ["-p", join("services", "gateway", "pay", "browser")]],
  ["docs' types", bin("tsc"), ["-p", join("services", "gateway", "docs", "browser")]],
  ["console's types", bin("tsc"), ["-p", join("clients", "console")]],
  ["sample's types", bin("tsc"), ["-p", join("partners", "samples", "partner", "field")]],
  ["Stripe's field", bin("tsc"), ["-p", join("partners", "stripe", "field")]],
  ["client's types", bin("tsc"), ["-p", join("clients", "typescript"), "--noEmit"]],
  ["unused code", bin("knip"), ["--no-progress"]],
  ["generated docs", process.execPath, [join(root, "tools", "commands", "docs.ts"), "--check"]],
  [
    "client's document",
    process.execPath,
    [join(root, "tools", "commands", "client-types.ts"), "--check"],
  ],
  [
    "Postman collection",
    process.execPath,
    [join(root, "tools", "commands", "postman.ts"), "--check"],
  ],
  ["lock file", process.execPath, [join(root, "tools", "commands", "check-lock.ts")]],
  ["OpenAPI document", process.execPath, [join(root, "tools", "commands", "check-openapi.ts")]],
];

process.chdir(root);
let failed = 0;
for (const [name, program, args] of CHECKS) {
  const startedAt = performance.now();
  const { code, output, timedOut } = await run(program, args, { timeoutMs: TIMEOUT_MS });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const verdict = code === 0 ? ansis.green("ok") : ansis.red("failed");
  process.stdout.write(`${name.padEnd(20)}${verdict} in ${seconds} s\n`);
  if (code === 0) continue;
  failed += 1;
  process.stdout.write(`${output}${timedOut ? "It did not end in time.\n" : ""}\n`);
}
process.stdout.write(failed === 0 ? "All checks passed\n" : `${failed} checks failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
