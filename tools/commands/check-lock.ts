// Checks that package-lock.json pins every installed package by its hash and none by an address, so
// that any registry can serve a package but none can serve a different one. Native parts for other
// machines may lack a hash, because npm writes it only if its registry has them; `npm ci` needs
// their names but does not install them here.

import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Locked {
  integrity?: string;
  resolved?: string;
  optional?: true;
  os?: string[];
  cpu?: string[];
  libc?: string[];
}

const path = join(import.meta.dirname, "..", "..", "package-lock.json");
const { packages } = JSON.parse(readFileSync(path, "utf8")) as { packages: Record<string, Locked> };
const problems = Object.entries(packages).flatMap(([name, locked]) => [
  // The first entry is this repository.
  ...(name === "" || locked.integrity || isForeign(locked) ? [] : [`${name} has no integrity`]),
  ...(locked.resolved === undefined ? [] : [`${name} names an address`]),
]);
if (problems.length > 0) {
  process.stderr.write(`package-lock.json: ${problems.join("; ")}\n`);
  process.exitCode = 1;
}

/**
 * Whether a package is the native part of another one for a machine other than Linux on x64 or
 * arm64.
 */
function isForeign({ optional, os, cpu, libc }: Locked): boolean {
  const isHere =
    (os ?? ["linux"]).includes("linux") &&
    (cpu ?? ["x64"]).some((each) => each === "x64" || each === "arm64") &&
    (libc ?? ["glibc"]).includes("glibc");
  return optional === true && !isHere;
}
