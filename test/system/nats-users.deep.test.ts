// A service that was broken into, in a whole cluster: with its password on NATS it moves no money,
// and draws no postings to itself while users withdraw.

import { connect } from "nats";
import { newId } from "../../shared/ids.ts";
import { natsOptions } from "../../shared/rpc/broker.ts";
import { nodeIdFor } from "../../shared/rpc/subjects.ts";
import { type Cluster, startCluster } from "../support/cluster.ts";
import type { TestWallet } from "../support/world.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster?.stop());

/** A posting that gives a wallet money. */
const posting = (wallet: TestWallet) => ({
  ...{ id: newId(), kind: "collection" as const, walletId: wallet.id, currency: "USD" as const },
  ...{ method: "CARD_COLLECTION" as const, amountMinor: 5_000, feesMinor: 0 },
});

test.each(["webhooks", "gateway"] as const)("%s moves no money", async (user) => {
  const { business, user: payer, wallet } = await cluster.payer(100);
  const bank = await cluster.bank(business, wallet);
  const natsUrl = cluster.natsUrl(user);
  const broken = await connect(natsOptions({ ...cluster.config, natsUrl }));
  const self = `${user}.evil-1`;
  const ledger = cluster.replicas.find(({ service }) => service === "wallet-ledger");
  const target = nodeIdFor("wallet-ledger", ledger?.pid());
  const [action, version] = ["wallet-ledger.post", "5"];
  const offer = {
    name: "wallet-ledger",
    fullName: "wallet-ledger",
    actions: { [action]: { name: action } },
  };
  for (const sender of [self, nodeIdFor("payouts", 1), "reports-1"]) {
    const head = { ver: version, sender, id: newId() };
    const request = JSON.stringify({
      ...head,
      action,
      params: { postings: [posting(wallet)] },
      meta: {},
    });
    const info = JSON.stringify({ ...head, services: [offer], instanceID: newId(), seq: 1 });
    for (const by of [self, nodeIdFor("payouts", 1)]) {
      broken.publish(`MOL-payrail.BY.${by}.REQ.${target}.${action}`, request);
      broken.publish(`MOL-payrail.BY.${by}.REQ.${target}.wallet-ledger.wallet`, request);
      broken.publish(`MOL-payrail.BY.${by}.INFO`, info);
    }
    broken.publish(`MOL-payrail.REQ.${target}`, request);
    broken.publish("MOL-payrail.INFO", info);
  }
  await broken.flush();
  for (let i = 0; i < 10; i++) {
    const { status, body } = await cluster.withdraw(payer, bank, { amount: 5 });
    expect(status).toBe(200);
    await cluster.status(business, body.data.id, "SUCCESS");
  }
  await broken.close();
  const { items } = await cluster.call("wallet-ledger.entries", {
    businessId: business.id,
    walletId: wallet.id,
  });
  expect(items.filter(({ entry }) => entry === "CREDIT")).toEqual([
    expect.objectContaining({ kind: "funding" }),
  ]);
  await cluster.verifyBooks();
});

// The last test, because the books have no payment for this posting.
test("the ledger accepts the same posting from internal systems, which have every right", async () => {
  const { wallet } = await cluster.payer(100);
  const posted = await cluster.call("wallet-ledger.post", { postings: [posting(wallet)] });
  expect(posted).toMatchObject([{ outcome: "committed" }]);
});
