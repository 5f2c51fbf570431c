// The withdrawals of a bare-bones service on PostgreSQL (withdrawals-server.ts), with its own
// cluster and its own process.

import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Pool } from "undici";
import { pick } from "../support/rate.ts";
import type { Setting } from "../support/setting.ts";
import { USERS, WITHDRAWN } from "../support/users.ts";
import { type Requests, SETTLE_MS } from "../support/whole-life.ts";
import { startCluster } from "./cluster.ts";
import { expectBooks } from "./peer.ts";

/** The first balance of a wallet, in cents. */
const FUNDS_MINOR = 1_000_000_000;
const CONNECTIONS = 256;

export interface PeerWithdrawals extends Requests {
  /** A withdrawal of always the same user. */
  sendHot(): Promise<void>;
  /** Verifies the books and ends the service. @throws if the books are wrong */
  close(): Promise<void>;
}

/** @returns null without an installed PostgreSQL */
export async function startPeer(setting: Setting): Promise<PeerWithdrawals | null> {
  const cluster = await startCluster(setting, "postgres-withdrawals");
  if (cluster === null) return null;
  await cluster.psql("-f", join(import.meta.dirname, "withdrawals.sql"));
  const ids = `generate_series(1, ${USERS}) id`;
  await cluster.psql("-c", `INSERT INTO wallets SELECT id, ${FUNDS_MINOR} FROM ${ids}`);
  await cluster.psql("-c", `INSERT INTO accounts SELECT id, id FROM ${ids}`);
  await cluster.psql("-c", "VACUUM ANALYZE");
  const { host, user, database } = cluster.connection;
  const path = join(import.meta.dirname, "withdrawals-server.ts");
  const server = fork(path, [host, user, database, String(SETTLE_MS)]);
  const [port] = (await once(server, "message")) as [number];
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS });
  const accounts = Array.from({ length: USERS }, (_, i) => i + 1);
  let accepted = 0;
  const body = JSON.stringify({ amount: WITHDRAWN, reason: "Bench" });
  const headers = { "content-type": "application/json" };
  const withdrawTo = async (account: number) => {
    const to = `/withdrawals/${account}`;
    const answer = await pool.request({ method: "POST", path: to, headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${to} answered ${text}`);
    accepted += 1;
  };
  const query = (sql: string) => cluster.psql("-c", sql).then(Number);
  return {
    send: () => withdrawTo(pick(accounts)),
    sendHot: () => withdrawTo(1),
    async countOpen() {
      server.send("open");
      const [open] = (await once(server, "message")) as [number];
      return open;
    },
    async close() {
      const inWallets = "SELECT sum(balance) FROM wallets";
      const inLegs = "SELECT coalesce(sum(leg), 0) FROM journal, unnest(amounts) leg";
      const debited = "SELECT coalesce(sum(amount + fees), 0) FROM payouts";
      const relayed = "SELECT count(*) FROM outbox WHERE relayed_at IS NOT NULL";
      const closed = "SELECT count(*) FROM payouts WHERE state = 'closed'";
      expectBooks("PostgreSQL", {
        "closed payouts": [await query(closed), accepted],
        "rows in the journal": [await query("SELECT count(*) FROM journal"), accepted],
        "payments of the rail": [await query("SELECT count(*) FROM rail"), accepted],
        "relayed events": [await query(relayed), accepted * 3],
        "cents over all legs": [await query(inLegs), 0],
        "cents in wallets": [await query(inWallets), USERS * FUNDS_MINOR - (await query(debited))],
      });
      await pool.close();
      server.disconnect();
      await once(server, "exit");
      await cluster.stop();
    },
  };
}
