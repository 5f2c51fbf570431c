// A packed transfer is read as the transfer that it was, for generated transfers of every kind of
// posting, and a transfer that is stored whole is read as it is.

import { packBlock, packTransfer, readBlock } from "../../services/wallet-ledger/block-format.ts";
import type { StoredBlock, Transfer } from "../../services/wallet-ledger/journal.model.ts";
import { buildLegs, hashPayload, type Posting } from "../../services/wallet-ledger/postings.ts";
import { FEE_KINDS } from "../../shared/config/fee-table.ts";
import { POSTING_KINDS } from "../../shared/contracts/wallet-ledger.ts";
import { newId } from "../../shared/ids.ts";
import { CURRENCIES } from "../../shared/money.ts";
import { type Random, randomFrom } from "../../tools/simulate/random.ts";

const seed = Date.now();
const BETWEEN = ["funding", "transfer-out", "transfer-in"] as const;
const MARKS = ["disable", "enable"] as const;

function drawPosting(random: Random): Posting {
  const suffix = random.pick(["", "", ":reversal", ":out", ":in", ":back"]);
  const of = { id: newId() + suffix, walletId: newId() };
  const currency = random.pick([...CURRENCIES]);
  const amountMinor = random.pick([1, random.between(1, 1e6), Number.MAX_SAFE_INTEGER]);
  if (random.chance(0.1)) return { ...of, kind: random.pick([...MARKS]) };
  if (random.chance(0.3)) return { ...of, kind: random.pick([...BETWEEN]), currency, amountMinor };
  const feesMinor = random.pick([0, random.between(1, 100)]);
  const method = random.pick([...FEE_KINDS]);
  const kind = random.pick([...POSTING_KINDS]);
  return { ...of, kind, currency, method, amountMinor, feesMinor };
}

function drawTransfer(random: Random, p: number): Transfer {
  const posting = drawPosting(random);
  const { id, kind, walletId: wallet } = posting;
  const reason = random.pick([null, null, "funds", "disabled", "void", "bound"] as const);
  const state = {
    wallet,
    balance: random.pick([0, random.between(0, 1e9), Number.MAX_SAFE_INTEGER]),
    prev: random.pick([0, random.between(1, 1e9)]),
    disabled: random.chance(0.5),
  };
  const of = { id, kind, payloadHash: hashPayload(posting) };
  if (reason) return { ...of, outcome: "declined", reason, legs: [], ...state };
  return { ...of, outcome: "committed", legs: buildLegs(posting, p), ...state };
}

test("what is read is what was packed", () => {
  const random = randomFrom(seed, "packed");
  for (let i = 0; i < 500; i++) {
    const p = random.between(0, 15);
    const transfers = Array.from({ length: random.between(1, 3) }, () => drawTransfer(random, p));
    const block = { _id: newId(), p, n: i + 1, at: 1, transfers, prevHash: "before", hash: "h" };
    expect({ seed, ...readBlock(packBlock(block)) }).toEqual({ seed, ...block });
  }
});

test("a transfer that is stored whole is read as it is", () => {
  const random = randomFrom(seed, "whole");
  const transfers = Array.from({ length: 100 }, () => drawTransfer(random, 3));
  const block: StoredBlock = {
    ...{ _id: newId(), p: 3, n: 1, at: 1, prevHash: "before", hash: "h" },
    transfers: transfers.map((each) => (random.chance(0.5) ? packTransfer(3, each) : each)),
  };
  expect(readBlock(block).transfers).toEqual(transfers);
});
