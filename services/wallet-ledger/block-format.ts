// The forms of a stored transfer. It is packed into one text, beside its id and its wallet. Blocks of
// earlier releases have whole transfers, with the id and the wallet at the same paths, so that the
// same indexes serve both forms, and one id is never stored in each of them. Pure.

import type {
  Block,
  DeclineReason,
  Leg,
  PackedTransfer,
  StoredBlock,
  Transfer,
} from "./journal.model.ts";

const SEPARATOR = "|";

/** Packs a transfer of partition `p`. No field has a separator. */
export function packTransfer(p: number, transfer: Transfer): PackedTransfer {
  const { id, kind, payloadHash, reason = "", legs, wallet, balance, prev, disabled } = transfer;
  const moved = legs.flatMap(([account, amountMinor]) => [
    account === wallet ? "" : account.slice(`${p}:`.length),
    amountMinor,
  ]);
  const row = [kind, payloadHash, reason, balance, disabled ? 1 : 0, prev, ...moved];
  return { id, wallet, row: row.join(SEPARATOR) };
}

/** Reads a stored transfer of partition `p`. One that was tampered with may hold anything. */
export function readTransfer(p: number, stored: PackedTransfer | Transfer): Transfer {
  const { id, wallet, row } = stored as PackedTransfer;
  if (typeof row !== "string") return stored as Transfer;
  const [kind, payloadHash, reason, balance, disabled, prev, ...moved] = row.split(SEPARATOR) as [
    string,
    string,
    DeclineReason | "",
    ...string[],
  ];
  const legs: Leg[] = [];
  for (let i = 0; i < moved.length; i += 2) {
    legs.push([moved[i] === "" ? wallet : `${p}:${moved[i]}`, Number(moved[i + 1])]);
  }
  const decision =
    reason === "" ? { outcome: "committed" as const } : { outcome: "declined" as const, reason };
  const state = { balance: Number(balance), prev: Number(prev), disabled: disabled === "1" };
  return { id, kind, payloadHash, ...decision, legs, wallet, ...state };
}

/** Packs the transfers of a block. */
export function packBlock<B extends Omit<Block, "hash">>(
  block: B,
): Omit<B, "transfers"> & Pick<StoredBlock, "transfers"> {
  return { ...block, transfers: block.transfers.map((each) => packTransfer(block.p, each)) };
}

/** Reads the transfers of a stored block. */
export function readBlock(stored: StoredBlock): Block {
  return { ...stored, transfers: stored.transfers.map((each) => readTransfer(stored.p, each)) };
}
