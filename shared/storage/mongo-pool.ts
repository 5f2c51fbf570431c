// The connections of a driver's pool, counted by its events.

import type { mongo } from "mongoose";

export interface Pool {
  /** Connections with an operation. */
  inUse: number;
  /** Operations that wait for a connection. */
  waiting: number;
}

/**
 * Counts from now on. An operation that is under way already, such as a probe's, ends without
 * having been counted, so no number goes below zero.
 * @param client is connected
 */
export function watchPool(client: mongo.MongoClient): Pool {
  const pool = { inUse: 0, waiting: 0 };
  const fewer = (count: number) => Math.max(0, count - 1);
  client.on("connectionCheckOutStarted", () => {
    pool.waiting += 1;
  });
  client.on("connectionCheckOutFailed", () => {
    pool.waiting = fewer(pool.waiting);
  });
  client.on("connectionCheckedOut", () => {
    pool.waiting = fewer(pool.waiting);
    pool.inUse += 1;
  });
  client.on("connectionCheckedIn", () => {
    pool.inUse = fewer(pool.inUse);
  });
  return pool;
}
