// npm run docs: writes docs/actions.md, the actions that other internal systems may call over the
// broker, from the contracts, and the tables of promises in docs/rails-and-acquirers.md from the
// conformance runner. With --check it writes nothing and fails where a page is not current.

import { readFileSync, writeFileSync } from "node:fs";
import { PROMISES } from "../conformance/examine.ts";
import { type ActionName, contractOf, contracts } from "../shared/contracts.ts";
import { ERRORS } from "../shared/errors.ts";
import type { Field, Fields, JsonSchema } from "../shared/field.ts";

const ACTIONS = "docs/actions.md";
const PARTNERS = "docs/rails-and-acquirers.md";

const INTRODUCTION = `# Actions

Made from \`shared/contracts\` by \`npm run docs\`. What other internal systems call over the broker
(Moleculer over NATS, namespace \`payrail\`). Every action may also fail with \`VALIDATION\` (400,
naming each wrong parameter), \`INTERNAL\` (500) and \`UNAVAILABLE\` (503); errors are told apart by
\`type\`. A timeout leaves the outcome unknown: ask again with the same id, or read. Unknown
parameters are dropped. Where an answer is too large for one message (a page of long items), it is a
stream of texts that together are its JSON. Amounts named \`…Minor\` are integers in minor units (cents).
`;

/** A JSON Schema in a few words. */
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

function section(name: ActionName): string {
  const { does, params, result, errors, timeoutMs } = contractOf(name);
  const codes = errors.map((type) => `\`${type}\` (${ERRORS[type].status})`).join(", ");
  return [
    `### ${name}`,
    `${does}.`,
    parameterTable(params),
    `Result: ${typeName(result.schema)}.`,
    [codes && `Errors: ${codes}.`, timeoutMs > 0 && `Within ${timeoutMs / 1_000} s.`]
      .filter(Boolean)
      .join(" "),
  ]
    .filter(Boolean)
    .join("\n\n");
}

function actionsPage(): string {
  const names = Object.keys(contracts) as ActionName[];
  const services = [...new Set(names.map((name) => name.split(".")[0] as string))];
  const chapters = services.map((service) => {
    const sections = names.filter((name) => name.startsWith(`${service}.`)).map(section);
    return [`## ${service}`, ...sections].join("\n\n");
  });
  return `${[INTRODUCTION.trimEnd(), ...chapters].join("\n\n")}\n`;
}

/** The page of partners as it is, with the promises of each kind between its two marks. */
function partnersPage(): string {
  return (Object.keys(PROMISES) as (keyof typeof PROMISES)[]).reduce(
    (text, kind) => {
      const [begin, end] = [`<!-- promises: ${kind} -->`, `<!-- end of promises: ${kind} -->`];
      const rows = PROMISES[kind].map(
        ({ name, says, because }) => `| \`${name}\` | ${says} | ${because} |`,
      );
      const table = ["| promise | it | otherwise |", "|---|---|---|", ...rows].join("\n");
      const [before, rest] = text.split(begin);
      const after = rest?.split(end)[1];
      if (after === undefined) throw new Error(`${PARTNERS} has no marks of ${kind} promises`);
      return `${before}${begin}\n${table}\n${end}${after}`;
    },
    readFileSync(PARTNERS, "utf8"),
  );
}

for (const [path, text] of [
  [ACTIONS, actionsPage()],
  [PARTNERS, partnersPage()],
] as const) {
  if (!process.argv.includes("--check")) {
    writeFileSync(path, text);
  } else if (readFileSync(path, "utf8") !== text) {
    process.stderr.write(`${path} is not current: run npm run docs.\n`);
    process.exitCode = 1;
  }
}
