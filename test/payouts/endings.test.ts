// The outcomes of a payout (docs/integrate/rest-api.md, Payout states). The last four digits choose
// them at the sandbox rail. Every state is an event, in order, and a failed payout is refunded in
// full exactly once.

import type { PayoutMethod } from "../../shared/config/payout-methods.ts";
import type { Status } from "../../shared/contracts/transactions.ts";
import { openBooks } from "../support/payouts.ts";
import { settableClock } from "../support/settable-clock.ts";
import { until } from "../support/system.ts";
import {
  dataOf,
  startWorld,
  type TestAccount,
  type TestBusiness,
  type TestHook,
  type TestUser,
  type TestWallet,
  type World,
} from "../support/world.ts";

const clock = settableClock();
let world: World;
let business: TestBusiness;
let hook: TestHook;

beforeAll(async () => {
  world = await startWorld({ payoutsInstead: [{ clock }] });
  business = await world.business();
  hook = await world.hook(business);
});

afterEach(() => {
  clock.aheadMs = 0;
});

afterAll(async () => {
  const books = await openBooks(world);
  await books.bringBack();
  await books.close();
  await world.verifyBooks();
  await world.stop();
});

interface Arranged {
  user: TestUser;
  wallet: TestWallet;
  account: TestAccount;
}

async function arrange(lastFour: string, kind: "bank" | "card" = "bank"): Promise<Arranged> {
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 100);
  const account =
    kind === "bank"
      ? await world.bank(business, wallet, lastFour)
      : await world.card(business, wallet, lastFour);
  return { user, wallet, account };
}

async function withdrawTo({ user, account }: Arranged, body: object = {}): Promise<string> {
  return dataOf(await world.withdraw(user, account, { amount: 50, ...body }), 200).id;
}

/** The statuses of a transaction that the webhook received, in the order of their arrival. */
function eventsOf(id: string): { status: string; reason: string }[] {
  return hook.received
    .filter(({ body }) => body.payload.transactionId === id)
    .map(({ body }) => ({ status: body.status, reason: body.payload.reason }));
}

async function expectEvents(id: string, statuses: string[]) {
  const arrived = () => eventsOf(id).length >= statuses.length;
  await until(arrived, { awaited: `the events of ${id}` });
  expect(eventsOf(id).map(({ status }) => status)).toEqual(statuses);
}

async function timelineOf(id: string) {
  const path = `/v1/transactions/${id}/timeline`;
  return dataOf(await world.http.get(path, { token: business.token }), 200);
}

const GENERAL = "Payment could not be processed.";
const ACCOUNT_NOT_FOUND = "Recipient account not found.";
const COMPLIANCE = "Transaction declined for compliance reasons.";
const CARD = "Your payment could not be processed. Please try a different card.";
const CANCELLED = "Payment was cancelled.";

/** For each method an account, the routing type and the states before the end. */
const METHODS: Record<PayoutMethod, readonly ["bank" | "card", string | undefined, Status[]]> = {
  ACH: ["bank", "ACH", ["PENDING", "PROCESSING_PAY_OUT"]],
  RTP: ["bank", "RTP", ["PENDING", "PROCESSING_PAY_OUT"]],
  WIRE: ["bank", "WIRE", ["PENDING"]],
  PUSH_TO_CARD: ["card", undefined, ["PENDING"]],
};

describe.each(Object.values(METHODS))("%s by %s", (kind, routingType, before) => {
  test("a payout passes its states and settles", async () => {
    const arranged = await arrange("6789", kind);
    const id = await withdrawTo(arranged, { routingType });
    await world.status(business, id, "SUCCESS");
    await expectEvents(id, [...before, "SUCCESS"]);
    const { states, entries } = await timelineOf(id);
    expect(states.map(({ status }: { status: string }) => status)).toEqual([...before, "SUCCESS"]);
    expect(entries).toHaveLength(1);
  });

  test.each([
    ["0001", true, ACCOUNT_NOT_FOUND, "account_not_found"],
    ["0002", false, "Duplicate transaction detected.", "duplicate"],
    ["0003", false, COMPLIANCE, "compliance"],
    ["0004", false, GENERAL, "processing_failed"],
    [
      "0005",
      false,
      ...(kind === "card" ? [CARD, "card_declined"] : [GENERAL, "processing_failed"]),
    ],
    ["0006", true, CANCELLED, "cancelled"],
  ] as [string, boolean, string, string][])(
    "%s fails and is refunded",
    async (lastFour, isAcceptedFirst, reason, failureCode) => {
      const arranged = await arrange(lastFour, kind);
      const id = await withdrawTo(arranged, { routingType });
      const transaction = await world.status(business, id, "FAILED");
      expect(transaction).toMatchObject({ failureReason: reason, failureCode });
      // The refund comes before the FAILED event.
      expect(await world.balance(business, arranged.wallet)).toBe("100.00");
      const expected = isAcceptedFirst ? [...before, "FAILED"] : ["PENDING", "FAILED"];
      await expectEvents(id, expected);
      expect(eventsOf(id).map((event) => event.reason)).toEqual([
        ...expected.slice(1).map(() => ""),
        reason,
      ]);
      const { entries } = await timelineOf(id);
      expect(entries.map(({ entry }: { entry: string }) => entry)).toEqual(["DEBIT", "CREDIT"]);
    },
  );

  test("0007 succeeds and is returned later", async () => {
    const arranged = await arrange("0007", kind);
    const id = await withdrawTo(arranged, { routingType });
    expect(await world.status(business, id, "FAILED")).toMatchObject({
      failureReason: GENERAL,
      failureCode: "returned_by_bank",
    });
    await expectEvents(id, [...before, "SUCCESS", "FAILED"]);
    expect(await world.balance(business, arranged.wallet)).toBe("100.00");
  });

  test("0008 does not answer the submission and is found accepted", async () => {
    const arranged = await arrange("0008", kind);
    const id = await withdrawTo(arranged, { routingType });
    await clock.passDuring(world.status(business, id, "SUCCESS"));
    await expectEvents(id, [...before, "SUCCESS"]);
  });
});

test("0010 never answers: the payout stays PENDING and the money stays debited", async () => {
  const arranged = await arrange("0010");
  const id = await withdrawTo(arranged);
  await expectEvents(id, ["PENDING"]);
  // Another payout settles meanwhile, so the first one had enough time to settle.
  const other = await withdrawTo(await arrange("6789"));
  await world.status(business, other, "SUCCESS");
  expect(await world.status(business, id, "PENDING")).toMatchObject({ needsAttention: false });
  expect(await world.balance(business, arranged.wallet)).toBe("49.75");
});

test("an event's payload equals the webhook-payload endpoint except its timestamp", async () => {
  const arranged = await arrange("0004");
  const id = await withdrawTo(arranged, { reason: "Invoice 7 – ünïcode" });
  await world.status(business, id, "FAILED");
  await expectEvents(id, ["PENDING", "FAILED"]);
  const asked = Date.now();
  const path = `/v1/transactions/${id}/webhook-payload`;
  const answer = await world.http.get(path, { token: business.token });
  expect(answer.body).toEqual({
    success: true,
    data: {
      eventType: "WITHDRAWAL",
      status: "FAILED",
      payload: {
        description: "Payment failed: bank account ending in 0004",
        method: "BANK_TRANSFER_ACH",
        transactionId: id,
        walletId: arranged.wallet.id,
        entityId: arranged.user.id,
        entityType: "USER",
        summary: "Invoice 7 – ünïcode",
        entry: "DEBIT",
        amount: 50,
        currency: "USD",
        timestamp: expect.any(Number),
        feeCharged: "0.25",
        reason: GENERAL,
      },
    },
  });
  const { timestamp } = answer.body.data.payload;
  expect(timestamp).toBeGreaterThanOrEqual(asked);
  const sent = hook.received.filter(({ body }) => body.payload.transactionId === id).at(-1)?.body;
  expect(sent).toEqual({
    ...answer.body.data,
    payload: { ...answer.body.data.payload, timestamp: sent.payload.timestamp },
  });
  expect(sent.payload.timestamp).toBeLessThanOrEqual(timestamp);
});
