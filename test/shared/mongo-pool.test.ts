// The counts of a driver's pool.

import { EventEmitter } from "node:events";
import type { mongo } from "mongoose";
import { watchPool } from "../../shared/storage/mongo-pool.ts";

test("an operation from before the count leaves no number below zero", () => {
  const client = new EventEmitter();
  const pool = watchPool(client as mongo.MongoClient);
  const tell = (...events: string[]) => {
    for (const event of events) client.emit(event);
  };
  tell("connectionCheckedIn", "connectionCheckedOut", "connectionCheckedIn");
  expect(pool).toEqual({ inUse: 0, waiting: 0 });
  tell("connectionCheckOutStarted", "connectionCheckOutStarted", "connectionCheckedOut");
  expect(pool).toEqual({ inUse: 1, waiting: 1 });
  tell("connectionCheckOutFailed", "connectionCheckedIn");
  expect(pool).toEqual({ inUse: 0, waiting: 0 });
});
