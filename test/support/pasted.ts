// The examples of a page of documentation, run one after the other in bash, as a reader pastes
// them.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { shellDefinitions } from "../../tools/platform/shell-definitions.ts";
import { readDocument } from "./document.ts";
import type { TestBusiness, World } from "./world.ts";

/** The lines of a long command, on a slow machine (tools/platform/progress.ts). */
const PROGRESS = /^\d+ %, about .+\n/gm;

/**
 * Runs the commands; fails if one of them fails, or if payrail refuses a request.
 * @returns the lines on stdout
 */
export async function paste(commands: string, environment: NodeJS.ProcessEnv): Promise<string[]> {
  const args = ["--norc", "-euo", "pipefail", "-c", commands];
  const { stdout, stderr } = await promisify(execFile)("bash", args, { env: environment });
  expect(stderr.replaceAll(PROGRESS, "")).toBe("");
  expect(stdout).not.toContain('"success":false');
  expect(stdout).not.toContain('{"error"');
  return stdout.trim().split("\n");
}

/**
 * Runs all examples of a page, and then a command, against a world. Definitions of a business of
 * the world take the place of those that `npm run shell` prints for a payrail of its own.
 */
export function pasteInto(
  { http }: World,
  { id, token, clientId, clientSecret }: TestBusiness,
  page: string,
  last: string,
): Promise<string[]> {
  const { PATH, HOME } = process.env;
  const DEFINITIONS = shellDefinitions({
    PAYRAIL: http.url,
    BUSINESS: id,
    MERCHANT: token,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
  });
  const examples = readDocument(page).blocks("sh").join("\n");
  const npm = `npm() { printf '%s' "$DEFINITIONS"; }`;
  return paste(`${npm}\n${examples}\n${last}`, { PATH, HOME, DEFINITIONS });
}
