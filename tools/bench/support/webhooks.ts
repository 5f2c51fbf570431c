// Shared parts of the webhook benches: the service in this process on a separate database, a
// receiver in another process, and events in the form of payouts.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { ServiceBroker } from "moleculer";
import { type Connection, createConnection, type mongo } from "mongoose";
import webhooks from "../../../services/webhooks/webhooks.service.ts";
import { loadConfig } from "../../../shared/config/env.ts";
import type { Params } from "../../../shared/contracts/contracts.ts";
import { newId } from "../../../shared/ids.ts";
import { call } from "../../../shared/rpc/actions.ts";
import { createBroker } from "../../../shared/rpc/broker.ts";
import { migrateConfigured } from "../../migrate/migrate.ts";
import { type Setting, urlOf } from "./setting.ts";

export type HandedOver = Params<"webhooks.publish">["events"][number];

export interface Receiver {
  url: string;
  /** The number of requests since the last call. */
  heard(): Promise<number>;
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const child = fork(join(import.meta.dirname, "webhook-receiver.ts"));
  const [port] = (await once(child, "message")) as [number];
  return {
    url: `http://127.0.0.1:${port}`,
    async heard() {
      child.send("heard");
      const [requests] = (await once(child, "message")) as [number];
      return requests;
    },
    stop: () => ended(child),
  };
}

export interface Place {
  db: mongo.Db;
  publish(events: HandedOver[]): Promise<unknown>;
  register(businessId: string, url: string): Promise<unknown>;
}

/** Runs work with a service on a new database and drops the database. */
export async function inPlace<T>(
  setting: Setting,
  name: string,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  const mongoUrl = urlOf(setting, name);
  const connection: Connection = await createConnection(mongoUrl, {
    w: "majority",
    journal: true,
  }).asPromise();
  const db = connection.getClient().db(connection.name);
  await migrateConfigured({ ...setting.config, mongoUrl });
  const broker = await startService({ ...setting.environment, MONGO_URL: mongoUrl });
  try {
    return await work({
      db,
      publish: (events) => call(broker, "webhooks.publish", { events }),
      register: (businessId, url) => call(broker, "webhooks.createEndpoint", { businessId, url }),
    });
  } finally {
    await broker.stop();
    await db.dropDatabase();
    await connection.close();
  }
}

async function startService(environment: Setting["environment"]): Promise<ServiceBroker> {
  const config = loadConfig(environment);
  const broker = createBroker(config, "bench");
  broker.createService(webhooks(config));
  await broker.start();
  return broker;
}

/** Ends a child process by closing its channel. */
async function ended(child: ChildProcess): Promise<void> {
  child.disconnect();
  await once(child, "exit");
}

/** An event of an ended payout, in its usual length, of a separate transaction. */
export function anEvent(businessId: string): HandedOver {
  const transactionId = newId();
  const at = Date.now();
  const payload = {
    description: "Payment delivered: bank account ending in 6789",
    method: "BANK_TRANSFER_ACH",
    transactionId,
    walletId: businessId,
    entityId: businessId,
    entityType: "USER",
    summary: "Payout",
    entry: "DEBIT",
    amount: 25.5,
    currency: "USD",
    timestamp: at,
    feeCharged: "0.25",
    reason: "",
  };
  const body = { eventType: "WITHDRAWAL" as const, status: "SUCCESS", payload };
  return { id: newId(), businessId, transactionId, seq: 1, at, body };
}
