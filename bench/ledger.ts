// Compares ledger posts with the simplest correct debit on MongoDB: findOneAndUpdate with a
// condition on the balance, one document per wallet. Same mongod, same write concern, same process.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Connection } from "mongoose";
import { FUNDS, openFunded, POST, pick } from "./support/funded.ts";
import { type Row, rateOf } from "./support/rate.ts";
import type { Setting } from "./support/setting.ts";

const CALLERS = [1, 16, 64, 256, 1_024];
const DURABLE = { writeConcern: { w: "majority", j: true } } as const;

type Debit = (wallet: string) => Promise<unknown>;

/** Posts per second by number of callers, uniform and on one hot wallet, against the baseline. */
export async function benchLedger({ config, ms }: Setting): Promise<Row[]> {
  const ledger = await openFunded(config);
  const { wallets, post } = ledger;
  const baseline = await openBalances(ledger.connection, wallets);
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
  await ledger.close();
  return rows;
}

/** The heap after a quarter of the posts and after all posts, each after a garbage collection. */
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

/** The baseline's wallets; a debit is one conditional update. */
async function openBalances(connection: Connection, wallets: string[]): Promise<Debit> {
  const balances = connection.collection<{ _id: string; balance: number }>("bench_balances");
  await balances.insertMany(wallets.map((_id) => ({ _id, balance: FUNDS })));
  const debit = POST.amountMinor + POST.feesMinor;
  return (wallet) =>
    balances.findOneAndUpdate(
      { _id: wallet, balance: { $gte: debit } },
      { $inc: { balance: -debit } },
      DURABLE,
    );
}
