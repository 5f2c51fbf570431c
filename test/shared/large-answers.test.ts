// Answers that are larger than a NATS message. The longest answer of each action, which the test
// makes from the action's contract, arrives whole at another node; pages of real linked accounts
// arrive whole over HTTP.

import { randomBytes, randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import type { ServiceBroker } from "moleculer";
import { systemClock } from "../../shared/clock.ts";
import { loadConfig } from "../../shared/config/env.ts";
import {
  type ActionName,
  contractFor,
  contracts,
  type Params,
} from "../../shared/contracts/contracts.ts";
import type { Field, JsonSchema } from "../../shared/contracts/field.ts";
import { newId } from "../../shared/ids.ts";
import { call, type Handlers, implement } from "../../shared/rpc/actions.ts";
import { createBroker } from "../../shared/rpc/broker.ts";
import { joined } from "../../shared/rpc/middleware/large-answers.ts";
import { newSecret } from "../../shared/security/secrets.ts";
import { testEnvironment } from "../support/system.ts";
import { dataOf, startWorld } from "../support/world.ts";

/** Three bytes as UTF-8, the maximum for one character of a JavaScript string. */
const WIDE = "界";
const MAX_MESSAGE_BYTES = 1_048_576;
const PAGE = 100;

/** Their contracts allow tens of megabytes; their services shorten them to some 700 KB. */
const SHORTENED = [
  "payment-links.invoices",
  "payment-links.timeline",
  "payouts.timeline",
  "webhooks.deliveriesOf",
  "webhooks.events",
];

/**
 * The contracts of exports allow gigabytes, because a contract bounds each text and not their sum.
 * A link or payment has at most the 256 KB of its request, and an export has a hundred of them.
 */
const EXPORTS = ["accounts.exportEntity", "payment-links.exportCustomer", "payment-links.linksOf"];

/** The actions with a list in their answers; pages are lists too. */
const actions = (Object.keys(contracts) as ActionName[]).filter((name) => {
  const fields = Object.values(contractFor(name).result.fields ?? {});
  const isBounded = !SHORTENED.includes(name) && !EXPORTS.includes(name);
  return isBounded && fields.some(({ schema }) => schema.type === "array");
});

/** The value with the longest JSON that a schema allows; handles the kinds of schema in results. */
function longest(schema: JsonSchema): unknown {
  const { type, enum: values, anyOf, items, properties, format, maxLength, maxItems } = schema;
  if (Array.isArray(values)) return values.toSorted(byLength).at(-1);
  if (Array.isArray(anyOf)) return anyOf.map(longest).toSorted(byLength).at(-1);
  if (format === "uuid") return randomUUID();
  if (format === "date-time") return "2030-01-01T00:00:00.000Z";
  if (type === "array") return Array(maxItems).fill(longest(items as JsonSchema));
  if (type === "object") {
    const entries = Object.entries(properties as Record<string, JsonSchema>);
    return Object.fromEntries(entries.map(([name, inner]) => [name, longest(inner)]));
  }
  if (type === "string") return WIDE.repeat((maxLength as number | undefined) ?? 256);
  if (type === "boolean") return false;
  return Number.MAX_SAFE_INTEGER;
}

const byLength = (a: unknown, b: unknown) => JSON.stringify(a).length - JSON.stringify(b).length;

/** Parameters that pass the action's check. */
function paramsOf(params: Record<string, Field>): object {
  const required = Object.entries(params).filter(([, { optional }]) => !optional);
  const value = ({ schema }: Field) => {
    if (Array.isArray(schema.enum)) return schema.enum[0] as unknown;
    if (schema.format === "email") return "ada@example.com";
    const ofType: Record<string, unknown> = { boolean: true, integer: 1, array: [] };
    return ofType[schema.type as string] ?? newId();
  };
  return Object.fromEntries(required.map(([name, field]) => [name, value(field)]));
}

const AS_ACTOR = { meta: { actor: { sub: newId(), role: "merchant" as const } } };

describe("over NATS", () => {
  const answers = new Map(actions.map((name) => [name, longest(contractFor(name).result.schema)]));
  let serving: ServiceBroker;
  let asking: ServiceBroker;
  beforeAll(async () => {
    const environment = { NATS_URL: process.env.TEST_NATS_URL as string };
    const config = loadConfig(testEnvironment(environment));
    const namespace = `test-${randomBytes(6).toString("hex")}`;
    serving = createBroker(config, "serving", namespace);
    const services = [...new Set(actions.map((name) => name.split(".")[0] as "accounts"))];
    for (const service of services) {
      const handlers = actions
        .filter((name) => name.startsWith(`${service}.`))
        .map((name) => [name.slice(service.length + 1), async () => answers.get(name)]);
      const all = implement(
        service,
        systemClock,
        (_context, handle) => handle({ id: newId(), secret: newSecret(), isRepeat: false }),
        Object.fromEntries(handlers) as Handlers<typeof service>,
      );
      serving.createService({ name: service, actions: all });
    }
    asking = createBroker(config, "asking", namespace);
    await Promise.all([serving.start(), asking.start()]);
    await asking.waitForServices(services, 60_000, 20);
  });
  afterAll(async () => {
    await asking?.stop();
    await serving?.stop();
  });

  test.each(actions)("the longest answer of %s arrives whole", async (name) => {
    const params = paramsOf(contractFor(name).params) as Params<typeof name>;
    const answer: unknown = await call(asking, name, params, AS_ACTOR);
    // Compared as text, because a difference of megabytes takes long to show.
    expect(JSON.stringify(answer) === JSON.stringify(answers.get(name))).toBe(true);
    const { items, meta } = answer as { items?: unknown[]; meta?: object };
    if (meta) expect(items).toHaveLength(PAGE);
  });

  test("concurrent answers that are longer than a message arrive whole", async () => {
    const bytes = (answer: unknown) => Buffer.byteLength(JSON.stringify(answer));
    const large = actions.filter((name) => bytes(answers.get(name)) > MAX_MESSAGE_BYTES);
    expect(large).toEqual(expect.arrayContaining(["accounts.linkedAccounts"]));
    // Three, because one process makes, sends and reads all of their megabytes within 5 s.
    const together = large.slice(0, 3);
    const arrived = await Promise.all(
      together.map((name) =>
        call(asking, name, paramsOf(contractFor(name).params) as never, AS_ACTOR),
      ),
    );
    const isWhole = arrived.map(
      (answer, i) =>
        JSON.stringify(answer) === JSON.stringify(answers.get(together[i] as ActionName)),
    );
    expect(isWhole).toEqual(together.map(() => true));
  });
});

test("an answer with missing pieces is UNAVAILABLE after its time", async () => {
  const stalled = new Readable({ objectMode: true, read() {} });
  stalled.push('{"items":');
  await expect(joined(stalled, 20)).rejects.toMatchObject({ type: "UNAVAILABLE" });
  expect(stalled.destroyed).toBe(true);
});

test("a page of a hundred long linked accounts arrives over HTTP, in both views", async () => {
  const world = await startWorld({ overNats: true });
  try {
    const business = await world.business();
    const user = await world.user(business, { externalIdentifier: WIDE.repeat(256) });
    const wallet = await world.wallet(business, user);
    const path = `/v1/business/${business.id}/linked-accounts/USD`;
    const link = (i: number) => world.http.post(path, longAccount(wallet.id, i), business);
    const linked = await Promise.all(Array.from({ length: PAGE + 1 }, (_, i) => link(i)));
    const ids: string[] = linked.map((answer) => dataOf(answer, 201).id);

    for (const [first, bearer] of [
      [path, business],
      ["/v1/ext/linked-accounts/USD", user],
    ] as const) {
      const page = (number: number) =>
        world.http.get(`${first}?limit=${PAGE}&page=${number}`, bearer);
      const whole = await page(1);
      expect([whole.status, whole.body.data?.length]).toEqual([200, PAGE]);
      expect(Buffer.byteLength(whole.text)).toBeGreaterThan(MAX_MESSAGE_BYTES);
      expect(whole.body.meta).toEqual({ page: 1, pageSize: PAGE, pageCount: 2, total: PAGE + 1 });
      const listed: { id: string }[] = [...whole.body.data, ...(await page(2)).body.data];
      expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(ids));
    }
  } finally {
    await world.stop();
  }
});

/** A bank account with texts of the greatest allowed length. */
function longAccount(walletId: string, i: number) {
  const wide = WIDE.repeat(256);
  const data = {
    firstName: wide,
    lastName: wide,
    email: "ada@example.com",
    bankName: wide,
    accountNumber: String(10_000_000 + i),
    routingNumber: "021000021",
    accountType: "CHECKING",
    recipientAddress: wide,
    recipientCity: wide,
    recipientState: wide,
    recipientPostalCode: "10001",
  };
  return { optionType: "bank", walletId, label: wide, nickName: wide, data };
}
