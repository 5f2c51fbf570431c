// A process is killed with SIGKILL at each named point of a refund, and another process resumes the
// refund. Afterwards it is paid once, or refused and reversed; the merchant has received its
// events, and the same reference returns it.

import type { Point } from "../../../services/payment-links/points.ts";
import { crashWalk } from "../../support/crash-walk.ts";
import { openPaymentBooks, type PaymentBooks } from "../../support/payments.ts";
import { served, until } from "../../support/system.ts";
import {
  dataOf,
  startWorld,
  type TestBusiness,
  type TestHook,
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
  hook = await world.hook(business, { eventTypes: ["REFUND"] });
});

afterAll(async () => {
  await books?.close();
  await world?.stop();
});

interface Row {
  point: Point;
  /** The card's last four digits decide the acquirer's answer to the refund. */
  lastFour?: string;
  end: "SUCCEEDED" | "FAILED";
}

const WALK: Row[] = [
  { point: "refund-inserted", end: "SUCCEEDED" },
  // The payment has the reserved amount, but the refund does not record it.
  { point: "refund-allocated", end: "SUCCEEDED" },
  // The account is debited, but the refund does not record it.
  { point: "refund-posted", end: "SUCCEEDED" },
  // The acquirer has answered, but the answer is not stored.
  { point: "refund-answered", end: "SUCCEEDED" },
  { point: "refund-answered", lastFour: "5126", end: "FAILED" },
  { point: "refund-reversed", lastFour: "5126", end: "FAILED" },
  // The webhooks service has the event, and the outbox still has it too.
  { point: "refund-published", end: "SUCCEEDED" },
];

interface Walked extends Row {
  owner: string;
  paymentId: string;
}

const ASKED = { amount: 10, reference: "dies" };

test("a process dies at every point of a refund, and another one finishes the refund", () =>
  crashWalk<Row, Walked>({
    world,
    service: "payment-links",
    rows: WALK,
    begin: arrange,
    ask({ paymentId }, nodeID) {
      const params = { businessId: business.id, id: paymentId, ...ASKED };
      // The call is not awaited, because the dead process never answers.
      void world.broker.call("payment-links.refund", params, { nodeID }).catch(() => null);
    },
    expectEnd,
  }));

async function arrange(row: Row): Promise<Walked> {
  const { id: owner, token } = await world.paymentLink(business, { customerPays: false });
  const card = await world.cardToken(row.lastFour);
  const { id: paymentId } = dataOf(await world.pay({ token }, card), 200);
  return { ...row, paymentId, owner };
}

async function expectEnd({ point, end, paymentId }: Walked): Promise<void> {
  const path = `/v1/business/${business.id}/payments/${paymentId}/refunds`;
  const { token } = business;
  const name = `${point}, ${end}`;
  const ended = async () => {
    // The gateway learns that a node is dead by calling it.
    const { status, body } = await world.http.get(path, { token });
    return status === 200 && body.data[0]?.status === end && body.data;
  };
  const found = await until(ended, { awaited: name });
  expect([name, found.length, found[0].amount]).toEqual([name, 1, "10.00"]);
  const again = await served(() => world.http.post(path, ASKED, { token }));
  expect(dataOf(again, 201)).toEqual(found[0]);

  const { refundedMinor } = (await books.payments.findOne({ _id: paymentId })) ?? {};
  const charge = await books.charges.findOne({ _id: paymentId });
  const given = end === "SUCCEEDED" ? [1_000] : [];
  expect([name, refundedMinor]).toEqual([name, given[0] ?? 0]);
  expect([name, charge?.refunds.map(({ amountMinor }) => amountMinor)]).toEqual([name, given]);

  await until(() => receivedEvents(found[0].id).length > 0, { awaited: `the event of ${name}` });
  expect([name, receivedEvents(found[0].id)]).toEqual([name, [end]]);
}

/** The statuses that the merchant received, each event once. */
function receivedEvents(id: string): string[] {
  const ofRefund = hook.received.filter(({ body }) => body.payload.refundId === id);
  const byId = ofRefund.map(({ headers, body }) => [headers["webhook-id"], body.status as string]);
  return [...new Map(byId as [string, string][]).values()];
}
