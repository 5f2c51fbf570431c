// The code of the previous release, from this repository's history: the commit that last changed
// the kept documents of that release (docs/change/versions.md).

import { existsSync } from "node:fs";
import { mkdir, rename, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { run } from "../../../tools/platform/processes.ts";

const KEPT = "test/versions/previous-release.ejson.gz";
const WITHIN_MS = 30_000;

/** Its folder, or why there is none. */
type Found = { code: string; lack: null } | { code: null; lack: string };

/** @param files the folder to unpack it in; the second call finds it there */
export async function findPreviousRelease(files: string): Promise<Found> {
  const code = join(files, "previous-release");
  if (existsSync(code)) return { code, lack: null };
  const isShallow = await git("rev-parse", "--is-shallow-repository");
  if (isShallow !== "false") {
    return { code: null, lack: "the previous release needs git and the whole history" };
  }
  const commit = await git("log", "-1", "--format=%H", "--", KEPT);
  if (!commit) return { code: null, lack: `no commit of the history changes ${KEPT}` };
  await unpack(commit, code);
  return { code, lack: null };
}

/** The output of git; null if it fails. */
async function git(...args: string[]): Promise<string | null> {
  const { code, output } = await run("git", args, { timeoutMs: WITHIN_MS });
  return code === 0 ? output.trim() : null;
}

/** Makes the folder with the code of a commit; its dependencies are those of this repository. */
async function unpack(commit: string, folder: string): Promise<void> {
  const scratch = `${folder}-unfinished`;
  await mkdir(scratch, { recursive: true });
  const archive = join(scratch, "archive.tar");
  const steps: [string, string[]][] = [
    // All of it, because the folders that a release needs change, and git refuses a missing one.
    ["git", ["archive", "--output", archive, commit]],
    ["tar", ["-xf", archive, "-C", scratch]],
  ];
  for (const [program, args] of steps) {
    const { code, output } = await run(program, args, { timeoutMs: WITHIN_MS });
    if (code !== 0) throw new Error(`${program} ${args.join(" ")}: ${output}`);
  }
  await symlink(resolve("node_modules"), join(scratch, "node_modules"));
  await rename(scratch, folder);
}
