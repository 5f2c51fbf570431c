// The ledger's post in PostgreSQL, if it is installed: one prepared call of a stored function
// (postgres.sql). pgbench makes the calls, so that no client of ours is measured.

import { join } from "node:path";
import { FUNDS, POST, WALLETS } from "../support/funded.ts";
import type { Setting } from "../support/setting.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { expectBooks, type Load, type Peer } from "./peer.ts";

const PGBENCH_THREADS = 2;
/** The time of a run of pgbench beside the measured seconds. */
const CONNECTS_WITHIN_MS = 60_000;

/** The server with its funded wallets, or null without an installed PostgreSQL. */
export async function openPostgres(setting: Setting): Promise<Peer | null> {
  const cluster = await startCluster(setting, "postgres");
  if (cluster === null) return null;
  await cluster.psql("-f", join(import.meta.dirname, "postgres.sql"));
  const ids = `generate_series(1, ${WALLETS}) id`;
  await cluster.psql("-c", `INSERT INTO wallets SELECT id, ${FUNDS} FROM ${ids}`);
  await cluster.psql("-c", "VACUUM ANALYZE");
  let runs = 0;
  let posts = 0;
  const measure = async (load: Load, ms: number) => {
    runs += 1;
    const measured = await pgbench(cluster, runs, load, ms);
    posts += measured.posts;
    return measured.perSecond;
  };
  return {
    name: `PostgreSQL ${cluster.version}`,
    async rate(load, ms) {
      await measure(load, ms / 4);
      return measure(load, ms);
    },
    verify: () => verifyBooks(cluster, posts),
  };
}

/**
 * Posts with a number of callers for whole seconds, over connections that exist before.
 * @param runId makes its ids differ from those of earlier runs
 */
async function pgbench(cluster: Cluster, runId: number, { callers, hot }: Load, ms: number) {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  const script = join(import.meta.dirname, "postgres.pgbench");
  const variables = {
    wallets: hot ? 1 : WALLETS,
    amount: POST.amountMinor,
    fees: POST.feesMinor,
    run: runId,
    n: 0,
  };
  const args = [
    ...["-n", "-M", "prepared", "-f", script, "-T", String(seconds)],
    ...["-c", String(callers), "-j", String(Math.min(callers, PGBENCH_THREADS))],
    ...Object.entries(variables).flatMap(([name, value]) => ["-D", `${name}=${value}`]),
  ];
  const output = await cluster.run("pgbench", args, seconds * 1_000 + CONNECTS_WITHIN_MS);
  const figure = (pattern: RegExp) => {
    const found = pattern.exec(output)?.[1];
    if (found === undefined) throw new Error(`pgbench said something else: ${output}`);
    return Number(found);
  };
  return {
    posts: figure(/transactions actually processed: (\d+)/),
    perSecond: Math.round(figure(/^tps = ([\d.]+)/m)),
  };
}

async function verifyBooks(cluster: Cluster, posts: number): Promise<void> {
  const query = (sql: string) => cluster.psql("-c", sql).then(Number);
  const debit = POST.amountMinor + POST.feesMinor;
  expectBooks("PostgreSQL", {
    "rows in the journal": [
      await query("SELECT count(*) FROM journal WHERE outcome = 'committed'"),
      posts,
    ],
    "cents over all legs": [
      await query("SELECT coalesce(sum(leg), 0) FROM journal, unnest(amounts) leg"),
      0,
    ],
    "cents in wallets": [
      await query("SELECT sum(balance) FROM wallets"),
      WALLETS * FUNDS - posts * debit,
    ],
  });
}
