// No caller reads or pays from another party's things: every endpoint of the table of routes with
// every kind of token. The answer to a foreign id equals the answer to an unknown id, except for
// the request id. New routes are included with their samples. (hostile.test.ts has forged tokens,
// and foreign ids in paths and bodies beside a valid token.)

import { randomUUID } from "node:crypto";
import jwt from "jsonwebtoken";
import type { Route } from "../../services/gateway/http/route.ts";
import { routes } from "../../services/gateway/routes/routes.ts";
import type { Answer } from "../support/http.ts";
import { withoutId } from "../support/refusal.ts";
import { sendSample } from "../support/sampled-routes.ts";
import { makeThings, type Sample, samplesOf, type Things } from "../support/samples.ts";
import { allStored, type Stored, settledStored } from "../support/stored.ts";
import { privatePem } from "../support/system.ts";
import { dataOf, startWorld, type TestUser, type World } from "../support/world.ts";

const GUARDED = routes({ sandbox: true }).filter(({ access }) => access !== null);
/** The path parameters other than ids and tokens. */
const NO_IDS = ["currency", "step"];

let world: World;
let mine: Things;
let theirs: Things;
let sibling: TestUser;
let samples: Record<string, Sample>;
/** A token takes longer to sign and to verify than the rest of a refused request. */
let tokens: Map<Caller, string>;
let before: Stored;

beforeAll(async () => {
  world = await startWorld();
  mine = await makeThings(world);
  theirs = await makeThings(world);
  sibling = await world.user(mine.business);
  await world.user(theirs.business, { externalIdentifier: THEIR_EXTERNAL_ID });
  samples = samplesOf(world, mine);
  tokens = new Map(CALLERS.map((caller) => [caller, caller.token()]));
  before = await settledStored(world);
});
afterAll(async () => {
  await world?.verifyBooks();
  await world?.stop();
});

const THEIR_EXTERNAL_ID = "their-customer-1";

/** A caller; its token is made after the world has started. */
interface Caller {
  name: string;
  role: "user" | "merchant" | "admin" | null;
  token: () => string;
  /** A scope in place of the usual one. */
  scope?: string;
}

/** The signed subject identifies the caller: with the user's id it is the user, in any role. */
const AS_THE_USER = "a merchant by the user's id";

const unknownId = randomUUID();
const CALLERS: Caller[] = [
  { name: "without a token", role: null, token: () => "" },
  { name: "with a malformed token", role: null, token: () => "a.b.c" },
  { name: "with its user's token, expired", role: null, token: () => expired(mine.user.token) },
  { name: "with its merchant's token, expired", role: null, token: () => expired(merchant()) },
  { name: "the user", role: "user", token: () => mine.user.token },
  { name: "the user without a scope", role: "user", token: () => ofUser(mine.user.id), scope: "" },
  { name: "another user of the business", role: "user", token: () => sibling.token },
  { name: "a user of another business", role: "user", token: () => theirs.user.token },
  { name: "an unknown user", role: "user", token: () => world.tokens.user(unknownId) },
  { name: "a user by the business's id", role: "user", token: () => ofBusiness("user") },
  { name: "the merchant", role: "merchant", token: () => merchant() },
  { name: "the merchant without a scope", role: "merchant", token: () => noScope(), scope: "" },
  { name: "another merchant", role: "merchant", token: () => theirs.business.token },
  { name: "an unknown merchant", role: "merchant", token: () => world.tokens.merchant(unknownId) },
  { name: AS_THE_USER, role: "merchant", token: () => ofMerchant(mine.user.id) },
  { name: "an admin", role: "admin", token: () => world.tokens.admin(unknownId) },
  { name: "an admin by the business's id", role: "admin", token: () => ofBusiness("admin") },
];

const merchant = () => mine.business.token;
const noScope = () => world.tokens.merchant(mine.business.id, { scope: "" });
const ofUser = (id: string) => world.tokens.user(id, { scope: "" });
const ofMerchant = (id: string) => world.tokens.merchant(id);
const ofBusiness = (role: "user" | "admin") => world.tokens[role](mine.business.id);

function expired(token: string): string {
  const claims = jwt.decode(token) as jwt.JwtPayload;
  const key = privatePem(world.config);
  const past = {
    ...claims,
    iat: (claims.iat as number) - 7_200,
    exp: (claims.exp as number) - 7_200,
  };
  return jwt.sign(past, key, { algorithm: "ES256" });
}

/** The callers other than the sample's own that may see or do the thing. */
const ALSO: Record<string, string[]> = {
  // The merchant is told by which call it pays the account (merchant-payouts.test.ts).
  createWithdrawal: ["the merchant", AS_THE_USER],
  // Also by the merchant of the user who withdrew.
  getWithdrawal: ["the merchant", AS_THE_USER],
  listWithdrawals: [AS_THE_USER],
  listOwnWallets: [AS_THE_USER],
  // A merchant sees its end users' accounts, and links accounts for the owner of its token.
  listExternalLinkedAccounts: ["the merchant", "the merchant without a scope"],
  linkInternationalAccount: ["the merchant", "the merchant without a scope", AS_THE_USER],
  // Every accepted caller creates links of its own business (payment-links.test.ts).
  createPaymentLink: CALLERS.map(({ name }) => name),
};

const send = (route: Route, path: Record<string, string>, token: string, query = "") =>
  sendSample(world, route, samples[route.name] as Sample, { path, token, query });

/** All parts of an answer that could show a difference to its caller. */
function seen({ status, headers, body }: Answer): unknown {
  const { date: _d, "x-request-id": _r, ...rest } = headers;
  return { status, body: withoutId(body), headers: rest };
}

/** The same path with unknown ids. */
function absent(path: Record<string, string>): Record<string, string> {
  const entries = Object.entries(path);
  return Object.fromEntries(
    entries.map(([param, value]) => [param, NO_IDS.includes(param) ? value : randomUUID()]),
  );
}

/** Whether the caller is allowed: its role and scope are accepted, and the thing is its own. */
function may(route: Route, { name, role, scope }: Caller): boolean {
  const { roles = [], scope: needed } = route.access ?? {};
  if (role === null || !roles.includes(role) || (needed && scope === "")) return false;
  if (role === "admin" || ALSO[route.name]?.includes(name)) return true;
  const isUsers = roles.includes("user");
  return name.startsWith(isUsers ? "the user" : "the merchant");
}

/** Ids and texts that only a permitted caller has. */
const secretsOfMine = () => [
  ...[mine.bank.id, mine.spare.id, mine.wallet.id, mine.payoutId, mine.webhookId, mine.clientId],
  ...[mine.deliveryId, mine.subscriptionId, mine.meteredId, mine.invoiceId],
  mine.user.email,
];

const cells = GUARDED.flatMap((route) =>
  CALLERS.filter((caller) => !may(route, caller)).map((caller): [string, string, Route, Caller] => [
    route.name,
    caller.name,
    route,
    caller,
  ]),
);

test("the table has every endpoint that is not public, and every kind of token", () => {
  const routesSeen = new Set(cells.map(([name]) => name));
  expect([...routesSeen].toSorted()).toEqual(GUARDED.map(({ name }) => name).toSorted());
  expect(Object.keys(samples)).toEqual(expect.arrayContaining([...routesSeen]));
  expect(new Set(cells.map(([, caller]) => caller)).size).toBe(CALLERS.length);
});

test.each(cells)("%s, %s: answered like an unknown thing", async (_, _caller, route, caller) => {
  const { path } = samples[route.name] as Sample;
  const token = tokens.get(caller) as string;
  const [there, nothing] = [await send(route, path, token), await send(route, absent(path), token)];
  expect(seen(there)).toEqual(seen(nothing));
  expect(secretsOfMine().filter((secret) => there.text.includes(secret))).toEqual([]);
  const { roles = [], scope } = route.access ?? {};
  const isLetIn = caller.role !== null && roles.includes(caller.role);
  if (!isLetIn || (scope && caller.scope === "")) expect(there.status).toBe(401);
  else if (route.inPath.some((param) => !NO_IDS.includes(param))) {
    expect([400, 404]).toContain(there.status);
  } else expect(there.status).toBe(200);
});

const narrowed = GUARDED.flatMap((route) =>
  ["entityId", "externalId"]
    .filter((param) => route.inQuery.includes(param))
    .map((param): [string, string, Route] => [route.name, param, route]),
);

test.each(narrowed)(
  "%s by another party's %s is answered like an unknown one",
  async (_, param, route) => {
    const { path, token } = samples[route.name] as Sample;
    const other = param === "entityId" ? theirs.user.id : THEIR_EXTERNAL_ID;
    const asked = await send(route, path, token, `${param}=${other}`);
    const unknown = await send(route, path, token, `${param}=${randomUUID()}`);
    expect(seen(asked)).toEqual(seen(unknown));
    expect(asked).toMatchObject({ status: 200, body: { data: [] } });
  },
);

test("an application token pays only for its own entity", async () => {
  const { user, business } = theirs;
  const path = `/v1/business/${business.id}/application-tokens`;
  const fields = { tokenType: "PAYOUT", entityId: user.id, currency: "USD" };
  const made = await world.http.post(path, fields, { token: business.token });
  const pay = (token: string) =>
    world.withdraw(mine.user, mine.bank, {}, { "x-application-token": token });
  const foreign = await pay(dataOf(made, 201).token);
  expect(foreign.status).toBe(400);
  expect(seen(foreign)).toEqual(seen(await pay(randomUUID())));
  expect(await world.balance(mine.business, mine.wallet)).toBe(balanceBefore());
});

/** My wallet's balance after its funding, a withdrawal, a transfer and an adjustment. */
const balanceBefore = () => "972.75";

test("no refused request changed any data, except for recorded declines", async () => {
  const withoutDeclines = ({
    payouts: _p,
    application_tokens: _t,
    payout_limit_counters: _c,
    ...rest
  }: Stored) => rest;
  const after = await allStored(world);
  expect(withoutDeclines(after)).toEqual(withoutDeclines(before));
  // What was declined is given back to its limits.
  for (const counter of after.payout_limit_counters ?? []) {
    expect(counter).toMatchObject({ count: 0, usedMinor: 0 });
  }
});
