// The end of an API client's tokens where every service has its own node.

import type { Service } from "moleculer";
import gateway from "../../services/gateway/gateway.service.ts";
import { createBroker } from "../../shared/rpc/broker.ts";
import { httpClient } from "../support/http.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

/** The bound that accounts.rotateClientSecret promises. */
const STOPS_WITHIN_MS = 5_000;

/** Another gateway of the same system, on its own node. */
async function secondGateway({ config, brokers: [first] }: World) {
  const broker = createBroker(config, "gateway2", first?.namespace);
  const service = broker.createService(gateway({ ...config, port: 0 }));
  await broker.start();
  await broker.waitForServices(["accounts", "wallet-ledger"], 60_000, 20);
  const http = await httpClient((service as unknown as Service<{ port: number }>).settings.port);
  const stop = async () => {
    http.close();
    await broker.stop();
  };
  return { http, stop };
}

test("on separate nodes an ended token is refused at every gateway, and is a 503 without accounts", async () => {
  const cluster = await startWorld({ overNats: true });
  try {
    const shop = await cluster.business();
    const clients = `/v1/business/${shop.id}/api-clients`;
    const user = await cluster.user(shop);
    const wallet = await cluster.wallet(shop, user, 100);
    const bank = await cluster.bank(shop, wallet);
    const issue = async (clientId: string, clientSecret: string, more: object) => {
      const credentials = { client_id: clientId, client_secret: clientSecret };
      const grant = { grant_type: "client_credentials", ...credentials, ...more };
      return (await cluster.http.post("/v1/oauth/token", grant)).body.access_token as string;
    };
    const users = await issue(shop.clientId, shop.clientSecret, { subject: user.id });
    expect((await cluster.withdraw({ token: users }, bank)).status).toBe(200);

    const another = dataOf(await cluster.http.post(clients, {}, shop), 201);
    const merchants = await issue(another.id, another.clientSecret, {});
    const path = `/v1/business/${shop.id}/wallets/${wallet.id}`;
    const statusWith = async (own: string, at = cluster.http) =>
      (await at.get(path, { token: own })).status;
    expect(await statusWith(merchants)).toBe(200);
    const other = await secondGateway(cluster);
    const rotated = dataOf(await cluster.http.post(clients, {}, shop), 201);
    const ended = await issue(rotated.id, rotated.clientSecret, {});
    for (const at of [cluster.http, other.http]) expect(await statusWith(ended, at)).toBe(200);
    await cluster.http.post(`${clients}/${rotated.id}/rotate-secret`, undefined, shop);
    for (const at of [cluster.http, other.http]) {
      const isRefused = async () => (await statusWith(ended, at)) === 401;
      await until(isRefused, { within: STOPS_WITHIN_MS, awaited: "the rotated client's token" });
    }
    await other.stop();
    await cluster.http.patch(`${clients}/${another.id}`, { disabled: true }, shop);
    await until(async () => (await statusWith(merchants)) === 401);

    const owner = cluster.brokers.find(({ services }) =>
      services.some(({ name }) => name === "accounts"),
    );
    await owner?.stop();
    // The message does not say that the withdrawal may be accepted, because it never started.
    const refused = await until(async () => {
      const answer = await cluster.withdraw({ token: users }, bank, { amount: -1 });
      return answer.status !== 400 && answer;
    });
    expect([refused.status, refused.body.message]).toEqual([
      503,
      "Temporarily unavailable. Please try again.",
    ]);
    expect(await statusWith(shop.token)).toBe(200);
    await cluster.verifyBooks();
  } finally {
    await cluster.stop();
  }
});
