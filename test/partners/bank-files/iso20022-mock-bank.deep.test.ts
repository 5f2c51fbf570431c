// A bank from outside takes payrail's files and answers them: mock-bank, in Python. Its seeded
// accounts are a payer, ACME, and recipients with a closed account and with an unknown bank.

import { iso20022Format } from "../../../partners/bank-files/iso20022/format.ts";
import { readAnswer } from "../../support/bank/read-answer.ts";
import { batchOf, internationalPayment, ORIGINATOR } from "../../support/bank/wires.ts";
import { type MockBank, startMockBank } from "./mock-bank.ts";

const format = iso20022Format({
  ...ORIGINATOR,
  account: "NL41MOCK0000000001",
  currency: "EUR",
  bank: { bic: "MOCKNL2A" },
});
const money = { amountMinor: 12_345, currency: "EUR" };

let bank: MockBank;
beforeAll(async () => {
  bank = await startMockBank("2026-11-26T09:00");
});
afterAll(() => bank.stop());

function paymentTo(accountNumber: string, swiftOrBic: string) {
  const payment = internationalPayment({ currency: "EUR", amountMinor: 12_345 });
  return { ...payment, account: { ...payment.account, accountNumber, swiftOrBic } };
}

const read = (files: Buffer[]) => files.flatMap((file) => readAnswer(format, file).parts);

test("a bank from outside accepts, rejects, settles and returns payments", async () => {
  await bank.behave("ACME", "return-later", { days: 2, reason: "AC04" });
  const paid = paymentTo("DE89370400440532013000", "DEUTDEFF");
  const closed = paymentTo("NL84MOCK0000000003", "MOCKNL2A");
  const unknown = paymentTo("NL57MOCK0000000004", "ZZZZNL2AXXX");
  const batch = batchOf([paid, closed, unknown]);
  const file = format.write(batch);
  expect(await bank.findings(file)).toEqual([]);

  await bank.send(file);
  expect(read(await bank.collect("pain.002"))).toMatchObject([
    {
      batch: batch.id,
      told: [
        { payment: paid.id, state: "accepted" },
        { payment: closed.id, state: "rejected", code: "account_closed" },
        { payment: unknown.id, state: "rejected", code: "RC01" },
      ],
    },
  ]);

  await bank.send(file);
  expect(read(await bank.collect("pain.002"))).toMatchObject([
    { batch: batch.id, whole: { state: "unclear", problem: expect.any(String) }, told: [] },
  ]);

  await bank.advance(1);
  expect(read(await bank.collect("camt.054"))).toMatchObject([
    { told: [{ payment: paid.id, ...money, state: "settled", isBooked: true }] },
  ]);

  await bank.advance(6);
  const returned = { payment: paid.id, ...money, state: "returned", code: "account_closed" };
  expect(read(await bank.collect("camt.054"))).toMatchObject([{ told: [returned] }]);
});
