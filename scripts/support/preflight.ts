// Checks before a start, so that a wrong address ends in one sentence within seconds.

import mongoose from "mongoose";
import { connect } from "nats";
import { natsOptions } from "../../shared/broker.ts";
import type { CommonConfig, Config } from "../../shared/config.ts";
import { isRefusal } from "./database-problem.ts";
import { isFree } from "./ports.ts";
import { pause, SetupError } from "./processes.ts";

const ANSWERS_WITHIN_MS = 10_000;

export async function requireFreePort({
  port,
  host,
}: Pick<Config, "port" | "host">): Promise<void> {
  if (await isFree(port, host)) return;
  throw new SetupError(`PORT ${port} on ${host} is in use; stop what listens there or set PORT.`);
}

/** @throws SetupError if no MongoDB that takes writes answers at MONGO_URL */
export async function requireMongo(url: string): Promise<void> {
  const client = new mongoose.mongo.MongoClient(url, {
    serverSelectionTimeoutMS: ANSWERS_WITHIN_MS,
    connectTimeoutMS: ANSWERS_WITHIN_MS,
    socketTimeoutMS: ANSWERS_WITHIN_MS,
  });
  try {
    const { setName } = await client.db("admin").command({ hello: 1 });
    if (!setName) {
      throw new SetupError("MONGO_URL is no replica set; start that mongod with --replSet.");
    }
  } catch (error) {
    if (error instanceof SetupError) throw error;
    const reason = (error as Error).message.split("\n")[0];
    if (isRefusal(error)) {
      throw new SetupError(
        `MONGO_URL: the MongoDB at ${extractHost(url)} refuses the credentials (${reason}); correct them.`,
      );
    }
    throw new SetupError(
      `MONGO_URL: no MongoDB answers at ${extractHost(url)} (${reason}); start it or correct MONGO_URL.`,
    );
  } finally {
    await client.close().catch(() => {});
  }
}

/** @throws SetupError if no NATS that accepts us answers at NATS_URL */
export async function requireNats({ natsUrl, natsCreds }: CommonConfig): Promise<void> {
  const url = natsUrl as string;
  const end = Date.now() + ANSWERS_WITHIN_MS;
  for (;;) {
    try {
      const patience = { timeout: 3_000, reconnect: false };
      const connection = await connect({ ...natsOptions(url, natsCreds), ...patience });
      return await connection.close();
    } catch (error) {
      if (Date.now() > end) {
        throw new SetupError(
          `NATS_URL: no NATS answers at ${url.split(",").map(extractHost).join(",")} (${(error as Error).message}); start it or correct NATS_URL.`,
          { cause: error },
        );
      }
    }
    await pause(200);
  }
}

function extractHost(url: string): string {
  return url.replace(/^[^:]+:\/\/(?:[^@/]*@)?([^/?]*).*$/, "$1");
}
