// camt.054, the bank's word about the account: settled and returned payments, batches in one sum,
// ordinary traffic, and notifications that are not whole.

import { Unreadable } from "../../../partners/bank-files/format.ts";
import { iso20022Format } from "../../../partners/bank-files/iso20022/format.ts";
import { type Booking, notification } from "../../support/bank/iso20022.ts";
import { batchOf, internationalPayment, ORIGINATOR, usPayment } from "../../support/bank/wires.ts";

const format = iso20022Format(ORIGINATOR);
const payments = [usPayment(), internationalPayment()];
const [first, second] = payments.map(({ id }) => id) as [string, string];
const file = format.write(batchOf(payments));
const BATCH = "P-20261126-000001";
const money = { amountMinor: 123_456, currency: "USD" };
const OTHER: Booking = { other: "CRDT", amountMinor: 77_700 };
const answerTo = (bookings: Booking[], options = {}) =>
  format.readAnswer(notification(file, bookings, options));

test.each(["08", "04", "02"] as const)(
  "version %s says which payments are settled and returned",
  (version) => {
    const bookings: Booking[] = [
      { debit: first },
      OTHER,
      { returned: second, reason: "AC04" },
      { other: "DBIT", amountMinor: 1 },
    ];
    expect(answerTo(bookings, { version })).toEqual({
      told: [
        { payment: first, ...money, state: "settled" },
        {
          payment: second,
          amountMinor: 50,
          currency: "USD",
          state: "returned",
          code: "account_not_found",
        },
      ],
    });
  },
);

test("a payment that settles and comes back in one file has come back", () => {
  const returned = { payment: first, ...money, state: "returned", code: "NARR" };
  expect(answerTo([{ debit: first }, { returned: first }]).told).toEqual([returned]);
  expect(answerTo([{ returned: first }, { debit: first }]).told).toEqual([returned]);
});

test("a return has the amount that came back", () => {
  const { told } = answerTo([{ returned: first, reason: "AC04", amountMinor: 120_000 }]);
  expect(told).toMatchObject([{ payment: first, amountMinor: 120_000 }]);
});

test("a pending debit says nothing yet", () => {
  expect(answerTo([{ debit: first, status: "PDNG" }, OTHER])).toEqual({ told: [] });
});

test("a batch in one sum is told with its sum and its number of payments", () => {
  expect(answerTo([{ batch: BATCH }, OTHER])).toEqual({
    told: [],
    booked: [{ batch: BATCH, amountMinor: 123_506, currency: "USD", payments: 2 }],
  });
});

test("traffic of another account is passed over, also a credit of the recipient", () => {
  const text = notification(file, [{ debit: first }, OTHER], { account: "999" }).toString();
  const credited = text.replace(/DBIT/g, "CRDT").replace(/<TxsSummry>[\s\S]*<\/TxsSummry>/, "");
  expect(format.readAnswer(Buffer.from(credited))).toEqual({ told: [] });
});

test.each([
  ["a debit", { debit: first }],
  ["a return", { returned: first }],
])("%s of a payment on another account is unreadable", (_, booking) => {
  expect(() => answerTo([booking], { account: "999" })).toThrow("no payment of the account");
});

test("a credit of a payment that is no return is unreadable", () => {
  const text = notification(file, [{ returned: first }])
    .toString()
    .replace("RRTN", "DMCT");
  expect(() => format.readAnswer(Buffer.from(text))).toThrow("no payment of the account");
});

test("a reversed debit and a credited batch are unreadable", () => {
  const reversed = (booking: Booking) => {
    const text = notification(file, [booking]).toString();
    return Buffer.from(text.replace("<Sts>", "<RvslInd>true</RvslInd><Sts>"));
  };
  expect(() => format.readAnswer(reversed({ debit: first }))).toThrow(Unreadable);
  expect(() => format.readAnswer(reversed({ batch: BATCH }))).toThrow("comes back in one sum");
});

test.each<[string, Booking]>([
  ["settled", { debit: first }],
  ["returned", { returned: first }],
])("a payment that is %s twice in one file is unreadable", (_, booking) => {
  expect(() => answerTo([booking, booking])).toThrow("booked twice");
});

const whole = notification(file, [{ debit: first }, { debit: second }, OTHER]);
test("a notification cut off anywhere is unreadable", () => {
  format.readAnswer(whole);
  for (let length = 0; length < whole.length - 1; length += 5) {
    expect(() => format.readAnswer(whole.subarray(0, length))).toThrow(Unreadable);
  }
});

test("a notification with any digit of a sum, a count or an amount changed is unreadable", () => {
  const text = notification(file, [{ debit: first }, { debit: second }]).toString();
  let tried = 0;
  for (const { index, 0: element } of text.matchAll(
    /<(?:NbOfNtries|Sum|Amt Ccy="USD")>([\d.]+)</g,
  )) {
    for (let at = index; at < index + element.length; at++) {
      if (!/\d/.test(text[at] as string)) continue;
      const digit = (Number(text[at]) + 1) % 10;
      const other = Buffer.from(`${text.slice(0, at)}${digit}${text.slice(at + 1)}`);
      expect(() => format.readAnswer(other)).toThrow(Unreadable);
      tried += 1;
    }
  }
  expect(tried).toBeGreaterThan(30);
});

test.each([
  ["without an entry that it counts", /<Ntry>[\s\S]*?<\/Ntry>/, ""],
  ["with a direction that is none", "<CdtDbtInd>DBIT", "<CdtDbtInd>BOTH"],
  ["with an entry without a status", /<Sts>[\s\S]*?<\/Sts>/, ""],
  ["with two ids of a payment", /<Refs>/, `<Refs><InstrId>${format.shortId(second)}</InstrId>`],
  ["with a payment in another currency", /Ccy="USD"/g, 'Ccy="JPY"'],
  ["without an account", /<Acct>[\s\S]*?<\/Acct>/, ""],
  ["with a batch that lacks a detail", "<TxDtls>", "<Btch><NbOfTxs>2</NbOfTxs></Btch><TxDtls>"],
  ["with a second amount", "<CdtDbtInd>", '<Amt Ccy="USD">1.00</Amt><CdtDbtInd>'],
  ["without notifications", /<Ntfctn>[\s\S]*<\/Ntfctn>/, ""],
  ["of another message", "camt.054.001.08", "camt.053.001.08"],
])("a notification %s is unreadable", (_, from, to) => {
  const text = whole.toString().replace(from, to);
  expect(text).not.toBe(whole.toString());
  expect(() => format.readAnswer(Buffer.from(text))).toThrow(Unreadable);
});

test("a return that the bank has subtracted from a debit has come back", () => {
  const id = format.shortId(second);
  const returned = `<TxDtls><Refs><EndToEndId>${id}</EndToEndId></Refs><Amt Ccy="USD">0.50</Amt>
    <CdtDbtInd>CRDT</CdtDbtInd><RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf></TxDtls>`;
  const text = notification(file, [{ debit: first }]).toString();
  const netted = text
    .replace("</NtryDtls>", `${returned}</NtryDtls>`)
    .replace('<Ntry><Amt Ccy="USD">1234.56<', '<Ntry><Amt Ccy="USD">1234.06<')
    .replaceAll("<Sum>1234.56<", "<Sum>1234.06<");
  expect(format.readAnswer(Buffer.from(netted)).told).toMatchObject([
    { payment: first, amountMinor: 123_456, state: "settled" },
    { payment: second, amountMinor: 50, state: "returned" },
  ]);
});

test("a payment among several details without amounts is told without an amount", () => {
  const refs = (id: string) => `<TxDtls><Refs><EndToEndId>${id}</EndToEndId></Refs></TxDtls>`;
  const details = refs(format.shortId(first)) + refs(format.shortId(second));
  const text = notification(file, [{ debit: first }])
    .toString()
    .replace(/<TxDtls>[\s\S]*<\/TxDtls>/, details);
  expect(format.readAnswer(Buffer.from(text)).told).toEqual([
    { payment: first, state: "settled" },
    { payment: second, state: "settled" },
  ]);
});
