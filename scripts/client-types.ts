// npm run client-types: writes clients/typescript/src/document.ts, the types of the client for
// TypeScript, from the OpenAPI document. With --check it writes nothing and fails if the file is not
// current.

import { readFileSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { openApi } from "../services/gateway/http/openapi.ts";
import { routes } from "../services/gateway/routes/routes.ts";

// openapi-typescript calls the API of TypeScript 5, which TypeScript 7 does not have.
registerHooks({
  resolve: (name, context, next) => next(name === "typescript" ? "typescript-5" : name, context),
});
const { default: openapiTypescript, astToString } = await import("openapi-typescript");

const HEADER = "// npm run client-types makes this file from the OpenAPI document.\n\n";
const path = join(import.meta.dirname, "..", "clients", "typescript", "src", "document.ts");

type Operation = { responses: Record<string, { description: string; content: object }> };
type Document = { paths: Record<string, Record<string, Operation>> };

/**
 * The part of the document that the client uses: no operators' endpoints, and only the answers of
 * successes, because the client has one class for all errors.
 */
function clientPart(document: Document): Document {
  const paths = Object.entries(document.paths)
    .filter(([name]) => !/^\/(v1\/admin|health)\//.test(name))
    .map(([name, methods]) => [name, onlySuccesses(methods)]);
  return { ...document, paths: Object.fromEntries(paths) };
}

function onlySuccesses(methods: Record<string, Operation>): Record<string, Operation> {
  const entries = Object.entries(methods).map(([method, operation]) => {
    const successes = Object.entries(operation.responses)
      .filter(([status]) => status.startsWith("2"))
      .map(([status, { description, content }]) => [status, { description, content }]);
    return [method, { ...operation, responses: Object.fromEntries(successes) }];
  });
  return Object.fromEntries(entries);
}

const document = openApi(routes({ sandbox: true })) as Document;
const nodes = await openapiTypescript(JSON.stringify(clientPart(document)));
const text = HEADER + astToString(nodes);
if (!process.argv.includes("--check")) {
  writeFileSync(path, text);
} else if (readFileSync(path, "utf8") !== text) {
  process.stderr.write(`${path} is not current: run npm run client-types.\n`);
  process.exitCode = 1;
}
