// The alerts and dashboards read metrics that exist, and each alert has its runbook. promtool tries
// the expressions themselves (alerts.deep.test.ts).

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SERVICE_NAMES } from "../../shared/rpc/service-names.ts";
import { dashboardFiles } from "../../tools/platform/grafana.ts";
import { labelsOf } from "../support/metric-labels.ts";

const root = join(import.meta.dirname, "..", "..");
const textOf = (path: string) => readFileSync(join(root, path), "utf8");
const alerts = textOf("k8s/monitoring/prometheus/alerts.yaml");
const blocks = alerts.split(/^ +- alert: /m).slice(1);
const names = blocks.map((block) => block.split("\n")[0] as string);

/** Labels that Prometheus adds; `le` is of histograms. */
const PROMETHEUS_LABELS = ["job", "instance", "le"];
/** Prometheus itself makes `up`. */
const labelsIn = (name: string) => (name === "up" ? [] : labelsOf(name));

const METRIC = /\b(?:payrail|moleculer|process|os)_[a-z0-9_]+|\bup\b/g;

/** The metrics of an expression that are not shown, and the labels that its metrics do not have. */
function unknownIn(expression: string): string[] {
  const metrics = expression.match(METRIC) ?? [];
  const known = metrics.flatMap((name) => labelsIn(name) ?? []).concat(PROMETHEUS_LABELS);
  const selectors = [...expression.matchAll(/([a-z0-9_]+)\{([^}]*)\}/gi)];
  const selected = selectors.flatMap(([, name = "", selector = ""]) => {
    const has = [...(labelsIn(name) ?? []), ...PROMETHEUS_LABELS];
    const labels = [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label]) => label);
    return labels.filter((label) => !has.includes(label as string));
  });
  const groupings = [...expression.matchAll(/\bby \(([^)]*)\)/g)];
  const grouped = groupings.flatMap(([, labels = ""]) => labels.split(/,\s*/));
  return [
    ...metrics.filter((name) => labelsIn(name) === null),
    ...selected.map(String),
    ...grouped.filter((label) => !known.includes(label)),
  ];
}

test("an unknown metric, selector and grouping are found", () => {
  expect(unknownIn('sum by (kind) (payrail_documents_flagged{kind="payout"})')).toEqual([]);
  expect(unknownIn('sum by (id) (payrail_document_flagged{age="1"})')).toEqual([
    ...["payrail_document_flagged", "age", "id"],
  ]);
  expect(unknownIn("payrail_documents_flagged_count")).toEqual(["payrail_documents_flagged_count"]);
});

test("the alerts read metrics and labels that payrail has", () => {
  expect(names.length).toBeGreaterThan(15);
  for (const block of blocks) {
    const [, expression = ""] = /expr: (?:>-\n)?([\s\S]*?)\n +for:/.exec(block) ?? [];
    expect(expression.match(METRIC)).not.toBeNull();
    expect({ alert: block.split("\n")[0], unknown: unknownIn(expression) }).toMatchObject({
      unknown: [],
    });
  }
});

test("the alerts watch every service and every kind of document", () => {
  for (const name of SERVICE_NAMES) expect(alerts).toContain(`absent(up{job="${name}"})`);
  const all = [...alerts.matchAll(/job=~"([^"]+)"/g)].map(([, jobs = ""]) => jobs.split("|"));
  expect(all.length).toBeGreaterThan(0);
  for (const jobs of all) expect(jobs.toSorted()).toEqual(SERVICE_NAMES.toSorted());
  const services = ["payouts/payouts", "payment-links/payment-links"].map((name) =>
    textOf(`services/${name}.service.ts`),
  );
  const backlogs = services.join("").matchAll(/readBacklog\([^,]+, "(\w+)", clock\)/g);
  const kinds = [...backlogs].map(([, kind]) => kind);
  expect(kinds.length).toBeGreaterThanOrEqual(4);
  for (const kind of kinds) {
    expect(alerts).toContain(`absent(payrail_documents_flagged{kind="${kind}"})`);
  }
});

test("every alert says what it is, and leads to its own runbook; no runbook is left over", () => {
  expect(new Set(names).size).toBe(names.length);
  for (const block of blocks) {
    const [name = ""] = block.split("\n");
    expect(block).toMatch(/^ +for: \d+[mh]$/m);
    expect(block).toMatch(/^ +labels: \{ severity: (critical|warning) \}$/m);
    expect(block).toMatch(/^ +summary: .+/m);
    expect(block).toMatch(/^ +description: .+/m);
    expect(block).toContain(`runbook: docs/operate/alerts.md#${name.toLowerCase()}\n`);
  }
  const headings = [...textOf("docs/operate/alerts.md").matchAll(/^## (Payrail\w+)$/gm)];
  expect(headings.map(([, name]) => String(name)).toSorted()).toEqual(names.toSorted());
});

test("promtool is given a case of every alert", () => {
  const tested = textOf("k8s/monitoring/prometheus/alerts.test.yaml");
  for (const name of names) {
    expect(tested).toContain(`ALERTS{alertname="${name}", alertstate="firing"}`);
  }
});

test("the dashboards read metrics and labels that payrail has, in at most 12 panels", () => {
  const files = Object.entries(dashboardFiles());
  expect(files.map(([name]) => name)).toEqual(
    ["money", "payouts", "billing", "webhooks", "ledger", "services"].map((name) => `${name}.json`),
  );
  for (const [name, text] of files) {
    expect(textOf(`k8s/monitoring/grafana/generated/${name}`)).toBe(text);
    const { panels } = JSON.parse(text);
    expect(panels.length).toBeLessThanOrEqual(12);
    for (const { title, targets } of panels) {
      for (const { expr } of targets) {
        expect({ name, title, unknown: unknownIn(expr) }).toEqual({ name, title, unknown: [] });
        expect(expr.match(METRIC)).not.toBeNull();
      }
    }
  }
});
