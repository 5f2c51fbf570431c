// The row of a second ledger process: posts over NATS to two ledger processes, each with the
// postings of its own partitions, against posts to one, each on a database of its own.

import type { mongo } from "mongoose";
import { provideBinary } from "../scripts/support/binaries.ts";
import { startNats } from "../scripts/support/nats.ts";
import { call, nodesServing } from "../shared/actions.ts";
import { newId } from "../shared/ids.ts";
import { gatherPosts, type Ledger, type Posting } from "../shared/posts.ts";
import { type LedgerNodes, startLedgerNodes } from "./support/ledger-nodes.ts";
import { inLedgerPlace } from "./support/ledger-place.ts";
import { inTurns, pick, rateOf } from "./support/rate.ts";
import { seedFunds, seedWallets } from "./support/seed.ts";
import type { Setting } from "./support/setting.ts";
import { type AimRow, formatCount } from "./support/table.ts";

const CALLERS = 256;
const WALLETS = 10_000;
const FUNDS_MINOR = 1_000_000_000;

/** Posts to two ledger processes against posts to one. */
export async function benchLedgerProcesses(setting: Setting): Promise<AimRow[]> {
  const binary = await provideBinary("nats-server", setting.binaries, setting.say);
  const nats = await startNats({ binary, say: setting.say });
  setting.onStop(() => nats.stop());
  const within = { ...setting, environment: { ...setting.environment, NATS_URL: nats.url } };
  setting.say(`Posts to two ledger processes, ${CALLERS} callers`);
  const { subject, baseline } = await withProcesses(within, 1, (one) =>
    withProcesses(within, 2, (two) => inTurns(setting.ms, two, one)),
  );
  await nats.stop();
  return [
    {
      what: `posts to two ledger processes / to one, ${CALLERS} callers over NATS`,
      figure: subject / baseline,
      aim: { atLeast: 1 },
      beside: `${formatCount(subject)}/s / ${formatCount(baseline)}/s`,
    },
  ];
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
    const post = gatherPosts(ledgerOver(nodes, count));
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

/** Posts as payouts does. */
function ledgerOver({ broker }: LedgerNodes, count: number): Ledger {
  return {
    post(postings, ledger) {
      const serving = nodesServing(broker, "wallet-ledger.post");
      const nodeID = ledger === undefined ? undefined : serving[ledger];
      return call(broker, "wallet-ledger.post", { postings }, { nodeID });
    },
    nodeCount: () => count,
  };
}

function payoutOf(walletId: string): Posting {
  const money = { currency: "USD", method: "ACH", amountMinor: 1, feesMinor: 1 } as const;
  return { id: newId(), kind: "payout", walletId, ...money };
}
