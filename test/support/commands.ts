// Writes as commands (shared/storage/commands.ts), for tests that lose or delay one of them.

import type { mongo } from "mongoose";

type Send = () => Promise<mongo.Document>;

/**
 * Wraps a collection, so that a test can change or lose its commands and their replies.
 * @param pass gets the function that sends the command, and gives the reply
 */
export function withCommands<T extends mongo.Document>(
  collection: mongo.Collection<T>,
  pass: (send: Send) => Promise<mongo.Document>,
): mongo.Collection<T> {
  const db = {
    command: (...asked: Parameters<mongo.Db["command"]>) =>
      pass(() => collection.db.command(...asked)),
  };
  return new Proxy(collection, {
    get(target, name) {
      if (name === "db") return db;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
