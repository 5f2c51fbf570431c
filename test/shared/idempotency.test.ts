// The records of requests with an Idempotency-Key: runs that overlap because one was slower than
// its lease, and the content at rest (docs/integrate/rest-api.md, Idempotency keys).

import { randomUUID } from "node:crypto";
import { loadConfig } from "../../shared/config/env.ts";
import { fail } from "../../shared/errors.ts";
import type { Creation, KeepAnswers } from "../../shared/rpc/actions.ts";
import {
  createKeepAnswers,
  type KeyedRequest,
  keyedRequestSchema,
  sealedContents,
} from "../../shared/rpc/idempotency.ts";
import { countByKey, reseal } from "../../shared/security/reseal.ts";
import { type Database, database } from "../../shared/storage/database.ts";
import { migrateConfigured } from "../../tools/migrate/migrate.ts";
import { testEnvironment } from "../support/system.ts";

const config = loadConfig(testEnvironment());
const schemas = { keys: keyedRequestSchema, plain_keys: keyedRequestSchema };
let db: Database<typeof schemas>;
let keep: KeepAnswers;
let keepPlain: KeepAnswers;

beforeAll(async () => {
  await migrateConfigured(config, { schemas });
  db = database(config, "keys-test", schemas);
  await db.open();
  keep = createKeepAnswers(config, () => db.collection("keys"), config);
  keepPlain = createKeepAnswers(config, () => db.collection("plain_keys"));
});
afterAll(async () => {
  await db?.connection.dropDatabase();
  await db?.close();
});

/** The context of a request; another one if anything is changed. */
function context(key: string, { sub = "sub", route = "route", request = "request", action = "a" }) {
  const actor = { sub, role: "merchant" as const };
  return { meta: { actor, idempotency: { route, key, request } }, action: { name: action } };
}

const records = () => db.collection("keys");
const passLeases = () =>
  records().updateMany({ isEnded: false }, { $set: { leaseUntil: new Date(0) } });
/** What a handler was given, without the note that it may be a repeat. */
const thing = ({ id, secret }: Creation) => ({ id, secret });

test("a slow run gives the answer of the run that took over", async () => {
  const key = randomUUID();
  const slow = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const makings: Creation[] = [];
  const first = keep(context(key, {}), async (creation) => {
    makings.push(creation);
    begun.resolve();
    await slow.promise;
    return { by: "the first" };
  });
  await begun.promise;
  await expect(keep(context(key, {}), async () => null)).rejects.toMatchObject({
    type: "STILL_RUNNING",
  });
  await passLeases();
  const second = await keep(context(key, {}), async (creation) => {
    makings.push(creation);
    return { by: "the second" };
  });
  slow.resolve();
  expect([await first, second]).toEqual([{ by: "the second" }, { by: "the second" }]);
  const [one, two] = makings as [Creation, Creation];
  expect([one.isRepeat, two.isRepeat, thing(two)]).toEqual([false, true, thing(one)]);
});

test("a slow run without a stored answer of another one gives none", async () => {
  const key = randomUUID();
  const [slow, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = keep(context(key, {}), async () => {
    begun.resolve();
    await slow.promise;
    return "late";
  });
  await begun.promise;
  await passLeases();
  const other = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  const second = keep(context(key, {}), async () => {
    taken.resolve();
    await other.promise;
    return "stored";
  });
  await taken.promise;
  slow.resolve();
  await expect(first).rejects.toMatchObject({ type: "STILL_RUNNING" });
  other.resolve();
  expect(await second).toBe("stored");
});

test.each([
  ["a 500", () => Promise.reject(new Error("broken"))],
  ["a 503", async () => fail("UNAVAILABLE")],
])("after %s the same request runs again with the same id and secret", async (_name, broken) => {
  const key = randomUUID();
  const makings: Creation[] = [];
  await expect(
    keep(context(key, {}), async (creation) => {
      makings.push(creation);
      return broken();
    }),
  ).rejects.toThrow();
  // The request may have been done, so another one does not get its key.
  await expect(keep(context(key, { request: "another" }), async () => null)).rejects.toMatchObject({
    type: "KEY_REUSED",
  });
  const answer = await keep(context(key, {}), async (creation) => {
    makings.push(creation);
    return "done";
  });
  const [one, two] = makings as [Creation, Creation];
  expect([answer, two.isRepeat, thing(two)]).toEqual(["done", true, thing(one)]);
});

test("a refusal of a second run is no proof that nothing was made, so its key stays", async () => {
  const key = randomUUID();
  const ids: string[] = [];
  const run = (end: () => Promise<unknown>) =>
    keep(context(key, {}), async ({ id }) => {
      ids.push(id);
      return end();
    });
  await expect(run(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  await expect(run(async () => fail("RATE_LIMITED"))).rejects.toMatchObject({
    type: "RATE_LIMITED",
  });
  expect(await run(async () => "done")).toBe("done");
  expect(new Set(ids).size).toBe(1);
});

test("a kept refusal has its message and data again", async () => {
  const key = randomUUID();
  const refuse = () =>
    keep(context(key, {}), async () => fail("NOT_RESOLVABLE", "Ask again", { id: "x" }));
  const refused = { type: "NOT_RESOLVABLE", message: "Ask again", data: { id: "x" } };
  await expect(refuse()).rejects.toMatchObject(refused);
  await expect(keep(context(key, {}), async () => "done")).rejects.toMatchObject(refused);
});

test.each([[{ sub: "other" }], [{ route: "other" }], [{ action: "other" }]])(
  "%j has keys of its own",
  async (other) => {
    const key = randomUUID();
    expect(await keep(context(key, {}), async () => "one")).toBe("one");
    expect(await keep(context(key, other), async () => "two")).toBe("two");
  },
);

test("a key needs a caller", async () => {
  const { meta, action } = context(randomUUID(), {});
  const { actor: _, ...withoutActor } = meta;
  await expect(keep({ meta: withoutActor, action }, async () => null)).rejects.toMatchObject({
    type: "UNAUTHORIZED",
  });
});

test("without a key nothing is stored", async () => {
  const before = await records().countDocuments();
  expect(await keep({ meta: {}, action: null }, async ({ isRepeat }) => isRepeat)).toBe(false);
  expect(await records().countDocuments()).toBe(before);
});

test("a service without keys stores its answers in the clear, and no secret", async () => {
  const key = randomUUID();
  let secret = "";
  await keepPlain(context(key, {}), async (creation) => {
    secret = creation.secret;
    return { balance: "1.00" };
  });
  const [stored] = await db.collection("plain_keys").find().toArray();
  expect(stored?.content).toBe('{"outcome":{"result":{"balance":"1.00"}}}');
  expect(JSON.stringify(stored)).not.toContain(secret);
  expect(JSON.stringify(stored)).not.toContain(key);
});

test("a rotation of keys seals answers and unfinished requests under the first key", async () => {
  const [done, cut] = [randomUUID(), randomUUID()];
  const answer = { clientSecret: randomUUID() };
  await keep(context(done, {}), async () => answer);
  let first: Creation | undefined;
  await keep(context(cut, {}), async (creation) => {
    first = creation;
    throw new Error("cut");
  }).catch(() => {});
  const [old] = config.encryptionKeys;
  const [fresh] = loadConfig(testEnvironment()).encryptionKeys;
  const keys = { encryptionKeys: [{ ...fresh, id: "new" }, old] as typeof config.encryptionKeys };
  const sealed = sealedContents("answers", records());
  await reseal(keys, sealed, () => {});
  expect([...(await countByKey<KeyedRequest>(sealed)).keys()]).toEqual(["new"]);

  const onlyNew = { ...config, encryptionKeys: keys.encryptionKeys.slice(0, 1) };
  const rotated = createKeepAnswers(config, records, onlyNew);
  expect(await rotated(context(done, {}), async () => null)).toEqual(answer);
  let again: Creation | undefined;
  await rotated(context(cut, {}), async (creation) => {
    again = creation;
    return null;
  });
  expect(thing(again as Creation)).toEqual(thing(first as Creation));
});
