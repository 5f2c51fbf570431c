// Helpers that read and damage the records of requests with an Idempotency-Key.

import mongoose from "mongoose";
import type { KeyedRequest } from "../../shared/rpc/idempotency.ts";
import { SCHEMAS } from "../../tools/migrate/schemas.ts";
import type { System } from "./system.ts";

const NAMES = Object.values(SCHEMAS)
  .flatMap((schemas) => Object.keys(schemas))
  .filter((name) => name.endsWith("_idempotency_keys"));

export type Keyed = Awaited<ReturnType<typeof openKeyed>>;

export async function openKeyed({ config }: Pick<System, "config">) {
  const connection = await mongoose.createConnection(config.mongoUrl as string).asPromise();
  const each = <T>(work: (name: string) => Promise<T>) => Promise.all(NAMES.map(work));
  const of = (name: string) => connection.collection<KeyedRequest>(name);
  const refuse = (validator: object) =>
    each(async (name) => connection.db?.command({ collMod: name, validator }));

  return {
    /** The records of all services. */
    all: async () => (await each((name) => of(name).find().toArray())).flat(),

    /** Loses answers before they are stored, as if each process were killed there. */
    loseAnswers: () => refuse({ isEnded: { $ne: true } }),
    keepAnswers: () => refuse({}),

    /** Ends the leases of the runs that have not ended. */
    passLeases: () =>
      each((name) =>
        of(name).updateMany({ isEnded: false }, { $set: { leaseUntil: new Date(0) } }),
      ),

    /** Removes the records, as the database does after a day. */
    forget: () => each((name) => of(name).deleteMany({})),

    close: () => connection.close(),
  };
}
