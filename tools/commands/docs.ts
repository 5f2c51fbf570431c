// npm run docs: writes docs/generated/actions.md from the contracts, and the generated parts of
// other pages, each between two marks: the tables of docs/integrate/errors.md from the errors, the
// tables of promises in docs/operate/rails-and-acquirers.md from the conformance runner, the table
// of metrics in docs/operate/watch.md from their definitions. It also writes Grafana's dashboards
// and the alerts in the Prometheus operator's form. With --check it writes nothing and fails if a
// file is not current.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { MetaPart } from "../../shared/contracts/contract.ts";
import {
  type ActionName,
  contractFor,
  contracts,
  events,
} from "../../shared/contracts/contracts.ts";
import type { Field, Fields, JsonSchema } from "../../shared/contracts/field.ts";
import { ERROR_GUIDE } from "../../shared/error-guide.ts";
import { ERRORS, type ErrorType, errorCode, FIELD_CODES } from "../../shared/errors.ts";
import { METRICS, type MetricDefinition } from "../../shared/observability/metrics.ts";
import { PROMISES } from "../conformance/examine.ts";
import { dashboardFiles } from "../platform/grafana.ts";

const ACTIONS = "docs/generated/actions.md";
const ERROR_CODES = "docs/integrate/errors.md";
const WATCH = "docs/operate/watch.md";
const PARTNERS = "docs/operate/rails-and-acquirers.md";
const ALERTS = "k8s/monitoring/prometheus/alerts.yaml";
const RULE = "k8s/components/prometheus-operator/generated/rule.yaml";
const DASHBOARDS = "k8s/monitoring/grafana/generated";

function typeName(schema: JsonSchema): string {
  const { type, enum: values, anyOf, items, format } = schema;
  if (Array.isArray(values)) return values.map((value) => `\`${value}\``).join(" ");
  if (Array.isArray(anyOf)) return anyOf.map(typeName).join(" or ");
  if (type === "array") return `list of ${typeName(items as JsonSchema)}`;
  if (type === "object" && schema.properties) {
    const properties = Object.entries(schema.properties as Record<string, JsonSchema>);
    const required = (schema.required ?? []) as string[];
    const names = properties.map(([name]) => (required.includes(name) ? name : `${name}?`));
    return properties.length > 0 ? `{ ${names.join(", ")} }` : "{ }";
  }
  return ((format ?? type) as string | undefined) ?? "any";
}

function parameterRow(name: string, field: Field): string {
  const note = (field.schema.description as string | undefined) ?? "";
  return `| \`${name}\` | ${typeName(field.schema)} | ${field.optional ? "no" : "yes"} | ${note} |`;
}

function parameterTable(params: Fields): string {
  const rows = Object.entries(params).map(([name, field]) => parameterRow(name, field));
  if (rows.length === 0) return "No parameters.";
  return ["| Parameter | Type | Required | |", "|---|---|---|---|", ...rows].join("\n");
}

/** The parts of meta with more to say than their names. */
const META_PARTS: Partial<Record<MetaPart, string>> = {
  actor: "`actor`, required",
  creation: "`idempotency`, with `actor`",
};

function actionSection(name: ActionName): string {
  const { does, params, result, meta, errors, timeoutMs, callers } = contractFor(name);
  const codes = errors.map((type) => `\`${type}\` (${ERRORS[type].status})`).join(", ");
  const reads = meta.map((part) => META_PARTS[part] ?? `\`${part}\``);
  return [
    `### ${name}`,
    `${does}.`,
    parameterTable(params),
    reads.length > 0 && `Meta: ${reads.join("; ")}.`,
    `Result: ${typeName(result.schema)}.`,
    [
      codes && `Errors: ${codes}.`,
      timeoutMs > 0 && `Within ${timeoutMs / 1_000} s.`,
      callers.length > 0 && `Called by ${callers.join(", ")}.`,
    ]
      .filter(Boolean)
      .join(" "),
  ]
    .filter(Boolean)
    .join("\n\n");
}

function actionsPage(): string {
  const about = [
    "# Actions and events",
    "[Internal systems](../integrate/internal-systems.md) says how a node joins and calls an action.",
    "`npm run docs` makes this page of `shared/contracts`.",
  ];
  return `${[...about, "## Events", ...eventSections(), ...actionChapters()].join("\n\n")}\n`;
}

function actionChapters(): string[] {
  const names = Object.keys(contracts) as ActionName[];
  const services = [...new Set(names.map((name) => name.split(".")[0] as string))];
  return services.flatMap((service) => {
    const sections = names.filter((name) => name.startsWith(`${service}.`)).map(actionSection);
    return [`## ${service}`, ...sections];
  });
}

function eventSections(): string[] {
  return Object.entries(events).map(([name, { sender, sent, payload }]) => {
    const rows = Object.entries(payload).map(([key, { schema }]) => {
      const note = (schema.description as string | undefined) ?? "";
      return `| \`${key}\` | ${typeName(schema)} | ${note} |`;
    });
    const table = ["| Payload | Type | |", "|---|---|---|", ...rows].join("\n");
    return `### ${name}\n\n${sent}. Sent by ${sender}.\n\n${table}`;
  });
}

const errorTypes = Object.keys(ERRORS) as ErrorType[];
/** The errors of the token endpoint have a code of RFC 6749 as their message. */
const isOfTokens = (type: ErrorType) => ERRORS[type].message === errorCode(type);

function codeTable(): string {
  const rows = errorTypes
    .filter((type) => !isOfTokens(type))
    .toSorted((a, b) => ERRORS[a].status - ERRORS[b].status)
    .map((type) => {
      const { status, message } = ERRORS[type];
      const { cause, remedy } = ERROR_GUIDE[type];
      return `| ${status} | \`${errorCode(type)}\` | \`${message}\` | ${cause} | ${remedy} |`;
    });
  return ["| Status | Code | Message | Cause | Remedy |", "|---|---|---|---|---|", ...rows].join(
    "\n",
  );
}

function tokenErrorTable(): string {
  const rows = errorTypes.filter(isOfTokens).map((type) => {
    const { cause, remedy } = ERROR_GUIDE[type];
    return `| ${ERRORS[type].status} | \`${errorCode(type)}\` | ${cause} | ${remedy} |`;
  });
  return ["| Status | Error | Cause | Remedy |", "|---|---|---|---|", ...rows].join("\n");
}

function fieldCodeTable(): string {
  const rows = Object.entries(FIELD_CODES).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return ["| Code | Meaning |", "|---|---|", ...rows].join("\n");
}

function promiseTable(kind: keyof typeof PROMISES): string {
  const rows = PROMISES[kind].map(
    ({ name, says, because }) => `| \`${name}\` | ${says} | ${because} |`,
  );
  return ["| promise | it | otherwise |", "|---|---|---|", ...rows].join("\n");
}

function metricTable(): string {
  const rows = Object.entries<MetricDefinition>(METRICS).map(
    ([name, { type, labels, help }]) =>
      `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${help} |`,
  );
  return ["| Metric | Type | Labels | |", "|---|---|---|---|", ...rows].join("\n");
}

/** The page as it is, with each part between its two marks replaced. */
function renewed(path: string, parts: Record<string, string>): string {
  return Object.entries(parts).reduce(
    (text, [mark, part]) => {
      const [begin, end] = [`<!-- ${mark} -->`, `<!-- end of ${mark} -->`];
      const [before, rest] = text.split(begin);
      const after = rest?.split(end)[1];
      if (after === undefined) throw new Error(`${path} has no marks of ${mark}`);
      return `${before}${begin}\n${part}\n${end}${after}`;
    },
    readFileSync(path, "utf8"),
  );
}

/** The alerts as a resource of the Prometheus operator, which takes no file of rules. */
function prometheusRule(): string {
  const alerts = readFileSync(ALERTS, "utf8");
  return [
    `# npm run docs makes this file of ${ALERTS}.`,
    "apiVersion: monitoring.coreos.com/v1",
    "kind: PrometheusRule",
    "metadata:",
    "  name: payrail",
    "spec:",
    alerts.slice(alerts.indexOf("groups:")).replace(/^(?=.)/gm, "  "),
  ].join("\n");
}

const kinds = Object.keys(PROMISES) as (keyof typeof PROMISES)[];
const promises = kinds.map((kind) => [`promises: ${kind}`, promiseTable(kind)] as const);
const dashboards = Object.entries(dashboardFiles());
for (const [path, text] of [
  [ACTIONS, actionsPage()],
  [
    ERROR_CODES,
    renewed(ERROR_CODES, {
      codes: codeTable(),
      "field codes": fieldCodeTable(),
      "token errors": tokenErrorTable(),
    }),
  ],
  [PARTNERS, renewed(PARTNERS, Object.fromEntries(promises))],
  [WATCH, renewed(WATCH, { metrics: metricTable() })],
  [RULE, prometheusRule()],
  ...dashboards.map(([name, json]) => [`${DASHBOARDS}/${name}`, json] as const),
] as const) {
  if (!process.argv.includes("--check")) {
    writeFileSync(path, text);
  } else if (!existsSync(path) || readFileSync(path, "utf8") !== text) {
    process.stderr.write(`${path} is not current: run npm run docs.\n`);
    process.exitCode = 1;
  }
}
