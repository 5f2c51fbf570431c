// The connections of a driver's pool, counted by its events.

import type { mongo } from "mongoose";

export interface Pool {
  /** Connections with an operation. */
  inUse: number;
  /** Operations that wait for a connection. */
  waiting: number;
}

/**
 * Counts from now on.
 * @param client is connected, and no operation is under way
 */
export function watchPool(client: mongo.MongoClient): Pool {
  const pool = { inUse: 0, waiting: 0 };
  client.on("connectionCheckOutStarted", () => {
    pool.waiting += 1;
  });
  client.on("connectionCheckOutFailed", () => {
    pool.waiting -= 1;
  });
  client.on("connectionCheckedOut", () => {
    pool.waiting -= 1;
    pool.inUse += 1;
  });
  client.on("connectionCheckedIn", () => {
    pool.inUse -= 1;
  });
  return pool;
}
