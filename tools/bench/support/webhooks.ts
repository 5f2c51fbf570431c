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
import type { Heard } from "./webhook-receiver.ts";

export type HandedOver = Params<"webhooks.publish">["events"][number];
type EventType = HandedOver["body"]["eventType"];

export interface Receiver {
  /** Answers at once. */
  url: string;
  /** Never answers. */
  silentUrl: string;
  /** The requests since the last call. */
  heard(): Promise<Heard>;
  /** Ends unanswered exchanges, because a stopping service waits for them. */
  hangUp(): Promise<void>;
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const child = fork(join(import.meta.dirname, "webhook-receiver.ts"));
  const [port] = (await once(child, "message")) as [number];
  const url = `http://127.0.0.1:${port}`;
  const ask = async (what: "heard" | "hang up") => {
    child.send(what);
    const [heard] = (await once(child, "message")) as [Heard];
    return heard;
  };
  return {
    url,
    silentUrl: `${url}/silent`,
    heard: () => ask("heard"),
    hangUp: async () => void (await ask("hang up")),
    stop: () => ended(child),
  };
}

export interface Place {
  environment: Setting["environment"];
  db: mongo.Db;
  publish(events: HandedOver[]): Promise<unknown>;
  /** @returns the endpoint's id */
  register(businessId: string, url: string, eventType?: EventType): Promise<string>;
  /** Ends the service; the database stays. */
  stopService(): Promise<void>;
}

/** Runs work with a service on a new database and drops the database. */
export async function inPlace<T>(
  setting: Setting,
  name: string,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  const mongoUrl = urlOf(setting, name);
  const own = { ...setting.environment, MONGO_URL: mongoUrl };
  const connection: Connection = await createConnection(mongoUrl, {
    w: "majority",
    journal: true,
  }).asPromise();
  const db = connection.getClient().db(connection.name);
  await migrateConfigured({ ...setting.config, mongoUrl });
  const broker = await startService(own);
  let running = true;
  const stopService = async () => {
    if (running) await broker.stop();
    running = false;
  };
  try {
    return await work({
      environment: own,
      db,
      publish: (events) => call(broker, "webhooks.publish", { events }),
      async register(businessId, to, eventType) {
        const eventTypes = eventType && [eventType];
        const params = { businessId, url: to, ...(eventTypes && { eventTypes }) };
        return (await call(broker, "webhooks.createEndpoint", params)).id;
      },
      stopService,
    });
  } finally {
    await stopService();
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

/** An event of an ended payout, in its usual length; by default of a separate transaction. */
export function anEvent(
  businessId: string,
  {
    transactionId = newId(),
    seq = 1,
    eventType = "WITHDRAWAL",
  }: { transactionId?: string; seq?: number; eventType?: EventType } = {},
): HandedOver {
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
  const body = { eventType, status: "SUCCESS", payload };
  return { id: newId(), businessId, transactionId, seq, at, body };
}

export const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });
