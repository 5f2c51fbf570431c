// The alerts in Prometheus' own hands: promtool reads the rules and tries each against made-up
// series. promtool comes with Prometheus (Debian: prometheus).

import { join } from "node:path";
import { run } from "../../tools/platform/processes.ts";
import { testUnless, whyMissing } from "../support/needed-tools.ts";

const DIRECTORY = join(import.meta.dirname, "..", "..", "k8s", "monitoring", "prometheus");
const WITHIN_MS = 60_000;

const promtool = (...args: string[]) => run("promtool", args, { timeoutMs: WITHIN_MS });
const at = (file: string) => join(DIRECTORY, file);

const withPromtool = testUnless(await whyMissing("promtool"), "the alerts");

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
