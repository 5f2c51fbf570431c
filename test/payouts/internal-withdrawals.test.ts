// Withdrawals of an internal system, whose node joins over NATS as
// docs/integrate/internal-systems.md says: the code of that page, with Moleculer's defaults.

import { randomUUID } from "node:crypto";
import { Script } from "node:vm";
import { ServiceBroker } from "moleculer";
import { NODE_PAGE } from "../support/page-node.ts";
import { startWorld, type TestAccount, type TestUser, type World } from "../support/world.ts";

type Answer = { id: string; amount: string };
type Call = (action: string, params: object, meta?: object) => Promise<Answer>;
type Order = { id: string; amount: number };

let world: World;
let node: ServiceBroker;

beforeAll(async () => {
  world = await startWorld({ overNats: true });
  node = new ServiceBroker({
    namespace: world.broker.namespace,
    nodeID: `orders-${process.pid}`,
    transporter: { type: "NATS", options: { servers: [process.env.TEST_NATS_URL as string] } },
    logger: false,
  });
  await node.start();
  await node.waitForServices(["payouts", "accounts"], 60_000, 20);
});
afterAll(async () => {
  await node?.stop();
  await world?.stop();
});

/** The function with which the page withdraws. */
function pageWithdraw(call: Call) {
  const code = /<!-- repeatable withdrawal -->\s+```js\n(.*?)```/s.exec(NODE_PAGE)?.[1] as string;
  return new Script(`${code}; withdraw`).runInNewContext({ call, setTimeout }) as (
    userId: string,
    linkedAccountId: string,
    order: Order,
  ) => Promise<Answer>;
}

const call: Call = (action, params, meta = {}) => node.call(action, params, { meta });

async function payer() {
  const { business, user, wallet } = await world.payer(100);
  return { business, user, wallet, bank: await world.bank(business, wallet) };
}

test("the page's withdrawal pays once, however often it is repeated", async () => {
  const { business, user, wallet, bank } = await payer();
  let lost = 0;
  const withdraw = pageWithdraw(async (...given) => {
    const answer = await call(...given);
    if (lost++ > 0) return answer;
    throw Object.assign(new Error("The answer is lost"), { type: "REQUEST_TIMEOUT", code: 504 });
  });
  const order = { id: `order-${randomUUID()}`, amount: 25 };
  const first = await withdraw(user.id, bank.id, order);
  const again = await withdraw(user.id, bank.id, order);
  expect(lost).toBe(3);
  expect(again.id).toBe(first.id);
  await expect(withdraw(user.id, bank.id, { ...order, amount: 26 })).rejects.toMatchObject({
    type: "KEY_REUSED",
    code: 422,
  });
  const other = await withdraw(user.id, bank.id, { id: `order-${randomUUID()}`, amount: 10 });
  expect(other.id).not.toBe(first.id);
  // 100.00 less 25.25 and 10.25.
  expect(await world.balance(business, wallet)).toBe("64.50");
  await world.verifyBooks();
});

function withdrawal({ id }: TestAccount) {
  const body = { amount: 25, walletType: "SPEND", reason: "Order" };
  return { currency: "USD", linkedAccountId: id, body };
}
const right = (user: TestUser) => ({
  actor: { sub: user.id, role: "user" },
  deadline: Date.now() + 5_000,
  idempotency: { route: "orders", key: randomUUID(), request: "25" },
});

test.each([
  ["idempotency", "a-key"],
  ["idempotency", 7],
  ["idempotency", null],
  ["idempotency", []],
  ["idempotency", {}],
  ["idempotency", { key: "k" }],
  ["idempotency", { route: "orders", key: "k" }],
  ["idempotency", { key: "k", request: "25" }],
  ["idempotency", { route: "orders", key: "two words", request: "25" }],
  ["idempotency", { route: "orders", key: "", request: "25" }],
  ["idempotency", { route: "orders", key: "k", request: { amount: 25 } }],
  ["idempotency", { route: "orders", key: { $ne: "k" }, request: "25" }],
  ["actor", "user"],
  ["actor", { sub: 7, role: "user" }],
  ["actor", { sub: { $ne: "" }, role: "user" }],
  ["actor", { sub: "x", role: "root" }],
  ["deadline", "tomorrow"],
  ["deadline", null],
])("meta with %s %j is refused, and nothing is done", async (part, value) => {
  const { business, user, wallet, bank } = await payer();
  const refused = call("payouts.withdraw", withdrawal(bank), { ...right(user), [part]: value });
  await expect(refused).rejects.toMatchObject({
    type: "VALIDATION",
    message: expect.stringContaining(`meta.${part}`),
  });
  expect(await world.balance(business, wallet)).toBe("100.00");
  // The refusal holds up no later request of the user.
  await call("payouts.withdraw", withdrawal(bank), right(user));
  expect(await world.balance(business, wallet)).toBe("74.75");
});

test("an action that keeps its answers refuses a key of another shape", async () => {
  const { id: businessId } = await world.business();
  const actor = { sub: businessId, role: "merchant" };
  const create = (idempotency: unknown) =>
    call("accounts.createEntity", { businessId, email: "ada@example.com" }, { actor, idempotency });
  await expect(create("k-1")).rejects.toMatchObject({ type: "VALIDATION" });
  const key = { route: "people", key: "k-1", request: "one" };
  expect((await create(key)).id).toBe((await create(key)).id);
  await expect(create({ ...key, request: "other" })).rejects.toMatchObject({ type: "KEY_REUSED" });
});
