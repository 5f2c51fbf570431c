// Scopes: every route that moves money, or changes the destination of money or events, needs one; a
// token with another scope, or without one, is refused there but can read.

import { readFileSync } from "node:fs";
import { ADMIN, PUBLIC, type Route } from "../../services/gateway/http/route.ts";
import { routes } from "../../services/gateway/routes/routes.ts";
import { ALL_SCOPES, SCOPES, type Scope } from "../../shared/contracts/accounts.ts";
import { newId } from "../../shared/ids.ts";
import { startWorld, type TestBusiness, type World } from "../support/world.ts";

/** Routes that change data and need no scope. */
const WITHOUT_SCOPE = [
  // It moves no money, and an end user gets none before an account is linked.
  "POST /v1/business/:businessId/entities",
  // The application token in the path limits the accounts that may be linked, and its creation
  // needs a scope.
  "POST /v1/ext/application-token/:token/linked-accounts/:currency/link/international_bank/:step",
];

const table = routes({ sandbox: true }).filter(({ access }) => access !== PUBLIC);
/** An end user's whole data, and readings by the callers of withdrawals. */
const READ_WITH_SCOPE = [
  "GET /v1/business/:businessId/entities/:entityId/export",
  "GET /v1/ext/withdrawals",
  "GET /v1/ext/withdrawal-limits",
  "GET /v1/ext/withdrawals/:id",
];
const nameOf = ({ method, path }: Route) => `${method} ${path}`;

let world: World;
let business: TestBusiness;
beforeAll(async () => {
  world = await startWorld();
  business = await world.business();
});
afterAll(() => world?.stop());

/** The route's answer to the business's token with these scopes; the path's ids are unknown. */
async function answerTo({ method, path }: Route, scope: string) {
  const filled = path
    .replace(":businessId", business.id)
    .replace(":currency", "USD")
    .replaceAll(/:\w+/g, () => newId());
  const body = method === "GET" || method === "DELETE" ? {} : { body: {} };
  const token = world.tokens.merchant(business.id, { scope });
  const { status, headers } = await world.http.request(method, filled, { token, ...body });
  return { status, challenge: headers["www-authenticate"] };
}

test("every changing route of merchants and users needs a scope, and four reading routes do", () => {
  const others = table.filter(({ access }) => access !== ADMIN);
  const scopeless = others.filter(({ access }) => access?.scope === undefined).map(nameOf);
  const changes = scopeless.filter((name) => !name.startsWith("GET "));
  expect(changes).toEqual(WITHOUT_SCOPE);
  const scoped = others.filter(({ method, access }) => method === "GET" && access?.scope);
  expect(scoped.map(nameOf)).toEqual(READ_WITH_SCOPE);
});

test("withdrawals, links, changes of API clients, exports and erasures need external.apis", () => {
  const needing = table.filter(({ access }) => access?.scope === ALL_SCOPES).map(nameOf);
  expect(needing.toSorted()).toEqual([
    ...READ_WITH_SCOPE.toSorted(),
    "PATCH /v1/business/:businessId/api-clients/:clientId",
    "POST /v1/business/:businessId/api-clients",
    "POST /v1/business/:businessId/api-clients/:clientId/rotate-secret",
    "POST /v1/business/:businessId/customers/erase",
    "POST /v1/business/:businessId/customers/export",
    "POST /v1/business/:businessId/entities/:entityId/erase",
    "POST /v1/ext/collections/payment-link",
    "POST /v1/ext/linked-accounts/:currency/:linkedAccountId/withdrawal",
  ]);
});

const guarded = table.filter(({ access }) => access?.scope !== undefined);

test.each(guarded.map((route) => [nameOf(route), route] as const))(
  "%s accepts its scope and external.apis only",
  async (_name, route) => {
    const own = route.access?.scope as Scope;
    const others = SCOPES.filter((scope) => scope !== own && scope !== ALL_SCOPES);
    for (const scope of ["", others.join(" "), `${own}s`, own.toUpperCase()]) {
      expect([scope, await answerTo(route, scope)]).toEqual([
        scope,
        { status: 401, challenge: `Bearer error="insufficient_scope", scope="${own}"` },
      ]);
    }
    for (const scope of [own, ALL_SCOPES, `webhooks ${own}`]) {
      const { status } = await answerTo(route, scope);
      expect([scope, status === 401]).toEqual([scope, false]);
    }
  },
);

test("a token without a scope can read everything else", async () => {
  const reads = table.filter(
    ({ method, access }) =>
      method === "GET" && access?.roles.includes("merchant") && access.scope === undefined,
  );
  expect(reads.length).toBeGreaterThan(20);
  for (const route of reads) {
    const { status } = await answerTo(route, "");
    expect([nameOf(route), status === 401]).toEqual([nameOf(route), false]);
  }
});

test("the document names the scopes of each operation", async () => {
  const { body } = await world.http.get("/openapi.json");
  const refund = body.paths["/v1/business/{businessId}/payments/{id}/refunds"].post;
  expect(refund.security).toEqual([
    { bearer: [] },
    { clientCredentials: ["refunds"] },
    { clientCredentials: ["external.apis"] },
  ]);
  expect(refund.description).toContain("with the scope `refunds` or `external.apis`");
  const withdrawal =
    body.paths["/v1/ext/linked-accounts/{currency}/{linkedAccountId}/withdrawal"].post;
  expect(withdrawal.security).toEqual([{ bearer: [] }, { clientCredentials: ["external.apis"] }]);
});

test("docs/integrate/authentication.md lists every scope with its routes", () => {
  const page = readFileSync("docs/integrate/authentication.md", "utf8");
  const short = (name: string) => name.replace("/v1/business/:businessId/", "…/");
  for (const scope of SCOPES) {
    const own = guarded.filter(({ access }) => access?.scope === scope).map(nameOf);
    const row = page.split("\n").find((line) => line.startsWith(`| \`${scope}\` |`)) ?? "";
    const listed = [...row.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) [^`]+)`/g)].map(
      ([, name]) => name,
    );
    expect([scope, new Set(listed)]).toEqual([scope, new Set(own.map(short))]);
  }
});
