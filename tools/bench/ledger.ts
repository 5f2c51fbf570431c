// Rows of the ledger in this process: posts against the conditional update
// (support/conditional-update.ts). Same mongod, same write concern, same process.

import { createConnection, type mongo } from "mongoose";
import { migrateConfigured } from "../migrate/migrate.ts";
import { openBalances } from "./support/conditional-update.ts";
import { type Cpu, cpuPer, mongodCpuUs, ownCpuUs } from "./support/cpu.ts";
import { type Funded, openFunded } from "./support/funded.ts";
import { inTurns, pick, rateOf, runFor } from "./support/rate.ts";
import { type Setting, urlOf } from "./support/setting.ts";
import { type AimRow, formatCount, ratioRow } from "./support/table.ts";

const WALLETS = 10_000;
const UPDATE = "conditional update";
const AIMS = [
  { callers: 1, atLeast: 1.1 },
  { callers: 64, atLeast: 6 },
  { callers: 256, atLeast: 12 },
  { callers: 1_024, atLeast: 22 },
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
    // One caller makes few calls, so the compiled code of the first row would be measured half
    // made.
    const { ledger, debit } = place;
    for (const call of [ledger.post, debit]) {
      await runFor(64, setting.ms, () => call(pick(ledger.wallets)));
    }
    for (const { callers, atLeast } of AIMS) {
      setting.say(`Posts to the ledger, ${callers} callers`);
      const what = `ledger posts, ${count(callers, "caller")}`;
      rows.push(ratioRow([what, UPDATE], atLeast, await measure(setting, place, callers)));
    }
  });
  await inPlace(setting, "many", setting.wallets, async (place) => {
    const wallets = count(setting.wallets, "wallet");
    setting.say(`Posts to the ledger, ${wallets}`);
    const what = `ledger posts, ${wallets}, 1,024 callers`;
    rows.push(ratioRow([what, UPDATE], 9, await measure(setting, place, 1_024)));
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
  const mongoUrl = urlOf(setting, name);
  const config = { ...setting.config, mongoUrl };
  await migrateConfigured(config);
  // The driver's defaults, retryable writes among them.
  const connection = await createConnection(mongoUrl).asPromise();
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

function measure({ ms }: Setting, { db, ledger, debit }: Place, callers: number) {
  const post = () => ledger.post(pick(ledger.wallets));
  const cpu = async (): Promise<Cpu> => ({
    nodeUs: ownCpuUs(),
    mongodUs: await mongodCpuUs(db),
  });
  return inTurns(
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
}
