// A withdrawal over HTTP (docs/integrate/rest-api.md, Withdrawals): its request, its answer, its
// payout method.

import { openBooks } from "../support/payouts.ts";
import { refusal } from "../support/refusal.ts";
import { served } from "../support/system.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(async () => {
  await world.verifyBooks();
  await world.stop();
});

test("a withdrawal debits the amount and the fee, is queued, and settles", async () => {
  const { business, user, wallet } = await world.payer(100);
  const bank = await world.bank(business, wallet);
  const answer = await world.withdraw(user, bank, { amount: 25, reason: "  Rent, May  " });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    success: true,
    message: `Payment queued. Its final status arrives by webhook, or ask GET /v1/ext/withdrawals/${answer.body.data.id}.`,
    data: { id: expect.any(String), status: "PENDING", fees: "0.25", amount: "25.25" },
  });
  expect(await world.balance(business, wallet)).toBe("74.75");
  const books = await openBooks(world);
  const payout = await books.payouts.findOne({ _id: answer.body.data.id });
  await books.close();
  expect(payout?.origin?.requestId).toBe(answer.headers["x-request-id"]);
  const transaction = await world.status(business, answer.body.data.id, "SUCCESS");
  expect(transaction).toMatchObject({
    flow: "PAYOUT",
    amount: "25.25",
    fees: "0.25",
    currency: "USD",
    entityId: user.id,
    walletId: wallet.id,
    linkedAccountId: bank.id,
    reason: "Rent, May",
    failureReason: null,
    failureCode: null,
    needsAttention: false,
    recipient: {
      name: "Ada Lovelace",
      email: "ada@example.com",
      lastFour: "6789",
      bankName: "First Bank",
    },
    entity: { id: user.id, email: user.email, externalIdentifier: null },
  });
  expect(await world.balance(business, wallet)).toBe("74.75");
});

test.each([
  ["RTP", "BANK_TRANSFER_RTP", "0.50"],
  ["ACH", "BANK_TRANSFER_ACH", "0.25"],
  ["BANK", "BANK_TRANSFER_ACH", "0.25"],
  [undefined, "BANK_TRANSFER_ACH", "0.25"],
  ["WIRE", "BANK_TRANSFER_WIRE", "15.00"],
])("a bank account with routingType %s is paid by %s for %s", async (routingType, method, fees) => {
  const { business, user, wallet } = await world.payer(1_000);
  const bank = await world.bank(business, wallet);
  const { id, ...data } = dataOf(await world.withdraw(user, bank, { routingType }), 200);
  expect(data.fees).toBe(fees);
  expect(data.amount).toBe((25 + Number(fees)).toFixed(2));
  expect(await payloadOf(business, id)).toMatchObject({
    payload: { method, amount: 25, feeCharged: fees },
  });
});

test.each(["card", "prepaid_card"] as const)(
  "a %s is paid by push-to-card for every routingType",
  async (optionType) => {
    const { business, user, wallet } = await world.payer(1_000);
    const card = await world.card(business, wallet, "4242", optionType);
    for (const routingType of [undefined, "ACH", "WIRE"]) {
      const data = dataOf(await world.withdraw(user, card, { amount: 100, routingType }), 200);
      expect(data.fees).toBe("1.50");
      expect(await payloadOf(business, data.id)).toMatchObject({
        payload: { method: "PUSH_TO_CARD" },
      });
    }
  },
);

// International accounts have their own endpoint for linking; a withdrawal treats them alike.
test("an international account is paid only by wire", async () => {
  const { business, user, wallet } = await world.payer(1_000);
  const account = await world.bank(business, wallet);
  const books = await openBooks(world);
  const international = { $set: { optionType: "international_bank" } };
  await books.linkedAccounts.updateOne({ _id: account.id }, international);
  await books.close();
  for (const routingType of [undefined, "WIRE"]) {
    const { id } = dataOf(await world.withdraw(user, account, { routingType }), 200);
    expect((await payloadOf(business, id)).payload.method).toBe("BANK_TRANSFER_WIRE");
  }
  for (const routingType of ["ACH", "RTP", "BANK"]) {
    const { status, body } = await world.withdraw(user, account, { routingType });
    expect([status, body.message]).toEqual([
      400,
      "routingType must be WIRE for an international bank account",
    ]);
  }
});

test("a card's fee is 1.5 %, with half a cent rounded up, and at least 0.50", async () => {
  const { business, user, wallet } = await world.payer(1_000);
  const card = await world.card(business, wallet);
  const computeFee = async (amount: number) =>
    dataOf(await world.withdraw(user, card, { amount }), 200).fees;
  expect(await computeFee(1)).toBe("0.50");
  expect(await computeFee(33.33)).toBe("0.50");
  expect(await computeFee(33.67)).toBe("0.51");
  expect(await computeFee(101)).toBe("1.52");
});

// The mapping looks inverted, but the API promises it (docs/integrate/rest-api.md, Withdrawals).
test.each([
  ["payout", "PAYMENT"],
  ["PayOut", "PAYMENT"],
  ["payment", "PAYOUT"],
  ["", "PAYOUT"],
  ["   ", "PAYOUT"],
  ["p".repeat(256), "PAYOUT"],
  [undefined, "PAYOUT"],
])("transactionType %s gives flow %s", async (transactionType, flow) => {
  const { business, user, wallet } = await world.payer(1_000);
  const bank = await world.bank(business, wallet);
  const { id } = dataOf(await world.withdraw(user, bank, { transactionType }), 200);
  expect(await world.status(business, id, "SUCCESS")).toMatchObject({ flow });
});

test("a merchant withdraws only from its own wallet", async () => {
  const { business, wallet } = await world.payer(1_000);
  const own = await world.wallet(business, business, 50);
  const ownBank = await world.bank(business, own);
  const usersBank = await world.bank(business, wallet);
  const { id } = dataOf(await world.withdraw(business, ownBank), 200);
  expect(await payloadOf(business, id)).toMatchObject({
    payload: { entityId: business.id, entityType: "BUSINESS", walletId: own.id },
  });
  expect((await world.withdraw(business, usersBank)).status).toBe(404);
});

test("a withdrawal takes the whole balance, to the cent", async () => {
  const { business, user, wallet } = await world.payer(25.25);
  const bank = await world.bank(business, wallet);
  const tooMuch = await world.withdraw(user, bank, { amount: 25.01 });
  expect(tooMuch.body).toEqual(refusal("Insufficient Funds #912"));
  dataOf(await world.withdraw(user, bank, { amount: 25 }), 200);
  expect(await world.balance(business, wallet)).toBe("0.00");
});

test("without an Idempotency-Key two equal requests are two withdrawals", async () => {
  const { business, user, wallet } = await world.payer(100);
  const bank = await world.bank(business, wallet);
  const first = dataOf(await world.withdraw(user, bank), 200);
  const second = dataOf(await world.withdraw(user, bank), 200);
  expect(second.id).not.toBe(first.id);
  expect(await world.balance(business, wallet)).toBe("49.50");
});

test("200 withdrawals race on a wallet with funds for 7: seven succeed", async () => {
  // This test does not limit declines.
  const racing = await startWorld({ environment: { DECLINE_LIMIT: "off" } });
  const business = await racing.business();
  const user = await racing.user(business);
  const wallet = await racing.wallet(business, user, 7 * 25.25 + 25.24);
  const bank = await racing.bank(business, wallet);
  // A busy machine refuses some requests, and the test sends them again.
  const ask = () => served(() => racing.withdraw(user, bank, { amount: 25 }));
  const answers = await Promise.all(Array.from({ length: 200 }, ask));
  const accepted = answers.filter(({ status }) => status === 200);
  const declined = answers.filter(
    ({ status, body }) => status === 400 && body.message === "Insufficient Funds #912",
  );
  expect([accepted.length, declined.length]).toEqual([7, 193]);
  expect(await racing.balance(business, wallet)).toBe("25.24");
  for (const { body } of accepted) await racing.status(business, body.data.id, "SUCCESS");
  await racing.verifyBooks();
  await racing.stop();
});

async function payloadOf(business: { token: string }, id: string) {
  const path = `/v1/transactions/${id}/webhook-payload`;
  return dataOf(await world.http.get(path, { token: business.token }), 200);
}
