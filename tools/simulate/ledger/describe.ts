// Describes a schedule for debugging its failure.

import type { Account, Block } from "../../../services/wallet-ledger/journal.model.ts";
import type { Request } from "../../../services/wallet-ledger/queue.ts";
import type { WalletTransfer } from "../../../services/wallet-ledger/wallet-transfer.model.ts";
import type { Command, Reply } from "../cluster.ts";

/** Describes a request in a few words. */
export function describeRequest({ posting, void: voided, retry, deadline }: Request): string {
  const { id, kind, walletId } = posting;
  const money = "amountMinor" in posting ? ` of ${posting.amountMinor}` : "";
  const how = [voided && "void", retry && "retry", deadline && "deadline"].filter(Boolean);
  return `${id}, a ${kind}${money} on ${walletId}${how.length > 0 ? ` (${how.join(", ")})` : ""}`;
}

/** Describes a command of a process to the database, and the reply. */
export function describeExchange(command: Command, reply: Reply | "lost"): string {
  return `${describeCommand(command)} -> ${describeReply(reply)}`;
}

function describeCommand(command: Command): string {
  if ("read" in command) {
    const { collection, filter, pipeline, after } = command.read;
    return `reads ${collection} ${JSON.stringify(filter ?? pipeline?.[0])} after ${after}`;
  }
  const { write } = command;
  if ("updates" in write) {
    // Leaves out the hash, because it depends on the nonces of this run.
    const parts = write.updates.map(({ filter, update: { $max, $set } }) => [
      filter,
      $max ?? $set?.n ?? $set?.status,
    ]);
    return `updates ${write.collection} ${JSON.stringify(parts)}`;
  }
  if (write.collection === "ledger_wallet_transfers") {
    const [{ _id, reference }] = write.insert as unknown as [WalletTransfer];
    return `stores transfer ${_id} of ${reference}`;
  }
  if (write.collection === "ledger_accounts") {
    return `opens ${write.insert.map(({ _id }) => _id).join(", ")}`;
  }
  const blocks = write.insert as unknown as Block[];
  const parts = blocks.map(
    ({ p, n, transfers }) => `${p}:${n} [${transfers.map(describeTransfer).join(", ")}]`,
  );
  return `appends ${parts.join(" ")}`;
}

function describeTransfer({ id, outcome, reason, balance }: Block["transfers"][number]): string {
  return `${id} ${outcome === "committed" ? "" : `${reason} `}${balance}`;
}

function describeReply(reply: Reply | "lost"): string {
  if (reply === "lost" || "broken" in reply) return "no answer";
  if ("docs" in reply) {
    const parts = reply.docs.map((doc) => {
      const { _id, p, n, checkpoint, transfers } = doc as unknown as Block & Account;
      const { reference, status } = doc as unknown as WalletTransfer;
      if (status) return `${_id} of ${reference}: ${status}`;
      if (transfers) return `${p}:${n}`;
      return checkpoint ? `${_id} at ${checkpoint.n}: ${checkpoint.balance}` : `${_id} at ${n}`;
    });
    return `${parts.join(", ") || "nothing"} (at ${reply.time})`;
  }
  const { writeErrors } = reply.written;
  const refused = writeErrors.map(({ index, errmsg }) => `${index} refused: ${errmsg}`).join(", ");
  return `${refused || "done"}${reply.concernFailed ? ", majority unknown" : ""} (at ${reply.time})`;
}
