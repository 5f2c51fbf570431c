// Heads: what the journal holds at one moment, signed. A head that is kept outside the database
// shows later that no block up to it was changed, removed or cut off, and that its sums were right
// (tools/verify/journal/heads.ts; docs/integrate/heads.md). Nothing of a head is stored here.

import { createHash } from "node:crypto";
import jwt from "jsonwebtoken";
import type { mongo } from "mongoose";
import type { Clock } from "../../shared/clock.ts";
import type { Result } from "../../shared/contracts/contracts.ts";
import { HEAD_TYPE } from "../../shared/contracts/ledger-heads.ts";
import { toDecimal } from "../../shared/money.ts";
import { type JwtKey, thumbprint } from "../../shared/security/jwt-keys.ts";
import type { Collections, Store } from "./store.ts";
import {
  ACCOUNTS_PER_READ,
  addTo,
  balanceNow,
  createReadSums,
  SUMMED,
  type Summed,
  type Sums,
  type Tail,
} from "./sums.ts";

type Head = Result<"wallet-ledger.head">;
type Claims = Head["claims"];

/** Reads the claims of a head of a business, or of the whole ledger. */
export type ReadHead = (businessId?: string) => Promise<Claims>;

/** The types of the accounts that hold a business's money. System accounts are kept modulo. */
const OWED = ["SPEND", "COLLECTION"] as const;

export function createReadHead({
  store,
  collections,
  clock,
}: {
  store: Store;
  collections: Collections;
  clock: Clock;
}): ReadHead {
  const readSums = createReadSums(collections);

  /** The sums, the number and the digest of a business's accounts with money. */
  async function readBusiness(session: mongo.ClientSession, businessId: string, tail: Tail) {
    const sums: Sums = new Map();
    const digest = createHash("sha256");
    let count = 0;
    const found = collections.accounts
      .find<Summed>({ businessId, type: { $in: [...OWED] } }, { session, projection: SUMMED })
      .sort({ _id: 1 })
      .batchSize(ACCOUNTS_PER_READ);
    for await (const account of found) {
      const balance = balanceNow(account, tail);
      if (balance === 0) continue;
      count += 1;
      addTo(sums, account, BigInt(balance));
      digest.update(`${account._id} ${account.currency} ${toDecimal(balance)}\n`);
    }
    return { sums: owedIn(sums), accounts: count, digest: digest.digest("base64url") };
  }

  return (businessId) =>
    store.atOneMoment(async (session) => {
      const iat = Math.floor(clock.now() / 1_000);
      const tail = await readSums.tail(session);
      const { journal } = tail;
      return businessId === undefined
        ? { iat, journal, sums: owedIn(await readSums.ofAll(session, tail)) }
        : { sub: businessId, iat, journal, ...(await readBusiness(session, businessId, tail)) };
    });
}

/** The sums by type and currency, without zeros. */
function owedIn(sums: Sums): Claims["sums"] {
  const owed: Claims["sums"] = { SPEND: {}, COLLECTION: {} };
  for (const [currency, ofCurrency] of sums) {
    for (const type of OWED) {
      const minor = ofCurrency.get(type) ?? 0n;
      if (minor !== 0n) owed[type][currency] = toDecimal(minor);
    }
  }
  return owed;
}

/** Signs a head; its header has the key's thumbprint as `kid`. */
export function signHead(pair: JwtKey, claims: Claims): Head {
  const { key, algorithm } = pair;
  const header = { alg: algorithm, typ: HEAD_TYPE, kid: thumbprint(pair) };
  return { head: jwt.sign(claims, key, { algorithm, header }), claims };
}
