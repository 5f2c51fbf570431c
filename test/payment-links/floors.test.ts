// The folders of the payment-links service are floors: a folder imports only from the floors below
// it and from itself. So a reader of one floor needs none of the later ones. The files beside the
// service file stand above all floors, except those that every floor may import.

import { globSync, readFileSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";

const SERVICE = resolve("services/payment-links");

/** From the ground up; the folders of one floor do not import each other. */
const FLOORS = [
  ["links", "acquirers"],
  ["payments"],
  ["refunds", "billing"],
  ["checkout", "customers"],
];
const GROUND_FILES = ["points.ts"];

/** `from "x"`, `import "x"` and `import("x")`. */
const IMPORT = /\bfrom\s*["']([^"']*)["']|\bimport\s*\(?\s*["']([^"']*)["']/g;

interface Import {
  from: string;
  to: string;
}

/** The imports of the service's files that leave their folder and stay in the service. */
function readImports(): Import[] {
  return globSync(`${SERVICE}/**/*.ts`).flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(IMPORT)]
      .map(([, from, imported]) => resolve(dirname(path), from ?? imported ?? ""))
      .filter((target) => target.startsWith(SERVICE + sep))
      .map((target) => ({ from: relative(SERVICE, path), to: relative(SERVICE, target) }))
      .filter(({ from, to }) => dirname(from) !== dirname(to)),
  );
}

/** -1 is the ground; files beside the service file are above all floors. */
function floorOf(file: string): number {
  if (GROUND_FILES.includes(file)) return -1;
  const [folder, name] = file.split(sep) as [string, string?];
  if (name === undefined) return FLOORS.length;
  const floor = FLOORS.findIndex((folders) => folders.includes(folder));
  if (floor === -1) throw new Error(`The folder ${folder} has no floor`);
  return floor;
}

const imports = readImports();

test("a folder of payment-links imports only from lower floors", () => {
  const upwards = imports.filter(({ from, to }) => floorOf(to) >= floorOf(from));
  expect(upwards).toEqual([]);
});

test("the imports between the folders are seen", () => {
  const inFolders = imports.filter(({ from }) => floorOf(from) < FLOORS.length);
  expect(inFolders.length).toBeGreaterThan(80);
  expect(inFolders).toContainEqual({
    from: ["refunds", "lifecycle.ts"].join(sep),
    to: ["acquirers", "acquirer.ts"].join(sep),
  });
});
