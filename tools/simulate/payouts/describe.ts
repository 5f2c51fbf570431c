// Describes the exchanges of a schedule, for the reader of a failure.

import type { Payout } from "../../../services/payouts/payout.model.ts";
import type { Command, Reply } from "../cluster.ts";

/** A command of a node to the database, and the reply. */
export function describeExchange(command: Command, reply: Reply | "lost"): string {
  return `${describeCommand(command)} -> ${describeReply(reply)}`;
}

function describeCommand(command: Command): string {
  if ("read" in command) return `reads ${JSON.stringify(command.read.filter)}`;
  const { write } = command;
  if ("insert" in write) {
    const payouts = write.insert as unknown as Payout[];
    return `inserts ${payouts.map(({ _id, step, slot }) => `${_id} ${step} #${slot}`).join(", ")}`;
  }
  const described = write.updates.map(({ filter, update }) => {
    const { writtenBy: _writtenBy, ...set } = update.$set ?? {};
    const unset = Object.keys(update.$unset ?? {}).join();
    return `${JSON.stringify(filter)} ${JSON.stringify(set)}${unset ? ` without ${unset}` : ""}`;
  });
  return `updates ${described.join("; ")}`;
}

function describeReply(reply: Reply | "lost"): string {
  if (reply === "lost" || "broken" in reply) return "no answer";
  if ("docs" in reply) {
    const payouts = reply.docs as unknown as Payout[];
    const described = payouts.map(
      ({ _id, v, step, status }) => `${_id} ${v ?? ""} ${step ?? ""} ${status ?? ""}`,
    );
    return described.join(", ") || "nothing";
  }
  const { writeErrors, matched } = reply.written;
  const refused = writeErrors.map(({ index, errmsg }) => `${index} refused: ${errmsg}`).join(", ");
  return `${refused || `${matched} matched`}${reply.concernFailed ? ", majority unknown" : ""}`;
}
