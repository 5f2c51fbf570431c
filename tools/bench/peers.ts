// Compares payrail's ledger with other ledgers on this machine: the same post, the same number of
// wallets, the same durability. payrail is measured before and after each peer and counts as the
// mean of both, so that other load on the machine affects all alike.

import { closeMedici, openMedici } from "./peers/medici.ts";
import type { Load, Peer } from "./peers/peer.ts";
import { openPostgres } from "./peers/postgres.ts";
import { type Funded, openFunded } from "./support/funded.ts";
import { pick, type Row, rateOf } from "./support/rate.ts";
import { type Setting, urlOf } from "./support/setting.ts";

const LOADS: Load[] = [
  { callers: 1, hot: false },
  { callers: 64, hot: false },
  { callers: 64, hot: true },
];

/** Posts per second of payrail and of each peer; the ratio is payrail's rate to the peer's. */
export async function benchPeers(setting: Setting): Promise<Row[]> {
  const ours = await openFunded(setting.config);
  const peers = await openMedici(urlOf(setting, "medici"), ours.wallets);
  const postgres = await openPostgres(setting);
  if (postgres) peers.push(postgres);
  else
    setting.say(
      `PostgreSQL is not installed: Debian's package postgresql brings it; that peer is left out`,
    );
  const rows: Row[] = [];
  for (const load of LOADS) rows.push(...(await sideBySide(ours, peers, load, setting.ms)));
  for (const peer of peers) await peer.verify();
  await closeMedici();
  await ours.close();
  return rows;
}

async function sideBySide(ours: Funded, peers: Peer[], load: Load, ms: number): Promise<Row[]> {
  const { callers, hot } = load;
  const post = () => ours.post(hot ? (ours.wallets[0] as string) : pick(ours.wallets));
  const rows: Row[] = [];
  let before = await rateOf(callers, ms, post);
  for (const peer of peers) {
    const theirs = await peer.rate(load, ms);
    const after = await rateOf(callers, ms, post);
    const payrail = Math.round((before + after) / 2);
    rows.push({
      what: `${peer.name}: ${callers} callers, ${hot ? "one wallet" : "any wallet"}`,
      payrail,
      peer: theirs,
      ratio: payrail / theirs,
    });
    before = after;
  }
  return rows;
}
