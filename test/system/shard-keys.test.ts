// The shard keys of docs/operate/scaling.md. Without a mongos this proves what a mongos decides by:
// every unique index of a sharded collection begins with its key, and every command of a whole life
// of payouts, payments, subscriptions and webhooks names the key, so that it reaches one shard.

import mongoose, { type Schema } from "mongoose";
import { SCHEMAS } from "../../tools/migrate/schemas.ts";
import { live } from "../support/lived.ts";
import { startWorld, type World } from "../support/world.ts";

/** The collections that can be sharded as they are, and the fields of their keys. */
const KEYS: Record<string, string> = {
  ledger_blocks: "p",
  usage_log: "subscriptionId",
  webhook_events: "_id",
  payment_links: "tokenHash",
  account_idempotency_keys: "_id",
  ledger_idempotency_keys: "_id",
  payout_idempotency_keys: "_id",
  link_idempotency_keys: "_id",
  webhook_idempotency_keys: "_id",
};

type Filter = Record<string, unknown>;

/** An entry of MongoDB's profiler. */
interface Profiled {
  ns: string;
  op: string;
  command?: { q?: Filter; filter?: Filter; query?: Filter; pipeline?: { $match?: Filter }[] };
}

const collectionOf = ({ ns }: Profiled) => ns.slice(ns.indexOf(".") + 1);
const filterOf = ({ command }: Profiled): Filter =>
  command?.q ?? command?.filter ?? command?.query ?? command?.pipeline?.[0]?.$match ?? {};

/** Whether a filter fixes the field to a value or to one of several. */
function fixes(filter: Filter, field: string): boolean {
  const { [field]: value, $or: either, $and: all } = filter;
  if (Array.isArray(either) && either.every((each: Filter) => fixes(each, field))) return true;
  if (Array.isArray(all) && all.some((each: Filter) => fixes(each, field))) return true;
  if (value === null || value === undefined) return false;
  const operators = Object.keys(value).filter((name) => name.startsWith("$"));
  return operators.every((name) => name === "$eq" || name === "$in");
}

const schemas = Object.assign({}, ...Object.values(SCHEMAS)) as Record<string, Schema>;

test.each(Object.entries(KEYS))("the unique indexes of %s begin with %s", (name, key) => {
  const unique = (schemas[name] as Schema)
    .indexes()
    .filter(([, options]) => options.unique)
    .map(([fields]) => Object.keys(fields)[0]);
  // MongoDB's own unique index on _id is not checked: a collision of random ids is not expected.
  expect(new Set([...unique, key])).toEqual(new Set([key]));
});

describe("over a whole life", () => {
  let world: World;
  let commands: Profiled[];

  beforeAll(async () => {
    world = await startWorld({ environment: { WEBHOOK_RETRY_SCHEDULE: "1d" } });
    const connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
    const db = connection.getClient().db(connection.name);
    await db.createCollection("system.profile", { capped: true, size: 100_000_000 });
    await db.command({ profile: 2 });
    await live(world, db);
    await db.command({ profile: 0 });
    commands = await db
      .collection<Profiled>("system.profile")
      .find({ op: { $nin: ["insert", "getmore"] } })
      .toArray();
    await connection.close();
  });

  afterAll(() => world.stop());

  test("every command on a sharded collection names the key", () => {
    const asked = commands.filter((each) => collectionOf(each) in KEYS);
    const scattered = asked.filter(
      (each) => !fixes(filterOf(each), KEYS[collectionOf(each)] as string),
    );
    expect(scattered.map((each) => [each.ns, filterOf(each)])).toEqual([]);
    // The life used the ones that matter, so the test above has something to check.
    expect([...new Set(asked.map(collectionOf))]).toEqual(
      expect.arrayContaining(["ledger_blocks", "usage_log", "webhook_events", "payment_links"]),
    );
  });

  test("every step of a document names its id", () => {
    const machines = ["payouts", "payments", "payment_refunds", "subscriptions", "invoices"];
    const steps = commands.filter(
      (each) =>
        each.op === "update" &&
        machines.includes(collectionOf(each)) &&
        // The end of a stop is no step: it makes all held payouts of a business due at once.
        !("heldSince" in filterOf(each)),
    );
    expect(steps.length).toBeGreaterThan(20);
    expect(steps.filter((each) => !fixes(filterOf(each), "_id"))).toEqual([]);
  });
});
