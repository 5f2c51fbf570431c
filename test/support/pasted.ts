// The examples of a page of documentation, run one after the other as a reader runs them: in bash, in
// a module of Node, or in a script of Python, beside the files of docs/integrate/setup.md.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { readDocument } from "./document.ts";
import type { TestBusiness, World } from "./world.ts";

/** The languages of the examples, and what runs a file of them. */
const PROGRAMS = { sh: "bash", js: process.execPath, python: "python3" };
export type Language = keyof typeof PROGRAMS;
export const LANGUAGES = Object.keys(PROGRAMS) as Language[];

/** The lines of a long command, on a slow machine (tools/platform/progress.ts). */
const PROGRESS = /^\d+ %, about .+\n/gm;

/** The files that a reader has saved. A shell finds its file by the PATH. */
function saveSetup(folder: string): void {
  const { blocks } = readDocument("docs/integrate/setup.md");
  for (const [name, text] of [
    ["payrail.sh", blocks("sh")[1]],
    ["payrail.mjs", blocks("js")[0]],
    ["payrail.py", blocks("python")[0]],
  ] as const) {
    writeFileSync(join(folder, name), text as string);
  }
}

/**
 * Runs the code; fails if it fails, or if payrail refuses a request.
 * @returns the lines on stdout
 */
export async function paste(
  code: string,
  environment: NodeJS.ProcessEnv,
  language: Language = "sh",
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "payrail-guide-"));
  try {
    saveSetup(folder);
    const file = join(folder, language === "js" ? "guide.mjs" : "guide");
    writeFileSync(file, code);
    const args = language === "sh" ? ["--norc", "-euo", "pipefail", file] : [file];
    const env = { ...environment, PATH: `${folder}${delimiter}${environment.PATH}` };
    const { stdout, stderr } = await promisify(execFile)(PROGRAMS[language], args, { env });
    expect(stderr.replaceAll(PROGRESS, "")).toBe("");
    expect(stdout).not.toContain('"success":false');
    expect(stdout).not.toContain('{"error"');
    return stdout.trim().split("\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs all examples of a page in bash, and then a command, as a business of the world. */
export function pasteInto(
  { http }: World,
  { clientId, clientSecret }: TestBusiness,
  page: string,
  last: string,
): Promise<string[]> {
  const { PATH, HOME } = process.env;
  const examples = readDocument(page).blocks("sh").join("\n");
  return paste(`${examples}\n${last}`, {
    PATH,
    HOME,
    PAYRAIL_URL: http.url,
    PAYRAIL_CLIENT_ID: clientId,
    PAYRAIL_CLIENT_SECRET: clientSecret,
  });
}
