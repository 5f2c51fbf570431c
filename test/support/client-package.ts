// The client's package as it is published: packed, and installed without a network into
// applications, which the strictest settings of the compiler check.

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
export const PACKAGE = resolve("clients/typescript");

/** An application's settings; the package's own types are checked too. */
const SETTINGS = {
  compilerOptions: {
    target: "es2022",
    lib: ["es2022"],
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: false,
    skipLibCheck: false,
    noEmit: true,
    typeRoots: [resolve("node_modules/@types")],
    types: ["node"],
  },
  include: ["*.ts"],
};

export type Packed = Awaited<ReturnType<typeof packClient>>;

/** Packs the client into a folder of its own. */
export async function packClient() {
  const folder = mkdtempSync(join(tmpdir(), "payrail-client-"));
  const args = ["pack", "--json", "--pack-destination", folder];
  const { stdout } = await run("npm", args, { cwd: PACKAGE });
  const packed = join(folder, (JSON.parse(stdout) as [{ filename: string }])[0].filename);

  return {
    /** A folder with an application that has the package installed. */
    async application(name: string, source: string): Promise<string> {
      const path = join(folder, name);
      mkdirSync(path);
      writeFileSync(join(path, "package.json"), '{ "type": "module" }');
      writeFileSync(join(path, "tsconfig.json"), JSON.stringify(SETTINGS));
      writeFileSync(join(path, "main.ts"), source);
      await run("npm", ["install", "--offline", "--no-audit", packed], { cwd: path });
      return path;
    },

    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** What the compiler says about an application. */
export async function compilerErrors(path: string): Promise<string> {
  const compiler = resolve("node_modules/.bin/tsc");
  return run(compiler, ["-p", path, "--pretty", "false"]).then(
    () => "",
    ({ stdout }: { stdout: string }) => stdout,
  );
}
