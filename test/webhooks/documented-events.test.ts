// Every event that merchants receive is as the OpenAPI document describes it, without further
// fields.

import { openApi } from "../../services/gateway/http/openapi.ts";
import { routes } from "../../services/gateway/routes/routes.ts";
import { closed, schemaChecks } from "../support/openapi.ts";
import { makeThings } from "../support/samples.ts";
import { until } from "../support/system.ts";
import { startWorld, type TestBusiness, type TestHook, type World } from "../support/world.ts";

const BODY = ["post", "requestBody", "content", "application/json", "schema"];
/** payrail switches an endpoint off after days of failures (switch-off.test.ts). */
const TYPES = [
  "WITHDRAWAL",
  "COLLECTION",
  "NOTIFICATION",
  "REFUND",
  "SUBSCRIPTION",
  "INVOICE",
  "FUNDING",
  "ADJUSTMENT",
  "TRANSFER",
  "BALANCE",
  "TEST",
];

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stop());

test("events are as the document describes them", async () => {
  const checkAt = schemaChecks(closed(openApi(routes({ sandbox: true }))) as object);
  let hook: TestHook | undefined;
  const listening = {
    ...world,
    hook: async (business: TestBusiness) => {
      hook = await world.hook(business);
      return hook;
    },
  };
  const { business, webhookId, cardToken, wallet, ownWalletId } = await makeThings(listening);
  const { token } = business;
  const path = `/v1/business/${business.id}`;
  const low = { token, body: { lowBalanceAt: "100.00" } };
  await world.http.request("PATCH", `${path}/wallets/${ownWalletId}`, low);
  const moved = { fromWalletId: ownWalletId, toWalletId: wallet.id, amount: 50, reference: "low" };
  await world.http.post(`${path}/transfers`, moved, { token });
  await world.http.post(`${path}/webhooks/${webhookId}/test`, {}, { token });
  await world.pay(await world.paymentLink(business, { notifyPayee: true }), cardToken);
  const received = () => hook?.received.map(({ body }) => body) ?? [];
  await until(() => TYPES.every((type) => received().some(({ eventType }) => eventType === type)));
  for (const event of received()) {
    const check = checkAt("webhooks", event.eventType, ...BODY);
    check(event);
    expect([event, check.errors]).toEqual([event, null]);
  }
});
