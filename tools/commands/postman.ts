// A part of npm run docs: writes clients/postman/generated/payrail.postman_collection.json, a
// collection for Postman, Bruno and the like, from the OpenAPI document and the walk
// (tools/commands/postman/walk.ts). With --check it writes nothing and fails if the file is not
// current.
//
// The requests need baseUrl, clientId and clientSecret. Each one tests its answer, and keeps what
// later ones need in variables.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApi } from "../../services/gateway/http/openapi.ts";
import { routes } from "../../services/gateway/routes/routes.ts";
import { type Chapter, type Step, WALK } from "./postman/walk.ts";

interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: { example?: unknown };
}
interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  security: object[];
  parameters: Parameter[];
  requestBody?: { content: Record<string, { example: Record<string, unknown> }> };
  responses: Record<string, unknown>;
}
interface Document {
  info: { title: string; summary: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
}
interface Call extends Operation {
  path: string;
  method: string;
}

const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";
const FORM_TYPE = "application/x-www-form-urlencoded";
const file = join(
  ...[
    import.meta.dirname,
    "..",
    "..",
    "clients",
    "postman",
    "generated",
    "payrail.postman_collection.json",
  ],
);

/** The headers with a value; the collection sends the others only if the user fills them in. */
const HEADERS: Record<string, string> = {
  Prefer: "handling=strict",
  "Idempotency-Key": "{{$guid}}",
};

/** The values of parts of paths that are no ids. */
const CONSTANTS: Record<string, string> = { currency: "USD", step: "1" };
/** The variables of parts of paths by the part before; others have the name of their parameter. */
const VARIABLES: Record<string, string> = {
  "api-clients": "apiClientId",
  "application-token": "applicationToken",
  attempts: "attemptKey",
  checkout: "linkToken",
  "collection-accounts": "collectionAccountId",
  deliveries: "deliveryId",
  "payment-links": "paymentLinkId",
  payments: "paymentId",
  subscriptions: "subscriptionId",
  transactions: "withdrawalId",
  webhooks: "webhookId",
  withdrawals: "withdrawalId",
};

function request(call: Call, step: Step): object {
  const { operationId, summary, description, security, parameters, method } = call;
  const isPublic = security.length === 0;
  const isToken = operationId === "createToken";
  return {
    name: step.name ?? summary,
    event: [
      ...(step.before ? [script("prerequest", setting(step.before))] : []),
      script("test", [...testing(call, step), ...keeping(step)]),
    ],
    request: {
      method: method.toUpperCase(),
      ...(isToken && { auth: { type: "basic", basic: BASIC } }),
      ...(isPublic && { auth: { type: "noauth" } }),
      ...(step.asUser && { auth: bearer("{{userToken}}") }),
      description,
      header: parameters.filter((each) => each.in === "header").map((each) => header(each, step)),
      url: url(call, step),
      ...bodyOf(call, step),
    },
  };
}

function bearer(value: string): object {
  return { type: "bearer", bearer: [{ key: "token", value, type: "string" }] };
}

const BASIC = [
  { key: "username", value: "{{clientId}}", type: "string" },
  { key: "password", value: "{{clientSecret}}", type: "string" },
];

function script(listen: "prerequest" | "test", exec: string[]): object {
  return { listen, script: { type: "text/javascript", exec } };
}

function setting(variables: Record<string, string>): string[] {
  return Object.entries(variables).map(
    ([name, value]) => `pm.collectionVariables.set(${JSON.stringify(name)}, ${value});`,
  );
}

function testing({ responses }: Call, { orElse = [] }: Step): string[] {
  const right = [...Object.keys(responses).filter((each) => each.startsWith("2")), ...orElse];
  return [
    `pm.test("answers ${right.join(" or ")}", () => {`,
    `  pm.expect(pm.response.code).to.be.oneOf([${right.join(", ")}]);`,
    "});",
  ];
}

function keeping({ keep }: Step): string[] {
  return keep ? ["const answer = pm.response.json();", ...setting(keep)] : [];
}

function header({ name, description }: Parameter, { idempotencyKey }: Step): object {
  const value = (name === "Idempotency-Key" && idempotencyKey) || HEADERS[name];
  return {
    key: name,
    value: value ?? "",
    description,
    ...(value === undefined && { disabled: true }),
  };
}

function url({ path, parameters }: Call, step: Step): object {
  const parts = path.slice(1).replaceAll(/\{(\w+)\}/g, ":$1");
  const ofPath = parameters.filter((each) => each.in === "path");
  const ofQuery = parameters.filter((each) => each.in === "query");
  return {
    raw: `{{baseUrl}}/${parts}`,
    host: ["{{baseUrl}}"],
    path: parts.split("/"),
    variable: ofPath.map(({ name, description }) => ({
      key: name,
      value: CONSTANTS[name] ?? `{{${step.path?.[name] ?? variableOf(path, name)}}}`,
      description,
    })),
    query: ofQuery.map(({ name, description, required, schema }) => ({
      key: name,
      value: exampleOf(schema),
      description,
      ...(!required && { disabled: true }),
    })),
  };
}

function variableOf(path: string, name: string): string {
  const parts = path.split("/");
  return VARIABLES[parts[parts.indexOf(`{${name}}`) - 1] ?? ""] ?? name;
}

function exampleOf({ example }: Parameter["schema"]): string {
  return typeof example === "string" ? example : JSON.stringify(example ?? "").replaceAll('"', "");
}

function bodyOf({ requestBody }: Call, step: Step): object {
  const { content = {} } = requestBody ?? {};
  const example = step.body ?? content["application/json"]?.example;
  if (!example) return {};
  if (content[FORM_TYPE]) {
    const urlencoded = Object.entries(example).map(([key, value]) => ({ key, value }));
    return { body: { mode: "urlencoded", urlencoded } };
  }
  const raw = JSON.stringify(example, null, 2);
  return { body: { mode: "raw", raw, options: { raw: { language: "json" } } } };
}

function collection({ info, tags, paths }: Document): object {
  const calls = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Call] => [
        operation.operationId,
        { path, method, ...operation },
      ]),
    ),
  );
  const folder = ({ name, description, steps }: Chapter) => ({
    name,
    description: description ?? tags.find((tag) => tag.name === name)?.description,
    item: steps.map((step) => request(calls.get(step.call) as Call, step)),
  });
  const steps = WALK.flatMap((chapter) => chapter.steps);
  const kept = steps.flatMap(({ before, keep }) => Object.keys({ ...before, ...keep }));
  return {
    info: { name: info.title, description: info.summary, schema: SCHEMA },
    auth: bearer("{{token}}"),
    variable: [
      { key: "baseUrl", value: "http://127.0.0.1:3000" },
      ...[...new Set(["clientId", "clientSecret", ...kept])].map((key) => ({ key, value: "" })),
    ],
    item: WALK.map(folder),
  };
}

const document = openApi(routes({ sandbox: true })) as unknown as Document;
const text = `${JSON.stringify(collection(document), null, 2)}\n`;
if (!process.argv.includes("--check")) {
  writeFileSync(file, text);
} else if (readFileSync(file, "utf8") !== text) {
  process.stderr.write(`${file} is not current: run npm run docs.\n`);
  process.exitCode = 1;
}
