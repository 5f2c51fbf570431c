// Modules of partners import npm packages, partners/types.ts and files of their own folder, and
// nothing else of payrail's. So a company can write one without payrail's code.

import { globSync, readFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";

const PARTNERS = resolve("partners");
const TYPES = resolve(PARTNERS, "types.ts");
const { dependencies, optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
const packages = { ...dependencies, ...optionalDependencies };

/** `from "x"`, `import "x"` and `import("x")`; an import of no literal counts as an empty name. */
const IMPORT = /\bfrom\s*["']([^"']*)["']|\bimport\s*\(?\s*["']([^"']*)["']|\bimport\s*\(/g;

/** The imports of a file that it may not have. */
function findForeign(path: string): string[] {
  const names = [...readFileSync(path, "utf8").matchAll(IMPORT)].map(
    ([, from, imported]) => from ?? imported ?? "",
  );
  return names.filter((name) => !isPackage(name) && !isOwn(path, name));
}

function isPackage(name: string): boolean {
  const [scopeOrName, inScope] = name.split("/");
  const own = name.startsWith("@") ? `${scopeOrName}/${inScope}` : scopeOrName;
  return name.startsWith("node:") || Object.hasOwn(packages, own ?? "");
}

/** Whether a file of the module's folder, or the types file, is imported. */
function isOwn(path: string, name: string): boolean {
  if (!name.startsWith("./") && !name.startsWith("../")) return false;
  const imported = resolve(dirname(path), name);
  const [folder] = path.slice(PARTNERS.length + 1).split(sep);
  return imported === TYPES || imported.startsWith(resolve(PARTNERS, folder as string) + sep);
}

const modules = globSync("partners/*/**/*.ts");

test("there are modules", () => {
  expect(modules).toContain(join("partners", "sandbox", "rail.ts"));
});

test.each(["partners/types.ts", ...modules])("%s imports nothing else of payrail's", (path) => {
  expect(findForeign(resolve(path))).toEqual([]);
});
