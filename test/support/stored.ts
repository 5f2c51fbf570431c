// Everything that a system has stored: for tests of what must not change anything.

import { isDeepStrictEqual } from "node:util";
import mongoose from "mongoose";
import { type System, until } from "./system.ts";

export type Stored = Record<string, unknown[]>;

/** All documents by collection; but for the count of wrong guesses at client secrets. */
export async function allStored({ config }: Pick<System, "config">): Promise<Stored> {
  const connection = await mongoose.createConnection(config.mongoUrl as string).asPromise();
  const collections = (await connection.db?.collections()) ?? [];
  const all: Stored = {};
  for (const { collectionName } of collections) {
    if (collectionName === "client_guesses") continue;
    const documents = connection.collection(collectionName).find().sort({ _id: 1 });
    all[collectionName] = await documents.toArray();
  }
  await connection.close();
  return all;
}

/** Once nothing changes any more: checkpoints and the ends of payouts are written behind. */
export async function settledStored(system: Pick<System, "config">): Promise<Stored> {
  let earlier = await allStored(system);
  return until(async () => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const now = await allStored(system);
    const isSettled = isDeepStrictEqual(now, earlier);
    earlier = now;
    return isSettled && now;
  });
}
