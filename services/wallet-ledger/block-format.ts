// The forms of a stored block. Its transfers are packed, each into one text beside its id and its
// wallet. Blocks of earlier releases have whole transfers, with the same ids and wallets at the same
// paths, so that the same indexes serve both forms, and one id is never stored in each of them. The
// last of these transfers has the balances of the system accounts, which the oldest blocks lack.
// Pure.

import type {
  Block,
  DeclineReason,
  Leg,
  PackedTransfer,
  StoredBlock,
  SystemBalances,
  Transfer,
  WholeTransfer,
} from "./journal.model.ts";

const SEPARATOR = "|";

/** Packs a transfer of partition `p`. No field has a separator. */
function packTransfer(p: number, transfer: Transfer): PackedTransfer {
  const { id, kind, payloadHash, reason = "", legs, wallet, balance, prev, disabled } = transfer;
  const moved = legs.flatMap(([account, amountMinor]) => [
    account === wallet ? "" : account.slice(`${p}:`.length),
    amountMinor,
  ]);
  const row = [kind, payloadHash, reason, balance, disabled ? 1 : 0, prev, ...moved];
  return { id, wallet, row: row.join(SEPARATOR) };
}

/** Reads a stored transfer of partition `p`. One that was tampered with may hold anything. */
export function readTransfer(p: number, stored: StoredBlock["transfers"][number]): Transfer {
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

/** Packs a block. */
export function packBlock<B extends Omit<Block, "hash">>(
  block: B,
): Omit<B, "transfers"> & Pick<StoredBlock, "transfers"> {
  return { ...block, transfers: block.transfers.map((each) => packTransfer(block.p, each)) };
}

/** Reads a stored block. */
export function readBlock(stored: StoredBlock): Block {
  const transfers = stored.transfers.map((each) => readTransfer(stored.p, each));
  return { ...stored, transfers, system: systemOf(stored) };
}

/** The balances of the system accounts after a block; undefined if it does not say them. */
export function systemOf({
  system,
  transfers,
}: Pick<StoredBlock, "system" | "transfers">): SystemBalances | undefined {
  return system ?? (transfers.at(-1) as WholeTransfer | undefined)?.system;
}
