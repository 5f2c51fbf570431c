// Checks before a start, so that a wrong address ends in one sentence within seconds.

import { connect, ErrorCode } from "nats";
import type { CommonConfig, Config } from "../../shared/config/config.ts";
import { natsOptions } from "../../shared/rpc/broker.ts";
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
  // Loaded only here, because a gateway has no database and is smaller without it.
  const { default: mongoose } = await import("mongoose");
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
export async function requireNats(config: CommonConfig): Promise<void> {
  const url = config.natsUrl as string;
  const options = { ...natsOptions(config), timeout: 3_000, reconnect: false };
  const end = Date.now() + ANSWERS_WITHIN_MS;
  for (;;) {
    try {
      const connection = await connect(options);
      return await connection.close();
    } catch (error) {
      const { code, message } = error as { code?: ErrorCode; message: string };
      const hosts = url.split(",").map(extractHost).join(",");
      if (code === ErrorCode.AuthorizationViolation) {
        throw new SetupError(
          `NATS_URL: the NATS at ${hosts} refuses the credentials (${message}); correct them.`,
        );
      }
      // Waiting does not help here. Each of Node's texts about a refused certificate has the word.
      if (/certificate/i.test(message)) {
        throw new SetupError(
          `NATS_CA_FILE: the certificate of the NATS at ${hosts} is not accepted (${message}); correct NATS_CA_FILE or the certificate.`,
        );
      }
      if (Date.now() > end) {
        throw new SetupError(
          `NATS_URL: no NATS answers at ${hosts} (${message}); start it or correct NATS_URL.`,
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
