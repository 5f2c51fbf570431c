// Systems under test: real services on their own real database, in one process, or each on its own
// broker over a real NATS.

import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { ServiceBroker, ServiceSchema } from "moleculer";
import mongoose from "mongoose";
import type { Config } from "../../shared/config/config.ts";
import { loadConfig } from "../../shared/config/env.ts";
import type { ActionName, Params, Result } from "../../shared/contracts/contracts.ts";
import { call } from "../../shared/rpc/actions.ts";
import { createBroker } from "../../shared/rpc/broker.ts";
import { migrateConfigured } from "../../tools/migrate/migrate.ts";
import { SCHEMAS } from "../../tools/migrate/schemas.ts";

export type ServiceFactory = (config: Config) => ServiceSchema;

export interface System {
  config: Config;
  /** The first service's broker; the broker of all services if they share a process. */
  broker: ServiceBroker;
  brokers: ServiceBroker[];
  call<A extends ActionName>(
    name: A,
    params: Params<A>,
    meta?: Parameters<typeof call>[3],
  ): Promise<Result<A>>;
  /** Stops the services and empties or drops their database. */
  stop(): Promise<void>;
}

/**
 * URLs of databases of stopped systems: empty, with their indexes, because making the indexes takes
 * a second.
 */
const emptyDatabases: string[] = [];

/** A pair of P-256 keys that sign and verify tokens, as PEM texts. */
export function keyPair() {
  return generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
}

/** A configuration with its own keys and its own database. */
export function testEnvironment(overrides: Record<string, string> = {}): Record<string, string> {
  const mongoUrl = new URL(process.env.TEST_MONGO_URL as string);
  mongoUrl.pathname = `/test_${randomBytes(8).toString("hex")}`;
  return { ...keyedEnvironment(), MONGO_URL: mongoUrl.href, ...overrides };
}

/** A configuration with its own keys, and without a database. */
export function keyedEnvironment(): Record<string, string> {
  const { publicKey, privateKey } = keyPair();
  return {
    NODE_ENV: "test",
    JWT_PUBLIC_KEY: publicKey,
    JWT_PRIVATE_KEY: privateKey,
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString("base64")}`,
    FINGERPRINT_KEY: randomBytes(32).toString("base64"),
    LEDGER_HEAD_KEY: keyPair().privateKey,
    SANDBOX_SETTLE_MS: "50",
    LOG_LEVEL: "error",
  };
}

/** The PEM text of the key that signs a system's tokens. */
export function privatePem({ jwtSigner }: Config): string {
  return jwtSigner?.kind === "privateKey" ? jwtSigner.pem : "";
}

/** The PEM text of the key that verifies them. */
export function publicPem({ jwtSource }: Config): string {
  return jwtSource.kind === "publicKey" ? jwtSource.pem : "";
}

/**
 * Starts services.
 * @param factories the services, callees before callers
 * @param environment replaces the test's defaults
 * @param overNats gives each service its own broker
 */
export async function startSystem(
  factories: ServiceFactory[],
  environment: Record<string, string> = {},
  { overNats = false } = {},
): Promise<System> {
  const nats: Record<string, string> = overNats
    ? { NATS_URL: process.env.TEST_NATS_URL as string }
    : {};
  const mayReuse = environment.MONGO_URL === undefined;
  const emptied = mayReuse ? emptyDatabases.pop() : undefined;
  const reused: Record<string, string> = emptied ? { MONGO_URL: emptied } : {};
  const config = loadConfig(testEnvironment({ ...nats, ...reused, ...environment }));
  // Tests share one NATS, so each system has its own namespace.
  const namespace = `test-${randomBytes(6).toString("hex")}`;
  const groups = overNats ? factories.map((factory) => [factory]) : [factories];
  const brokers = groups.map((group, i) => {
    const broker = createBroker(config, `node${i}`, namespace);
    for (const factory of group) broker.createService(factory(config));
    return broker;
  });
  const names = brokers.flatMap((broker) => broker.services.map((service) => service.name));
  // Without a gateway only the collections of these services, because a test of one service starts
  // sooner then. A system with a gateway has all, because processes of any service may join it.
  const isWhole = names.includes("gateway");
  const own = Object.entries(SCHEMAS).filter(([name]) => isWhole || names.includes(name));
  const schemas = Object.assign({}, ...own.map(([, each]) => each));
  await migrateConfigured(config, { schemas });
  await Promise.all(brokers.map((broker) => broker.start()));
  await Promise.all(brokers.map((broker) => broker.waitForServices(names, 60_000, 20)));
  const broker = brokers[0] as ServiceBroker;
  return {
    config,
    broker,
    brokers,
    call: (name, params, options) => call(broker, name, params, options),
    async stop() {
      for (const each of brokers.toReversed()) await each.stop();
      const url = config.mongoUrl as string;
      const connection = await mongoose.createConnection(url).asPromise();
      try {
        const isEmpty = mayReuse && (await emptyDatabase(connection));
        if (isEmpty) emptyDatabases.push(url);
        else await connection.dropDatabase();
      } finally {
        // An open connection would keep jest from exiting.
        await connection.close();
      }
    },
  };
}

const DELETED_AT_MOST = 1_000;

/**
 * Deletes all documents; drops a collection if that is faster.
 * @returns false without a change if the test switched the profiler on, because the profiler stays
 *   on
 */
async function emptyDatabase({ db }: mongoose.Connection): Promise<boolean> {
  const collections = (await db?.collections()) ?? [];
  if (collections.some(({ collectionName }) => collectionName === "system.profile")) return false;
  await Promise.all(
    collections.map(async (collection) => {
      const count = await collection.estimatedDocumentCount();
      if (count === 0) return;
      if (count > DELETED_AT_MOST) await collection.drop();
      else await collection.deleteMany({}, { writeConcern: { w: "majority" } });
    }),
  );
  return true;
}

/** Repeats the request while the answer is a 503, because a service may be away for a moment. */
export function served<A extends { status: number }>(ask: () => Promise<A>): Promise<A> {
  return until(async () => {
    const answer = await ask();
    return answer.status !== 503 && answer;
  });
}

/**
 * Waits until `probe` answers something other than null, undefined or false. The bound only ends a
 * test that hangs: it is far longer than a busy machine takes.
 * @param within milliseconds
 * @param awaited the event or state, such as "the third request"
 */
export async function until<T>(
  probe: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  { within = 90_000, awaited = "the condition" } = {},
): Promise<T> {
  const end = Date.now() + within;
  for (;;) {
    const value = await probe();
    if (value !== null && value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`Waited ${within} ms in vain for ${awaited}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
