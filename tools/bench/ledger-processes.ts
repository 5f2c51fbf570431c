// The row of a second ledger process: posts over NATS to two ledger processes, each with the
// postings of its own partitions, against posts to one, each on a database of its own.

import type { mongo } from "mongoose";
import { newId } from "../../shared/ids.ts";
import { gatherPosts, ledgerClient, type PostingRequest } from "../../shared/rpc/posts.ts";
import { binDirectory, provideBinary } from "../platform/binaries.ts";
import { startNats } from "../platform/nats.ts";
import { startLedgerNodes } from "./support/ledger-nodes.ts";
import { inLedgerPlace } from "./support/ledger-place.ts";
import { inTurns, pick, rateOf } from "./support/rate.ts";
import { seedFunds, seedWallets } from "./support/seed.ts";
import type { Setting } from "./support/setting.ts";
import { type AimRow, ratioRow } from "./support/table.ts";

const CALLERS = 256;
const WALLETS = 10_000;
const FUNDS_MINOR = 1_000_000_000;

/** Posts to two ledger processes against posts to one. */
export async function benchLedgerProcesses(setting: Setting): Promise<AimRow[]> {
  const binary = await provideBinary("nats-server", binDirectory(), setting.say);
  const nats = await startNats({ binary, say: setting.say });
  setting.onStop(() => nats.stop());
  const within = { ...setting, environment: { ...setting.environment, NATS_URL: nats.url } };
  setting.say(`Posts to two ledger processes, ${CALLERS} callers`);
  const compared = await withProcesses(within, 1, (one) =>
    withProcesses(within, 2, (two) =>
      inTurns(setting.ms, async (ms) => ({ perSecond: await two(ms) }), one),
    ),
  );
  await nats.stop();
  const what = `posts to two ledger processes, ${CALLERS} callers over NATS`;
  return [ratioRow([what, "to one"], 1, compared)];
}

/** @param work gets a function that measures posts per second */
function withProcesses<T>(
  setting: Setting,
  count: number,
  work: (rate: (ms: number) => Promise<number>) => Promise<T>,
): Promise<T> {
  return inLedgerPlace(setting, `processes_${count}`, async ({ environment, raw }) => {
    const wallets = await fundedWallets(raw);
    const nodes = await startLedgerNodes(count, environment);
    const post = gatherPosts(ledgerClient(nodes.broker));
    const postOnce = async () => {
      const { outcome } = await post(payoutOf(pick(wallets)));
      if (outcome !== "committed") throw new Error(`A post was answered ${outcome}`);
    };
    const result = await work((ms) => rateOf(CALLERS, ms, postOnce));
    await nodes.stop();
    return result;
  });
}

async function fundedWallets(raw: mongo.Db): Promise<string[]> {
  const wallets = await seedWallets(raw, WALLETS);
  await seedFunds(raw, wallets, FUNDS_MINOR);
  return wallets;
}

function payoutOf(walletId: string): PostingRequest {
  const money = { currency: "USD", method: "ACH", amountMinor: 1, feesMinor: 1 } as const;
  return { id: newId(), kind: "payout", walletId, ...money };
}
