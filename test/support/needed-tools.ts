// Tests that need a tool which many machines lack and which no package registry has.

import { run } from "../../tools/platform/processes.ts";

const ANSWERED_WITHIN_MS = 20_000;

/** @returns why one of the programs does not run here, null if all do */
export async function whyMissing(...programs: string[]): Promise<string | null> {
  for (const program of programs) {
    const { code, output } = await run(program, ["--version"], { timeoutMs: ANSWERED_WITHIN_MS });
    if (code !== 0) return `${program} does not run here (${output.trim().split("\n")[0]})`;
  }
  return null;
}

/**
 * `test` for tests that need a tool. Without the tool they are skipped, and standard error says
 * why. A skipped test is counted as such, because a machine without the tool has proved nothing.
 * @param missing why the tests cannot be tried here, null if they can
 * @param subject of the tests, such as "the alerts"
 */
export function testUnless(missing: string | null, subject: string): jest.It {
  if (missing === null) return test;
  process.stderr.write(`Skipped ${subject}: ${missing}\n`);
  return test.skip;
}
