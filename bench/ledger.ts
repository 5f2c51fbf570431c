// Rows of the ledger in this process: posts against the conditional update
// (support/conditional-update.ts). Same mongod, same write concern, same process.

import { createConnection, type mongo } from "mongoose";
import { migrateConfigured } from "../scripts/migrate/migrate.ts";
import { openBalances } from "./support/conditional-update.ts";
import { type Cpu, cpuPer, mongodCpuUs, ownCpuUs } from "./support/cpu.ts";
import { type Funded, openFunded } from "./support/funded.ts";
import { inTurns, pick, rateOf, runFor } from "./support/rate.ts";
import type { Setting } from "./support/setting.ts";
import { type AimRow, formatCount } from "./support/table.ts";

const WALLETS = 10_000;
const AIMS = [
  { callers: 1, atLeast: 1 },
  { callers: 64, atLeast: 5.5 },
  { callers: 256, atLeast: 12 },
  { callers: 1_024, atLeast: 20 },
];

/** A ledger beside documents with the same wallets' balances. */
interface Place {
  db: mongo.Db;
  ledger: Funded;
  /** The conditional update. */
  debit(wallet: string): Promise<unknown>;
}

/** Posts by number of callers, and with many wallets. */
export async function benchLedger(setting: Setting): Promise<AimRow[]> {
  const rows: AimRow[] = [];
  await inPlace(setting, "few", WALLETS, async (place) => {
    for (const { callers, atLeast } of AIMS) {
      setting.say(`Posts to the ledger, ${callers} callers`);
      const what = `ledger posts / conditional update, ${count(callers, "caller")}`;
      rows.push({ what, aim: { atLeast }, ...(await measure(setting, place, callers)) });
    }
  });
  await inPlace(setting, "many", setting.wallets, async (place) => {
    const wallets = count(setting.wallets, "wallet");
    setting.say(`Posts to the ledger, ${wallets}`);
    const what = `ledger posts / conditional update, ${wallets}, 1,024 callers`;
    rows.push({ what, aim: { atLeast: 8 }, ...(await measure(setting, place, 1_024)) });
  });
  return rows;
}

const count = (number: number, noun: string) =>
  `${formatCount(number)} ${noun}${number === 1 ? "" : "s"}`;

async function inPlace(
  setting: Setting,
  name: string,
  wallets: number,
  work: (place: Place) => Promise<void>,
): Promise<void> {
  setting.say(`Funding ${formatCount(wallets)} wallets`);
  const url = new URL(setting.config.mongoUrl as string);
  url.pathname += `_${name}`;
  const config = { ...setting.config, mongoUrl: url.href };
  await migrateConfigured(config);
  // The driver's defaults, retryable writes among them.
  const connection = await createConnection(url.href).asPromise();
  const db = connection.getClient().db(connection.name);
  const ledger = await openFunded(
    config,
    wallets,
    wallets > WALLETS ? "payout-reversal" : "payout",
  );
  await work({ db, ledger, debit: await openBalances(db, ledger.wallets) });
  await ledger.close();
  await db.dropDatabase();
  await connection.close();
}

async function measure(
  { ms }: Setting,
  { db, ledger, debit }: Place,
  callers: number,
): Promise<Pick<AimRow, "figure" | "beside">> {
  const post = () => ledger.post(pick(ledger.wallets));
  const cpu = async (): Promise<Cpu> => ({
    nodeUs: ownCpuUs(),
    mongodUs: await mongodCpuUs(db),
  });
  const { subject, baseline } = await inTurns(
    ms,
    async (forMs) => {
      await runFor(callers, forMs / 4, post);
      const before = await cpu();
      const start = performance.now();
      const posts = await runFor(callers, forMs, post);
      const perSecond = (posts * 1_000) / (performance.now() - start);
      return { perSecond, cpu: cpuPer(before, await cpu(), posts) };
    },
    (forMs) => rateOf(callers, forMs, () => debit(pick(ledger.wallets))),
  );
  const rates = `${formatCount(subject.perSecond)}/s / ${formatCount(baseline)}/s`;
  const { nodeUs, mongodUs } = subject.cpu;
  return {
    figure: subject.perSecond / baseline,
    beside: `${rates}; node ${nodeUs} us, mongod ${mongodUs} us`,
  };
}
