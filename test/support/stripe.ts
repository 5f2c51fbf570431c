// The Stripe module in tests: the stand-in for Stripe, a database for the module's books, and
// instances of the module that a test pauses or kills before and after every effect.

import { randomUUID } from "node:crypto";
import mongoose, { type mongo } from "mongoose";
import openAcquirer from "../../partners/stripe/acquirer.ts";
import type { Acquirer, Charge, RefundCharge } from "../../partners/types.ts";
import { settableClock } from "./settable-clock.ts";
import { type Interference, type Step, startStripeServer } from "./stripe-server.ts";

/** Runs before and after each effect of an instance. An endless promise kills the instance. */
export type Hook = (effect: { name: string; isExecuted: boolean }) => Promise<void> | void;

const MINUTE_MS = 60_000;
const ASKED_AT_MOST = 6;

export type StripeBed = Awaited<ReturnType<typeof openStripeBed>>;

export async function openStripeBed() {
  const clock = settableClock();
  const server = await startStripeServer(clock.now);
  const url = process.env.TEST_MONGO_URL as string;
  const connection = await mongoose
    .createConnection(url, { dbName: `stripe-${randomUUID()}`, writeConcern: { w: "majority" } })
    .asPromise();
  const database = connection.db as mongo.Db;
  const hooks = new Map<string, Hook>();
  let misbehaviour: ((step: Step) => Interference) | null = null;

  server.interfere(async (step) => {
    await hooks.get(step.key)?.({ name: step.route, isExecuted: step.isExecuted });
    return misbehaviour?.(step);
  });

  function make(environment: NodeJS.ProcessEnv, hook?: Hook): Acquirer {
    Object.assign(process.env, environment);
    const log = { info() {}, warn() {}, error() {} };
    const given = hook ? hooked(database, hook) : database;
    // The loader awaits a module; this one is made at once.
    return openAcquirer({ sandbox: true, database: given, now: clock.now, log });
  }

  return {
    clock,
    server,
    books: server.books,
    database,

    /** Makes an instance of the module, as another process of payrail has one. */
    open(hook?: Hook): Acquirer {
      const secretKey = `sk_test_${randomUUID().replaceAll("-", "")}`;
      if (hook) hooks.set(secretKey, hook);
      return make(stripeEnvironment(server.url, secretKey), hook);
    },

    /** Makes an instance that asks another stand-in. */
    openAt: (apiUrl: string): Acquirer => make(stripeEnvironment(apiUrl)),

    /** The next matching request meets this; then Stripe behaves again. */
    misbehaveOnce(route: string, isExecuted: boolean, interference: Interference): void {
      misbehaviour = (step) => {
        if (step.route !== route || step.isExecuted !== isExecuted) return undefined;
        misbehaviour = null;
        return interference;
      };
    },

    /** Stripe behaves from now on. */
    behave(): void {
      misbehaviour = null;
    },

    /** Loses the books, as a restore of a state before all of this does. */
    async loseBooks(): Promise<void> {
      for (const each of await database.collections()) await each.deleteMany({});
    },

    /** How often money has moved for a charge. */
    captures(id: string): number {
      return [...server.books.intents.values()]
        .filter(({ metadata }) => metadata.payrail_id === id)
        .reduce((sum, each) => sum + each.captures, 0);
    },

    /** The number of refunds of an id. */
    refunds: (id: string) =>
      [...server.books.refunds.values()].filter(({ metadata }) => metadata.payrail_id === id)
        .length,

    /** Asks until the outcome is known, as payrail does; meanwhile Stripe's search catches up. */
    async outcomeOf<A extends { kind: string }>(ask: () => Promise<A>): Promise<A> {
      for (let i = 0; i < ASKED_AT_MOST; i++) {
        const answer = await ask().catch(() => null);
        if (answer && answer.kind !== "unknown") return answer;
        clock.aheadMs += MINUTE_MS;
      }
      throw new Error(`No outcome after ${ASKED_AT_MOST} questions`);
    },

    async close(): Promise<void> {
      server.stop();
      await connection.dropDatabase();
      await connection.close();
    },
  };
}

export function stripeEnvironment(apiUrl: string, secretKey = "sk_test_1"): NodeJS.ProcessEnv {
  return {
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_PUBLISHABLE_KEY: "pk_test_1",
    STRIPE_FIELD_URL: "https://vault.example.com/field",
    STRIPE_API_URL: apiUrl,
  };
}

/** A charge with a saved card, without its customer, unless the test says otherwise. */
export function aCharge(token: string, more: Partial<Charge> = {}): Charge {
  const terms = { amountMinor: 2_500, currency: "USD" as const, description: "Tulips" };
  return { id: randomUUID(), token, ...terms, isCustomerPresent: false, ...more };
}

export function aRefund(chargeId: string, amountMinor: number): RefundCharge {
  return { id: randomUUID(), chargeId, amountMinor, currency: "USD" };
}

/** The database, with the hook around each operation on its collections. */
function hooked(database: mongo.Db, hook: Hook): mongo.Db {
  const wrap = <T extends object>(target: T, each: (name: string, value: unknown) => unknown): T =>
    new Proxy(target, { get: (_, name) => each(String(name), Reflect.get(target, name)) });
  const collection = (name: string) =>
    wrap(database.collection(name), (operation, value) => async (...args: unknown[]) => {
      await hook({ name: `${name} ${operation}`, isExecuted: false });
      const result = await (value as (...args: unknown[]) => unknown).apply(
        database.collection(name),
        args,
      );
      await hook({ name: `${name} ${operation}`, isExecuted: true });
      return result;
    });
  return wrap(database, (name, value) => (name === "collection" ? collection : value));
}
