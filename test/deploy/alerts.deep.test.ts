// The alerts in Prometheus' own hands: promtool reads the rules and tries each against made-up
// series. promtool comes with Prometheus (Debian: prometheus) and is in no package registry, so a
// machine without it has not tried the alerts, and says so.

import { join } from "node:path";
import { run } from "../../scripts/support/processes.ts";

const DIRECTORY = join(import.meta.dirname, "..", "..", "deploy", "prometheus");
const WITHIN_MS = 60_000;

const promtool = (...args: string[]) => run("promtool", args, { timeoutMs: WITHIN_MS });
const at = (file: string) => join(DIRECTORY, file);

const { code, output } = await promtool("--version");
if (code !== 0) {
  const reason = output.trim().split("\n")[0];
  process.stderr.write(`The alerts were not tried: promtool is not on the PATH (${reason})\n`);
}
// A skipped test is counted as such, because a machine without promtool has proved nothing.
const withPromtool = code === 0 ? test : test.skip;

withPromtool.each([
  ["the rules are well formed", ["check", "rules", at("alerts.yaml")]],
  ["Prometheus takes the configuration of compose", ["check", "config", at("prometheus.yaml")]],
  [
    "every alert fires when it should, and none without cause",
    ["test", "rules", at("alerts.test.yaml")],
  ],
])("%s", async (_, args) => {
  const checked = await promtool(...args);
  expect(checked).toMatchObject({ code: 0, output: expect.stringContaining("SUCCESS") });
});
