// Checks that package-lock.json pins every installed package by its hash and none by an address, so that
// any registry can serve a package and no registry can serve a different one. Native parts for machines
// that payrail is not developed on may lack a hash: npm writes it only where its registry carries them, and
// `npm ci` needs their names but installs none of them here.

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

const path = join(import.meta.dirname, "..", "package-lock.json");
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

/** Whether a package is the native part of another one for a machine that is not Linux on x64 or arm64. */
function isForeign({ optional, os, cpu, libc }: Locked): boolean {
  const isHere =
    (os ?? ["linux"]).includes("linux") &&
    (cpu ?? ["x64"]).some((each) => each === "x64" || each === "arm64") &&
    (libc ?? ["glibc"]).includes("glibc");
  return optional === true && !isHere;
}
