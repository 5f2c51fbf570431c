// A part of npm run docs: writes clients/typescript/src/generated/document.ts, the types of the
// client for TypeScript, from the OpenAPI document: each named schema, every endpoint, the events,
// and the codes of errors. With --check it writes nothing and fails if the file is not current.
//
// json-schema-to-typescript writes the types, because the generators for whole OpenAPI documents
// call the API of TypeScript 5, which TypeScript 7 does not have.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile, type JSONSchema } from "json-schema-to-typescript";
import { openApi } from "../../services/gateway/http/openapi.ts";
import { routes } from "../../services/gateway/routes/routes.ts";

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: JSONSchema;
}
interface Media {
  content: Record<string, { schema: JSONSchema; examples?: Record<string, { value: unknown }> }>;
}
interface Operation {
  summary: string;
  parameters: Parameter[];
  requestBody?: Media;
  responses: Record<string, Media>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: { requestBody: Media } }>;
  components: { schemas?: Record<string, JSONSchema> };
}

const HEADER = "// npm run docs makes this file from the OpenAPI document.\n";
/** The keywords without an effect on types. */
const ANNOTATIONS = ["description", "example", "examples"];
const JSON_TYPE = "application/json";
const file = join(
  import.meta.dirname,
  "..",
  "..",
  "clients",
  "typescript",
  "src",
  "generated",
  "document.ts",
);

/**
 * The schema of an endpoint: its `input`, the fields of path, query and body side by side, and its
 * `answer`. A merchant's client knows its business; an operator names one.
 */
function endpoint(
  path: string,
  { summary, parameters, requestBody, responses }: Operation,
): JSONSchema {
  const isOperators = path.startsWith("/v1/admin/");
  const given = parameters.filter(
    ({ in: place, name }) => place !== "header" && (isOperators || name !== "businessId"),
  );
  const own: JSONSchema = {
    type: "object",
    properties: Object.fromEntries(
      given.map(({ name, schema, description }) => [name, { ...schema, description }]),
    ),
    required: given.filter(({ required }) => required).map(({ name }) => name),
  };
  const body = requestBody?.content[JSON_TYPE]?.schema;
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"));
  return {
    type: "object",
    description: summary,
    properties: {
      input: body ? { allOf: given.length > 0 ? [own, body] : [body] } : own,
      answer: success?.[1].content[JSON_TYPE]?.schema ?? {},
    },
    required: ["input", "answer"],
  };
}

/**
 * The same schemas in the forms that json-schema-to-typescript makes the right types of.
 * @param isMap whether the value is a map of schemas by name
 */
function adapted(value: unknown, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((each) => adapted(each));
  if (typeof value !== "object" || value === null) return value;
  // Beside a description it would become a type of its own, with a number in its name.
  if ("$ref" in value) return { $ref: value.$ref };
  const entries = Object.entries(value).map(([key, each]) => [
    key,
    adapted(each, !isMap && (key === "properties" || key === "definitions")),
  ]);
  const schema = Object.fromEntries(entries) as JSONSchema;
  if (isMap) return schema;
  // Without a type it would become an object.
  if (Object.keys(schema).every((key) => ANNOTATIONS.includes(key))) schema.tsType = "unknown";
  // The type of all properties has to allow that of the optional ones beside it.
  const { properties, additionalProperties } = schema;
  if (properties && typeof additionalProperties === "object") {
    additionalProperties.tsType = `${String(additionalProperties.type)} | undefined`;
  }
  return schema;
}

/** The endpoints of merchants, of their users and of operators. */
function endpoints({ paths }: Document): Record<string, JSONSchema> {
  const all = Object.entries(paths).filter(([path]) => /^\/v1\/(?!oauth\/)/.test(path));
  const named = all.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [
      `${method.toUpperCase()} ${path}`,
      endpoint(path, operation),
    ]),
  );
  return Object.fromEntries(named);
}

/** The schema of an object with all these properties. */
function objectOf(properties: object): object {
  return { type: "object", properties, required: Object.keys(properties) };
}

/** The codes in the examples of errors. */
function errorCodes({ paths }: Document): string[] {
  const examples = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.values(responses))
    .flatMap(({ content }) => Object.values(content[JSON_TYPE]?.examples ?? {}));
  const codes = examples.flatMap(({ value }) => (value as { code?: string }).code ?? []);
  return [...new Set(codes)].toSorted();
}

/** The bodies of all events. */
function eventBody({ webhooks }: Document): JSONSchema {
  const events = Object.values(webhooks);
  return { anyOf: events.map(({ post }) => post.requestBody.content[JSON_TYPE]?.schema ?? {}) };
}

const document = openApi(routes({ sandbox: true })) as Document;
const parts = {
  endpoints: objectOf(endpoints(document)),
  errorCode: { type: "string", enum: errorCodes(document) },
  event: eventBody(document),
};
const whole = { ...objectOf(parts), definitions: document.components.schemas };
const json = JSON.stringify(adapted(whole));
const schema = JSON.parse(json.replaceAll("#/components/schemas/", "#/definitions/")) as JSONSchema;
const generated = await compile(schema, "Document", {
  additionalProperties: false,
  bannerComment: HEADER,
  ignoreMinAndMaxItems: true,
});
// Of each type it says only that the whole schema refers to it.
const text = generated
  .replaceAll(/( \*\n)? \* This interface was referenced by .*\n \* via .*\n/g, "")
  .replaceAll("/**\n */\n", "");
if (!process.argv.includes("--check")) {
  writeFileSync(file, text);
} else if (readFileSync(file, "utf8") !== text) {
  process.stderr.write(`${file} is not current: run npm run docs.\n`);
  process.exitCode = 1;
}
