// Spans of commands to MongoDB, from the driver's command monitoring. They have the names of the
// command and the collection, and nothing of its content.

import type { mongo } from "mongoose";
import { failureType, type OpenSpan, openSpan } from "./spans.ts";

/** Opens a span for each command that a recorded request causes. */
export function traceCommands(client: mongo.MongoClient): void {
  const running = new Map<number, OpenSpan>();

  client.on("commandStarted", ({ requestId, commandName, command, databaseName }) => {
    const collection: unknown =
      commandName === "getMore" ? command.collection : command[commandName];
    const name = typeof collection === "string" ? collection : undefined;
    const span = openSpan(name ? `${commandName} ${name}` : commandName, {
      kind: "client",
      attributes: {
        "db.system.name": "mongodb",
        "db.namespace": databaseName,
        "db.operation.name": commandName,
        ...(name && { "db.collection.name": name }),
      },
    });
    if (span) running.set(requestId, span);
  });

  const end = (requestId: number, result?: Parameters<OpenSpan["end"]>[0]) => {
    running.get(requestId)?.end(result);
    running.delete(requestId);
  };
  client.on("commandSucceeded", ({ requestId }) => end(requestId));
  client.on("commandFailed", ({ requestId, failure }) =>
    end(requestId, { failure: failureType(failure) }),
  );
}
