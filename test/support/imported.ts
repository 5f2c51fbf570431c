// The names that a file of code imports.

import { readFileSync } from "node:fs";

/** `from "x"`, `import "x"` and `import("x")`; an import of no literal counts as an empty name. */
const IMPORT = /\bfrom\s*["']([^"']*)["']|\bimport\s*\(?\s*["']([^"']*)["']|\bimport\s*\(/g;

export function importedBy(path: string): string[] {
  return [...readFileSync(path, "utf8").matchAll(IMPORT)].map(
    ([, from, imported]) => from ?? imported ?? "",
  );
}
