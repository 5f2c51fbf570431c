// Modules of partners import npm packages, the files beside partners/types.ts and files of their
// own folder, and nothing else of payrail's. So a company can write one without payrail's code.

import { globSync, readFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { importedBy } from "../support/imported.ts";

const PARTNERS = resolve("partners");
const { dependencies, optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
const packages = { ...dependencies, ...optionalDependencies };

/** The imports of a file that it may not have. */
function findForeign(path: string): string[] {
  return importedBy(path).filter((name) => !isPackage(name) && !isOwn(path, name));
}

function isPackage(name: string): boolean {
  const [scopeOrName, inScope] = name.split("/");
  const own = name.startsWith("@") ? `${scopeOrName}/${inScope}` : scopeOrName;
  return name.startsWith("node:") || Object.hasOwn(packages, own ?? "");
}

/** Whether a file of the module's folder, or one beside the types file, is imported. */
function isOwn(path: string, name: string): boolean {
  if (!name.startsWith("./") && !name.startsWith("../")) return false;
  const imported = resolve(dirname(path), name);
  const [folder] = path.slice(PARTNERS.length + 1).split(sep);
  return (
    dirname(imported) === PARTNERS || imported.startsWith(resolve(PARTNERS, folder as string) + sep)
  );
}

const modules = globSync("partners/*/**/*.ts");

test("there are modules", () => {
  expect(modules).toContain(join("partners", "sandbox", "rail.ts"));
});

test.each([...globSync("partners/*.ts"), ...modules])(
  "%s imports nothing else of payrail's",
  (path) => {
    expect(findForeign(resolve(path))).toEqual([]);
  },
);
