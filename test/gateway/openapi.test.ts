// The OpenAPI document: valid, complete, and in step with the gateway. The test client itself
// checks every answer against the document, in all tests.

import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { PUBLIC } from "../../services/gateway/http/route.ts";
import { routes } from "../../services/gateway/routes/routes.ts";
import { schemaChecks } from "../support/openapi.ts";
import { startWorld, type World } from "../support/world.ts";

const VALIDATOR = "node_modules/@seriousme/openapi-schema-validator/bin/validate-api-cli.js";

interface Media {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security: object[];
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: Body;
  responses: Record<string, Body>;
}
interface Body {
  content: Record<string, Media>;
}

let world: World;
let document: { openapi: string; paths: Record<string, Record<string, Operation>> };

beforeAll(async () => {
  world = await startWorld();
  document = (await world.http.get("/openapi.json")).body;
});
afterAll(() => world?.stop());

/** All operations, each with the keys that lead to it. */
function operations(): { endpoint: string; place: string[]; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      endpoint: `${method.toUpperCase()} ${path}`,
      place: ["paths", path, method],
      operation,
    })),
  );
}

test("the document is valid OpenAPI 3.1", async () => {
  expect(document.openapi).toBe("3.1.0");
  const directory = await mkdtemp(join(tmpdir(), "payrail-openapi-"));
  const file = join(directory, "openapi.json");
  await writeFile(file, JSON.stringify(document));
  // Runs the program, because its module does not load in jest. It fails for an invalid document.
  const { stdout } = await promisify(execFile)(process.execPath, [VALIDATOR, file]);
  expect(JSON.parse(stdout)).toEqual({ valid: true });
  await rm(directory, { recursive: true });
});

test("the document has every route, and each operation has a unique name, a summary and a heading", () => {
  const table = routes({ sandbox: true }).map(
    ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`,
  );
  expect(
    operations()
      .map(({ endpoint }) => endpoint)
      .toSorted(),
  ).toEqual(table.toSorted());
  const all = operations().map(({ operation }) => operation);
  expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
  for (const { summary, tags } of all) {
    expect(summary).not.toBe("");
    expect(tags).toEqual([expect.stringMatching(/./)]);
  }
});

test("each path parameter is in the path, and none is in the path and in the body", () => {
  for (const { endpoint, operation } of operations()) {
    const inPath = operation.parameters.filter((p) => p.in === "path").map(({ name }) => name);
    const named = [...endpoint.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
    expect([endpoint, inPath.toSorted()]).toEqual([endpoint, named.toSorted()]);
    const body = operation.requestBody?.content["application/json"]?.schema ?? {};
    const inBody = Object.keys((body as { properties?: object }).properties ?? {});
    expect(inBody.filter((name) => inPath.includes(name))).toEqual([]);
  }
});

test("no example says whether to erase what others may have paid", () => {
  const examples = operations().flatMap(({ operation }) =>
    Object.values(operation.requestBody?.content ?? {}).map(({ example }) => example ?? {}),
  );
  expect(examples.filter((example) => "sharedEmail" in Object(example))).toEqual([]);
});

test("each example matches the schema beside it", () => {
  const checkAt = schemaChecks(document);
  let checked = 0;
  for (const { place, operation } of operations()) {
    const bodies: [string[], Body | undefined][] = [
      [["requestBody"], operation.requestBody],
      ...Object.entries(operation.responses).map(([status, response]): [string[], Body] => [
        ["responses", status],
        response,
      ]),
    ];
    for (const [keys, body] of bodies) {
      for (const [type, { example, examples }] of Object.entries(body?.content ?? {})) {
        const check = checkAt(...place, ...keys, "content", type, "schema");
        const values = Object.values(examples ?? {}).map(({ value }) => value);
        for (const value of [...values, ...(example === undefined ? [] : [example])]) {
          check(value);
          expect([place, keys, value, check.errors]).toEqual([place, keys, value, null]);
          checked += 1;
        }
      }
    }
  }
  expect(checked).toBeGreaterThan(100);
});

test("each operation documents its token and scope, and the gateway requires them", async () => {
  const open = routes({ sandbox: true }).filter(({ access }) => access === PUBLIC);
  expect(open.map(({ path }) => path)).toEqual([
    "/v1/oauth/token",
    "/.well-known/ledger-keys.json",
    // A link's token in the path is the secret.
    "/v1/checkout/:token",
    "/v1/checkout/:token/payments",
    "/v1/checkout/:token/payments/:id",
    "/v1/checkout/:token/payments/:id/continue",
    "/v1/checkout/:token/attempts/:key",
    "/v1/checkout/:token/setup",
    "/v1/sandbox/card-tokens",
    "/v1/acquirers/:acquirer/notifications",
    "/health/live",
    "/health/ready",
  ]);
  for (const { endpoint, operation } of operations()) {
    const [method = "", path = ""] = endpoint.split(" ");
    const filled = path.replaceAll(/\{\w+\}/g, () => randomUUID());
    const needsToken = operation.security.some((each) => Object.hasOwn(each, "bearer"));
    if (!needsToken) continue;
    const { status } = await world.http.request(method, filled);
    expect([endpoint, status]).toEqual([endpoint, 401]);
    expect(operation.responses).toHaveProperty("401");
  }
});

test("sandbox operations are absent outside the sandbox, in the document and in the gateway", async () => {
  const paths = routes({ sandbox: false }).map(({ path }) => path);
  expect(paths.filter((path) => /\/fund$|\/sandbox\/|\/test-clock$/.test(path))).toEqual([]);
  const outside = await startWorld({ environment: { SANDBOX: "false" } });
  const answer = await outside.http.post(
    `/v1/business/${randomUUID()}/wallets/${randomUUID()}/fund`,
    {},
  );
  expect([answer.status, answer.body.message]).toEqual([404, "Not found"]);
  const vault = await outside.http.post("/v1/sandbox/card-tokens", {});
  expect([vault.status, vault.body.message]).toEqual([404, "Not found"]);
  const clock = await outside.http.post(`/v1/business/${randomUUID()}/test-clock`, {});
  expect([clock.status, clock.body.message]).toEqual([404, "Not found"]);
  // Internal systems fund wallets outside the sandbox.
  const business = await outside.business();
  const wallet = await outside.wallet(business, business);
  const fund = { businessId: business.id, walletId: wallet.id, amount: 12.5, reference: "wire" };
  const funded = await outside.call("wallet-ledger.fund", fund);
  expect(funded).toMatchObject({ flow: "FUNDING", status: "SUCCESS", amount: "12.50" });
  expect(await outside.balance(business, wallet)).toBe("12.50");
  await outside.verifyBooks();
  await outside.stop();
});
