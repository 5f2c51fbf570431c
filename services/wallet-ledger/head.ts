// Heads: what the journal holds at one moment, signed. A head that is kept outside the database
// shows later that no block up to it was changed, removed or cut off, and that its sums were right
// (verification/journal/heads.ts; docs/heads.md). Nothing of a head is stored here.
//
// All reads see one moment. The last block of a partition is the last block of its tail, or the
// watermark's; a balance is the account's checkpoint plus the blocks after it, as in reads.ts.

import { createHash } from "node:crypto";
import jwt from "jsonwebtoken";
import type { mongo } from "mongoose";
import type { Clock } from "../../shared/clock.ts";
import { HEAD_TYPE } from "../../shared/contracts/ledger-heads.ts";
import type { Result } from "../../shared/contracts.ts";
import { type JwtKey, thumbprint } from "../../shared/jwt-keys.ts";
import { type Currency, toDecimal } from "../../shared/money.ts";
import type { Account, Block, Watermark } from "./journal.model.ts";
import { bringUpToDate, sumChanges, type TailBlock, type Tip } from "./partition.ts";
import type { Collections, Store } from "./store.ts";

type Head = Result<"wallet-ledger.head">;
type Claims = Head["claims"];

/** Reads the claims of a head of a business, or of the whole ledger. */
export type ReadHead = (businessId?: string) => Promise<Claims>;

/** The types of the accounts that hold a business's money. System accounts are kept modulo. */
const OWED = ["SPEND", "COLLECTION"] as const;
const ACCOUNTS_PER_READ = 1_000;
const FIELDS = { type: 1, currency: 1, checkpoint: 1 } as const;

type Owed = Pick<Account, "_id" | "currency" | "checkpoint"> & { type: (typeof OWED)[number] };

/** The blocks after the watermarks. */
interface Tail {
  /** The last block of each partition. */
  journal: Tip[];
  /** The blocks that touched an account, in order. */
  touching: Map<string, TailBlock[]>;
}

export function createReadHead({
  store,
  collections: { blocks, accounts, watermarks },
  clock,
}: {
  store: Store;
  collections: Collections;
  clock: Clock;
}): ReadHead {
  async function readTail(session: mongo.ClientSession): Promise<Tail> {
    const marks = await watermarks.find({}, { session }).sort({ _id: 1 }).toArray();
    const journal = marks.map(({ n, hash }: Watermark): Tip => ({ n, hash }));
    const touching: Tail["touching"] = new Map();
    const found = blocks.aggregate<Block>(
      [
        { $match: { $or: marks.map(({ _id: p, n }) => ({ p, n: { $gt: n } })) } },
        { $sort: { p: 1, n: 1 } },
        { $project: { p: 1, n: 1, hash: 1, transfers: CHANGING } },
      ],
      { session },
    );
    for await (const block of found) {
      const { p, n, hash } = block;
      journal[p] = { n, hash };
      const tailBlock: TailBlock = { n, changes: sumChanges(block) };
      for (const id of tailBlock.changes.keys()) {
        const before = touching.get(id);
        if (before) before.push(tailBlock);
        else touching.set(id, [tailBlock]);
      }
    }
    return { journal, touching };
  }

  function findOwed(session: mongo.ClientSession, filter: mongo.Filter<Account>) {
    return accounts
      .find<Owed>({ ...filter, type: { $in: [...OWED] } }, { session, projection: FIELDS })
      .batchSize(ACCOUNTS_PER_READ);
  }

  /** The sums, the number and the digest of a business's accounts with money. */
  async function readBusiness(session: mongo.ClientSession, businessId: string, tail: Tail) {
    const sums = new Map<string, bigint>();
    const digest = createHash("sha256");
    let count = 0;
    for await (const account of findOwed(session, { businessId }).sort({ _id: 1 })) {
      const balance = balanceNow(account, tail);
      if (balance === 0) continue;
      count += 1;
      addTo(sums, account, BigInt(balance));
      digest.update(`${account._id} ${account.currency} ${toDecimal(balance)}\n`);
    }
    return { sums: bySort(sums), accounts: count, digest: digest.digest("base64url") };
  }

  /** The sums of the checkpoints of all accounts, and the changes that the tail makes to them. */
  async function readWhole(session: mongo.ClientSession, tail: Tail): Promise<Map<string, bigint>> {
    const sums = new Map<string, bigint>();
    const groups = accounts.aggregate<{ _id: Pick<Owed, "type" | "currency">; sum: unknown }>(
      [
        { $match: { type: { $in: [...OWED] } } },
        { $group: { _id: { type: "$type", currency: "$currency" }, sum: EXACT_SUM } },
      ],
      { session },
    );
    for await (const { _id, sum } of groups) addTo(sums, _id, BigInt(String(sum)));
    const touched = [...tail.touching.keys()];
    for (let i = 0; i < touched.length; i += ACCOUNTS_PER_READ) {
      const ids = touched.slice(i, i + ACCOUNTS_PER_READ);
      for await (const account of findOwed(session, { _id: { $in: ids } })) {
        addTo(sums, account, BigInt(balanceNow(account, tail) - account.checkpoint.balance));
      }
    }
    return sums;
  }

  return (businessId) =>
    store.atOneMoment(async (session) => {
      const iat = Math.floor(clock.now() / 1_000);
      const tail = await readTail(session);
      const { journal } = tail;
      return businessId === undefined
        ? { iat, journal, sums: bySort(await readWhole(session, tail)) }
        : { sub: businessId, iat, journal, ...(await readBusiness(session, businessId, tail)) };
    });
}

/** Only the fields of the transfers that sumChanges reads. */
const CHANGING = { outcome: 1, kind: 1, legs: 1, wallet: 1 };
/** A sum in doubles would be rounded; $toDecimal alone rounds a double to 15 digits. */
const EXACT_SUM = { $sum: { $toDecimal: { $toLong: "$checkpoint.balance" } } };

function balanceNow({ _id, checkpoint }: Owed, { touching }: Tail): number {
  return bringUpToDate(checkpoint, _id, touching.get(_id) ?? []).balance;
}

function addTo(
  sums: Map<string, bigint>,
  { type, currency }: Pick<Owed, "type" | "currency">,
  minor: bigint,
): void {
  const key = `${type} ${currency}`;
  sums.set(key, (sums.get(key) ?? 0n) + minor);
}

/** The sums by type and currency, without zeros. */
function bySort(sums: Map<string, bigint>): Claims["sums"] {
  const sorted: Claims["sums"] = { SPEND: {}, COLLECTION: {} };
  for (const [key, minor] of sums) {
    const [type, currency] = key.split(" ") as [Owed["type"], Currency];
    if (minor !== 0n) sorted[type][currency] = toDecimal(minor);
  }
  return sorted;
}

/** Signs a head; its header has the key's thumbprint as `kid`. */
export function signHead(pair: JwtKey, claims: Claims): Head {
  const { key, algorithm } = pair;
  const header = { alg: algorithm, typ: HEAD_TYPE, kid: thumbprint(pair) };
  return { head: jwt.sign(claims, key, { algorithm, header }), claims };
}
