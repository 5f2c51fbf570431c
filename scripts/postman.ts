// A part of npm run docs: writes clients/postman/payrail.postman_collection.json, a collection of
// every request for Postman, Bruno and the like, from the OpenAPI document. With --check it writes
// nothing and fails if the file is not current.
//
// The requests need baseUrl, clientId and clientSecret. The first one gets a token, and keeps it
// and the id of the business for all others.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApi } from "../services/gateway/http/openapi.ts";
import { routes } from "../services/gateway/routes/routes.ts";

interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  description?: string;
  schema: { example?: unknown };
}
interface Operation {
  tags: string[];
  summary: string;
  description?: string;
  security: object[];
  parameters: Parameter[];
  requestBody?: { content: Record<string, { example: Record<string, unknown> }> };
}
interface Document {
  info: { title: string; summary: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
}

const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";
const TOKEN_PATH = "/v1/oauth/token";
const file = join(
  ...[import.meta.dirname, "..", "clients", "postman", "payrail.postman_collection.json"],
);

/** The headers with a value; the collection sends the others only if the user fills them in. */
const HEADERS: Record<string, string> = {
  Prefer: "handling=strict",
  "Idempotency-Key": "{{$guid}}",
};

/** Keeps the token and its subject, which is the business. */
const KEEP_TOKEN = [
  "const { access_token: token } = pm.response.json();",
  'const claims = token.split(".")[1].replace(/-/g, "+").replace(/_/g, "/");',
  'pm.collectionVariables.set("token", token);',
  'pm.collectionVariables.set("businessId", JSON.parse(atob(claims)).sub);',
];

function request(path: string, method: string, operation: Operation): object {
  const { summary, description, security, parameters } = operation;
  const isToken = path === TOKEN_PATH;
  const isPublic = security.length === 0;
  return {
    name: summary,
    request: {
      method: method.toUpperCase(),
      ...(isToken && { auth: { type: "basic", basic: BASIC } }),
      ...(isPublic && { auth: { type: "noauth" } }),
      description,
      header: parameters.filter((each) => each.in === "header").map(header),
      url: url(path, parameters),
      ...bodyOf(operation, isToken),
    },
    ...(isToken && { event: [{ listen: "test", script: { exec: KEEP_TOKEN } }] }),
  };
}

const BASIC = [
  { key: "username", value: "{{clientId}}", type: "string" },
  { key: "password", value: "{{clientSecret}}", type: "string" },
];

function header({ name, description }: Parameter): object {
  const value = HEADERS[name];
  return {
    key: name,
    value: value ?? "",
    description,
    ...(value === undefined && { disabled: true }),
  };
}

function url(path: string, parameters: Parameter[]): object {
  const parts = path.slice(1).replaceAll(/\{(\w+)\}/g, ":$1");
  const ofPath = parameters.filter((each) => each.in === "path");
  const ofQuery = parameters.filter((each) => each.in === "query");
  return {
    raw: `{{baseUrl}}/${parts}`,
    host: ["{{baseUrl}}"],
    path: parts.split("/"),
    variable: ofPath.map(({ name, description, schema }) => ({
      key: name,
      value: name === "businessId" ? "{{businessId}}" : exampleOf(schema),
      description,
    })),
    query: ofQuery.map(({ name, description, schema }) => ({
      key: name,
      value: exampleOf(schema),
      description,
      disabled: true,
    })),
  };
}

function exampleOf({ example }: Parameter["schema"]): string {
  return typeof example === "string" ? example : JSON.stringify(example ?? "").replaceAll('"', "");
}

function bodyOf({ requestBody }: Operation, isToken: boolean): object {
  if (isToken) {
    const urlencoded = [{ key: "grant_type", value: "client_credentials" }];
    return { body: { mode: "urlencoded", urlencoded } };
  }
  const example = requestBody?.content["application/json"]?.example;
  if (!example) return {};
  const raw = JSON.stringify(example, null, 2);
  return { body: { mode: "raw", raw, options: { raw: { language: "json" } } } };
}

function collection({ info, tags, paths }: Document): object {
  const all = Object.entries(paths)
    // The credentials of the collection are an API client's, and operators get tokens in another
    // way.
    .filter(([path]) => !path.startsWith("/v1/admin/"))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
  const folders = tags.map(({ name, description }) => ({
    name,
    description,
    item: all
      .filter(({ operation }) => operation.tags.includes(name))
      .map(({ path, method, operation }) => request(path, method, operation)),
  }));
  return {
    info: { name: info.title, description: info.summary, schema: SCHEMA },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{token}}", type: "string" }] },
    variable: [
      { key: "baseUrl", value: "http://127.0.0.1:3000" },
      ...["clientId", "clientSecret", "token", "businessId"].map((key) => ({ key, value: "" })),
    ],
    item: folders.filter(({ item }) => item.length > 0),
  };
}

const document = openApi(routes({ sandbox: true })) as Document;
const text = `${JSON.stringify(collection(document), null, 2)}\n`;
if (!process.argv.includes("--check")) {
  writeFileSync(file, text);
} else if (readFileSync(file, "utf8") !== text) {
  process.stderr.write(`${file} is not current: run npm run docs.\n`);
  process.exitCode = 1;
}
