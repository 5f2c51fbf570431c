// Scaling to three and back under load: no request is refused because a process joins or leaves.

import { ERRORS } from "../../shared/errors.ts";
import type { ServiceName } from "../../shared/rpc/service-names.ts";
import type { Replica } from "../../tools/platform/replica.ts";
import { type Cluster, startCluster } from "../support/cluster.ts";
import {
  type Attempt,
  arrangeMerchant,
  expectSound,
  type Merchant,
  seeded,
  startLoad,
} from "../support/traffic.ts";

const PER_SECOND = 30;

let cluster: Cluster;
let merchant: Merchant;
const random = seeded();

beforeAll(async () => {
  cluster = await startCluster({ STOP_DELAY: "1s" });
  merchant = await arrangeMerchant(cluster);
});
afterAll(() => cluster?.stop());

/** Fails with the withdrawals that were refused. */
function expectServed(attempts: Attempt[]): void {
  const refused = attempts.filter(({ answer }) => {
    // On a machine that has no processor left for seconds, the outcome comes after the deadline.
    const isUnknown = answer?.body.message === ERRORS.OUTCOME_UNKNOWN.message;
    return !isUnknown && ![200, 400].includes(answer?.status ?? 0);
  });
  expect(refused.map(({ answer }) => answer?.text)).toEqual([]);
}

const SCALED: ServiceName[] = ["payouts", "wallet-ledger", "webhooks", "accounts"];

test.each(SCALED)("no withdrawal is refused while %s is scaled to three and back", async (name) => {
  const gateways = [cluster.gateway.http];
  const load = startLoad(merchant, { random, perSecond: PER_SECOND, gateways });
  const more = [await cluster.start(name), await cluster.start(name)];
  await load.answered(PER_SECOND);
  const first = cluster.replicas.findIndex(({ service }) => service === name);
  const [old] = cluster.replicas.splice(first, 1, more.pop() as Replica);
  for (const leaving of [old as Replica, ...more]) {
    expect(await leaving.stop()).toBe(0);
    await load.answered(PER_SECOND);
  }
  const attempts = await load.stop();
  await expectSound(cluster, merchant, attempts);
  expectServed(attempts);
});
