// The payout document is the outbox: while the webhooks service is down payouts still end.
// Afterwards the merchant receives every state, in order and once under each id.

import webhooks from "../../services/webhooks/webhooks.service.ts";
import { createBroker } from "../../shared/rpc/broker.ts";
import { type Books, openBooks } from "../support/payouts.ts";
import { until } from "../support/system.ts";
import { UNSENT } from "../support/unsent.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

let world: World;
let books: Books;

beforeAll(async () => {
  world = await startWorld({ overNats: true });
  books = await openBooks(world);
});

afterAll(async () => {
  await world.verifyBooks();
  await books.close();
  await world.stop();
});

test("payouts end without the webhooks service, and their events follow later", async () => {
  const business = await world.business();
  const hook = await world.hook(business);
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 1_000);
  const paid = await world.bank(business, wallet);
  const failing = await world.bank(business, wallet, "0004");
  const node = world.brokers.find((broker) => broker.getLocalService("webhooks"));
  await node?.stop();

  const ends = new Map<string, string[]>();
  for (let i = 0; i < 5; i++) {
    const success = dataOf(await world.withdraw(user, paid), 200).id;
    ends.set(success, ["PENDING", "PROCESSING_PAY_OUT", "SUCCESS"]);
    ends.set(dataOf(await world.withdraw(user, failing), 200).id, ["PENDING", "FAILED"]);
  }
  for (const [id, states] of ends) await world.status(business, id, states.at(-1) as string);
  expect(await world.balance(business, wallet)).toBe((1_000 - 5 * 25.25).toFixed(2));

  const back = createBroker(world.config, "webhooks-again", world.broker.namespace);
  back.createService(webhooks(world.config));
  await back.start();
  const eventsOf = (id: string) =>
    hook.received.filter(({ body }) => body.payload.transactionId === id);
  for (const [id, states] of ends) {
    await until(() => eventsOf(id).length >= states.length, { awaited: `the events of ${id}` });
    expect(eventsOf(id).map(({ body }) => body.status)).toEqual(states);
    expect(new Set(eventsOf(id).map(({ headers }) => headers["webhook-id"])).size).toBe(
      states.length,
    );
  }
  await until(async () => (await books.payouts.countDocuments(UNSENT)) === 0);
  await back.stop();
});
