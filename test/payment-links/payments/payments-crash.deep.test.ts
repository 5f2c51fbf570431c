// A node dies during a payment, at each named point, over a real NATS, and another node decides the
// payment. The customer is charged at most once, and a charge is credited once.

import type { Point } from "../../../services/payment-links/points.ts";
import { crashWalk } from "../../support/crash-walk.ts";
import { openPaymentBooks, type PaymentBooks } from "../../support/payments.ts";
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
  /** The card's last four digits decide the sandbox acquirer's answer. */
  lastFour?: string;
  end: "SUCCEEDED" | "FAILED";
  /** The number of charges that the acquirer received. */
  charges: number;
}

const WALK: Row[] = [
  // Not charged before the crash: the customer has left, so the payment fails without a charge.
  { point: "payment-inserted", end: "FAILED", charges: 0 },
  // The acquirer has answered, but the answer is not stored.
  { point: "charge-answered", end: "SUCCEEDED", charges: 1 },
  { point: "charge-answered", lastFour: "0002", end: "FAILED", charges: 1 },
  // The ledger has the posting, but the payment does not record it.
  { point: "collection-posted", end: "SUCCEEDED", charges: 1 },
  // The webhooks service has the event, and the outbox still has it too.
  { point: "payment-published", end: "SUCCEEDED", charges: 1 },
];

test("a payment over NATS is charged, credited and reported", async () => {
  const link = await world.paymentLink(business);
  const { id, status } = dataOf(await world.pay(link, await world.cardToken()), 200);
  expect(status).toBe("SUCCEEDED");
  await until(() => receivedEvents(id).length > 0);
  expect(receivedEvents(id)).toEqual(["SUCCEEDED"]);
  expect(await credits(id)).toEqual(["25.00"]);
});

interface Walked extends Row {
  owner: string;
  link: TestLink;
  token: string;
}

test("a node dies at every point, and another node decides its payment", async () => {
  const card = await world.cardToken();
  await crashWalk<Row, Walked>({
    world,
    service: "payment-links",
    rows: WALK,
    async begin(row) {
      const link = await world.paymentLink(business, { isOpenLink: false });
      return { ...row, owner: link.id, link, token: await world.cardToken(row.lastFour) };
    },
    ask({ link, token }, nodeID) {
      const { customer, paymentMethod } = paymentBody(token);
      const params = { token: link.token, address: "192.0.2.1", customer, paymentMethod };
      // The call is not awaited, because the dead node never answers.
      void world.broker.call("payment-links.pay", params, { nodeID }).catch(() => null);
    },
    expectEnd: (walked) => expectEnd(walked, card),
  });
});

async function expectEnd({ link, ...row }: Walked, card: string): Promise<void> {
  const { _id: id } = (await books.payments.findOne({ linkId: link.id })) as { _id: string };
  const payment = await books.ended(id);
  const name = `${row.point} ${row.lastFour ?? ""}`;
  expect([name, payment.status]).toEqual([name, row.end]);
  const { charges } = (await books.charges.findOne({ _id: id })) as { charges: number };
  expect([name, charges]).toEqual([name, row.charges]);
  const isPaid = row.end === "SUCCEEDED";
  expect([name, await credits(id)]).toEqual([name, isPaid ? ["25.00"] : []]);
  await until(() => receivedEvents(id).length > 0, { awaited: `the event of ${name}` });
  expect([name, receivedEvents(id)]).toEqual([name, [row.end]]);
  // The next customer can pay the link if this payment failed.
  const next = await until(async () => {
    const answer = await world.pay(link, card);
    return answer.status < 500 && answer;
  });
  expect([name, next.status]).toEqual([name, isPaid ? 409 : 200]);
}

/** The amounts that the collection account was credited for a payment. */
async function credits(transactionId: string): Promise<string[]> {
  const payment = await books.payments.findOne({ _id: transactionId });
  const { collectionAccountId: walletId } = payment as { collectionAccountId: string };
  const entries = await world.call("wallet-ledger.entriesOf", { walletId, transactionId });
  return entries.map(({ amount }) => amount);
}

/** The final statuses that the merchant received, each event once. */
function receivedEvents(id: string): string[] {
  const ofPayment = hook.received.filter(({ body }) => body.payload.paymentId === id);
  const byId = new Map(ofPayment.map(({ headers, body }) => [headers["webhook-id"], body.status]));
  return [...byId.values()];
}
