// The replica set of a new MongoDB. Its administrator is a certificate that MongoDB takes for a
// member of the set, so that a database without any user can be set up from elsewhere.

import mongoose, { type mongo } from "mongoose";
import { pause, type Say, SetupError } from "../../platform/processes.ts";

export const REPLICA_SET = "rs0";
/** A database that was started at the same time answers later. */
const ANSWERS_WITHIN_MS = 60_000;
const ASKED_EVERY_MS = 500;
const ONE_TRY_MS = 2_000;

/** The files of the administrator's certificate. */
export interface Certificate {
  tlsCAFile: string;
  tlsCertificateKeyFile: string;
}

/**
 * The administrator's URL.
 * @param hosts `host:port` of the set's members
 */
export function administratorUrl(hosts: string[], certificate: Certificate): string {
  return urlOf(hosts, { replicaSet: REPLICA_SET, ...certificate });
}

function urlOf(hosts: string[], options: Record<string, string>): string {
  const query = new URLSearchParams({ authMechanism: "MONGODB-X509", tls: "true", ...options });
  return `mongodb://${hosts.join(",")}/?${query.toString()}`;
}

/**
 * Makes a set of the members, if they are none yet, and waits until it has a primary.
 * @throws SetupError if it has none within a minute
 */
export async function provideReplicaSet(
  hosts: string[],
  certificate: Certificate,
  say: Say,
): Promise<void> {
  const url = urlOf(hosts.slice(0, 1), { directConnection: "true", ...certificate });
  const hasPrimary = async (admin: mongo.Db) => {
    const { setName, primary } = await admin.command({ hello: 1 });
    if (setName) return primary !== undefined;
    const members = hosts.map((host, i) => ({ _id: i, host }));
    await admin.command({ replSetInitiate: { _id: REPLICA_SET, members } });
    say(`Made the replica set ${REPLICA_SET} of ${hosts.join(", ")}`);
    return false;
  };
  await untilTrue(async () => {
    // A client that could not connect stays closed.
    const client = new mongoose.mongo.MongoClient(url, { serverSelectionTimeoutMS: ONE_TRY_MS });
    try {
      return await hasPrimary(client.db("admin"));
    } finally {
      await client.close();
    }
  });
}

async function untilTrue(probe: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + ANSWERS_WITHIN_MS;
  for (;;) {
    try {
      if (await probe()) return;
      if (Date.now() > end)
        throw new SetupError(`MongoDB has no primary after ${ANSWERS_WITHIN_MS / 1_000} s.`);
    } catch (error) {
      const isAway = error instanceof mongoose.mongo.MongoServerSelectionError;
      if (!isAway || Date.now() > end) throw error;
    }
    await pause(ASKED_EVERY_MS);
  }
}
