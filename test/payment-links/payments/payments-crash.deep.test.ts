// A node dies in the midst of a payment, at each of its points, over a real NATS: another one decides
// what it left. Nobody is charged twice, or after having left, and what was charged is credited once.

import type { Point } from "../../../services/payment-links/payments/deps.ts";
import { openPaymentBooks, type PaymentBooks } from "../../support/payments.ts";
import { endOf, startDying } from "../../support/processes.ts";
import { until } from "../../support/system.ts";
import {
  dataOf,
  paymentBody,
  startWorld,
  type TestBusiness,
  type TestHook,
  type TestLink,
  type World,
} from "../../support/world.ts";

let world: World;
let books: PaymentBooks;
let business: TestBusiness;
let hook: TestHook;

beforeAll(async () => {
  world = await startWorld({ overNats: true });
  books = await openPaymentBooks(world);
  business = await world.business();
  hook = await world.hook(business, { eventTypes: ["COLLECTION"] });
});

afterAll(async () => {
  await world.verifyBooks();
  await books.close();
  await world.stop();
});

interface Row {
  point: Point;
  /** Of the card; they decide what the sandbox acquirer does. */
  lastFour?: string;
  end: "SUCCEEDED" | "FAILED";
  /** How often the acquirer was asked to charge. */
  charges: number;
}

const WALK: Row[] = [
  // Nothing was charged, and its customer has left: nothing is.
  { point: "payment-inserted", end: "FAILED", charges: 0 },
  // The acquirer has answered, and nobody knows what.
  { point: "charge-answered", end: "SUCCEEDED", charges: 1 },
  { point: "charge-answered", lastFour: "0002", end: "FAILED", charges: 1 },
  // The money is in the ledger, and the payment does not say so.
  { point: "collection-posted", end: "SUCCEEDED", charges: 1 },
  // Webhooks has the event, and the outbox has it still.
  { point: "payment-published", end: "SUCCEEDED", charges: 1 },
];

test("a payment over NATS is charged, credited and told", async () => {
  const link = await world.paymentLink(business);
  const { id, status } = dataOf(await world.pay(link, await world.cardToken()), 200);
  expect(status).toBe("SUCCEEDED");
  await until(() => heardOf(id).length > 0);
  expect(heardOf(id)).toEqual(["SUCCEEDED"]);
  expect(await credits(id)).toEqual(["25.00"]);
});

test("a node dies at every point, and another one decides what it left", async () => {
  // Before the first one dies: the gateway learns of that by asking.
  const card = await world.cardToken();
  const rows = [];
  for (const row of WALK) {
    const link = await world.paymentLink(business, { isOpenLink: false });
    rows.push({ ...row, link, token: await world.cardToken(row.lastFour) });
  }
  for (const { link, token, ...row } of rows) {
    const id = await dieWhilePaying(link, token, row.point);
    const payment = await books.ended(id);
    const name = `${row.point} ${row.lastFour ?? ""}`;
    expect([name, payment.status]).toEqual([name, row.end]);
    const { charges } = (await books.charges.findOne({ _id: id })) as { charges: number };
    expect([name, charges]).toEqual([name, row.charges]);
    const isPaid = row.end === "SUCCEEDED";
    expect([name, await credits(id)]).toEqual([name, isPaid ? ["25.00"] : []]);
    await until(() => heardOf(id).length > 0, { what: `${name} to be heard` });
    expect([name, heardOf(id)]).toEqual([name, [row.end]]);
    // Whoever comes next can pay a link that was not.
    const next = await until(async () => {
      const answer = await world.pay(link, card);
      return answer.status < 500 && answer;
    });
    expect([name, next.status]).toEqual([name, isPaid ? 409 : 200]);
  }
});

/** Has a new process take a payment and die at the point. @returns the payment's id */
async function dieWhilePaying(link: TestLink, card: string, point: Point): Promise<string> {
  const { child, nodeID } = await startDying(world, "payment-links", point, link.id);
  const { customer, paymentMethod } = paymentBody(card);
  const params = { token: link.token, address: "192.0.2.1", customer, paymentMethod };
  // Nobody waits for the answer of the dead.
  void world.broker.call("payment-links.pay", params, { nodeID }).catch(() => null);
  expect(await endOf(child)).toBe("SIGKILL");
  const payment = await books.payments.findOne({ linkId: link.id });
  return (payment as { _id: string })._id;
}

/** What the collection account was credited for a payment. */
async function credits(transactionId: string): Promise<string[]> {
  const payment = await books.payments.findOne({ _id: transactionId });
  const { collectionAccountId: walletId } = payment as { collectionAccountId: string };
  const entries = await world.call("wallet-ledger.entriesOf", { walletId, transactionId });
  return entries.map(({ amount }) => amount);
}

/** The ends that the merchant heard of, each event once. */
function heardOf(id: string): string[] {
  const ofPayment = hook.received.filter(({ body }) => body.payload.paymentId === id);
  const byId = new Map(ofPayment.map(({ headers, body }) => [headers["webhook-id"], body.status]));
  return [...byId.values()];
}
