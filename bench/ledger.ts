// Ledger posts against the plainest correct debit that MongoDB offers: findOneAndUpdate with a
// condition on the balance, one document a wallet. Same mongod, same write concern, same process.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Connection, Model } from "mongoose";
import type { Account } from "../services/wallet-ledger/journal.model.ts";
import { createLedger, type Ledger, ledgerSchemas } from "../services/wallet-ledger/ledger.ts";
import { verify } from "../services/wallet-ledger/verify.ts";
import { openAccount } from "../services/wallet-ledger/wallets.ts";
import { systemClock } from "../shared/clock.ts";
import { database } from "../shared/database.ts";
import { newId } from "../shared/ids.ts";
import { type Row, rateOf } from "./support/rate.ts";
import type { Setting } from "./support/setting.ts";

const WALLETS = 10_000;
const CALLERS = [1, 16, 64, 256, 1_024];
const DURABLE = { writeConcern: { w: "majority", j: true } } as const;

type Debit = (wallet: string) => Promise<unknown>;

/** Posts per second by number of callers, uniform and on one hot wallet, against the baseline. */
export async function benchLedger({ config, ms }: Setting): Promise<Row[]> {
  const db = database(config, "bench", ledgerSchemas);
  await db.open();
  const { connection } = db;
  const ledger = await createLedger(db, systemClock, console.error);
  const wallets = await openWallets(db.models.ledger_accounts, ledger);
  const baseline = await openBalances(connection, wallets);
  const post: Debit = (walletId) =>
    ledger.log.post({ posting: { ...payout(walletId), id: newId() } });
  const rows: Row[] = [];
  for (const callers of CALLERS) {
    const [uniform, hot] = [() => pick(wallets), () => wallets[0] as string];
    const base = await rateOf(callers, ms, () => baseline(uniform()));
    const posts = await rateOf(callers, ms, () => post(uniform()));
    const hotPosts = await rateOf(callers, ms, () => post(hot()));
    rows.push({
      what: `posts, ${callers} callers`,
      perSecond: posts,
      baseline: base,
      ratio: posts / base,
      hotPerSecond: hotPosts,
    });
  }
  rows.push(await memoryOver(200_000, () => post(pick(wallets))));
  await ledger.stop();
  const { ok, violations } = await verify(connection);
  await db.close();
  if (!ok) throw new Error(`The books are wrong: ${JSON.stringify(violations)}`);
  return rows;
}

/** The heap after a quarter of the posts and after all of them, garbage collected. */
async function memoryOver(posts: number, post: () => Promise<unknown>): Promise<Row> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const heapMb = () => {
    collect();
    return Math.round(process.memoryUsage().heapUsed / 1e6);
  };
  const many = async (count: number) => {
    let left = count;
    const caller = async () => {
      while (left-- > 0) await post();
    };
    await Promise.all(Array.from({ length: 256 }, caller));
  };
  await many(posts / 4);
  const before = heapMb();
  await many((posts * 3) / 4);
  const after = heapMb();
  return { what: `heap over ${posts} posts, MB`, before, after, ratio: after / before };
}

function payout(walletId: string) {
  const money = { currency: "USD", method: "ACH", amountMinor: 1, feesMinor: 1 } as const;
  return { kind: "payout", walletId, ...money } as const;
}

async function openWallets(accounts: Model<Account>, ledger: Ledger): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < WALLETS; i += 100) {
    const opened = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const owner = { businessId: newId(), entityId: newId(), currency: "USD" as const };
        const { id } = await openAccount(accounts, { ...owner, type: "SPEND" }, ledger.partitionOf);
        const funding = { kind: "funding", currency: "USD", amountMinor: 1_000_000_000 } as const;
        await ledger.log.post({ posting: { id: newId(), walletId: id, ...funding } });
        return id;
      }),
    );
    ids.push(...opened);
  }
  return ids;
}

/** The baseline's wallets; a debit is one conditional update. */
async function openBalances(connection: Connection, wallets: string[]): Promise<Debit> {
  const balances = connection.collection<{ _id: string; balance: number }>("bench_balances");
  await balances.insertMany(wallets.map((_id) => ({ _id, balance: 1_000_000_000 })));
  return (wallet) =>
    balances.findOneAndUpdate(
      { _id: wallet, balance: { $gte: 2 } },
      { $inc: { balance: -2 } },
      DURABLE,
    );
}

function pick(wallets: string[]): string {
  return wallets[Math.floor(Math.random() * wallets.length)] as string;
}
