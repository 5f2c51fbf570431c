// camt.054, the bank's word about the account: settled and returned payments, batches in one sum,
// charges, ordinary traffic, entries that are not understood, and notifications that are not whole.

import { type AnswerFile, type Part, Unreadable } from "../../../partners/bank-files/format.ts";
import { iso20022Format } from "../../../partners/bank-files/iso20022/format.ts";
import { type Booking, notification } from "../../support/bank/iso20022.ts";
import { readAnswer } from "../../support/bank/read-answer.ts";
import { batchOf, internationalPayment, ORIGINATOR, usPayment } from "../../support/bank/wires.ts";

const format = iso20022Format(ORIGINATOR);
const payments = [usPayment(), internationalPayment()];
const [first, second] = payments.map(({ id }) => id) as [string, string];
const [shortFirst, shortSecond] = [first, second].map(format.shortId) as [string, string];
const file = format.write(batchOf(payments));
const BATCH = "P-20261126-000001";
const money = { amountMinor: 123_456, currency: "USD" };
const settled = { payment: first, ...money, state: "settled", isBooked: true };
const OTHER: Booking = { other: "CRDT", amountMinor: 77_700 };
const read = (text: Buffer | string) => readAnswer(format, Buffer.from(text));
const answerTo = (bookings: Booking[], options = {}) => read(notification(file, bookings, options));
const toldBy = ({ parts }: AnswerFile) => parts.flatMap(({ told }) => told);

test.each(["08", "04", "02"] as const)(
  "version %s says which payments are settled and returned",
  (version) => {
    const bookings: Booking[] = [
      { debit: first },
      OTHER,
      { returned: second, reason: "AC04" },
      { other: "DBIT", amountMinor: 1 },
    ];
    const returned = { state: "returned", code: "account_closed", isBooked: true };
    expect(answerTo(bookings, { version })).toEqual({
      parts: [
        { where: "notification 1, entry 1", told: [settled] },
        {
          where: "notification 1, entry 3",
          told: [{ payment: second, amountMinor: 50, currency: "USD", ...returned }],
        },
      ],
      passedOver: 2,
    });
  },
);

test("a return has the amount that came back", () => {
  const told = toldBy(answerTo([{ returned: first, reason: "AC04", amountMinor: 120_000 }]));
  expect(told).toMatchObject([{ payment: first, amountMinor: 120_000 }]);
});

test("a pending debit says nothing yet", () => {
  const pending = answerTo([{ debit: first, status: "PDNG" }, OTHER]);
  expect(pending).toEqual({ parts: [], passedOver: 2 });
});

test("each booking of a payment is told, with the bank's reference", () => {
  const text = notification(file, [{ debit: first }, { debit: first }]).toString();
  let count = 0;
  const referred = text.replace(/<BookgDt>.*?<\/BookgDt>/g, (day) => {
    return `${day}<AcctSvcrRef>BANK-${++count}</AcctSvcrRef>`;
  });
  expect(toldBy(read(referred))).toEqual([
    { ...settled, reference: "BANK-1" },
    { ...settled, reference: "BANK-2" },
  ]);
  const inDetails = text.replaceAll("<Refs>", "<Refs><AcctSvcrRef>REF-7</AcctSvcrRef>");
  expect(toldBy(read(inDetails))[0]).toMatchObject({ reference: "REF-7" });
  const none = text.replaceAll("<Refs>", "<Refs><AcctSvcrRef>NONREF</AcctSvcrRef>");
  expect(toldBy(read(none))[0]).toEqual(settled);
});

type Changes = [string | RegExp, string][];
const SUMMARY = /<TxsSummry>[\s\S]*<\/TxsSummry>/;

function replaced(text: string, changes: Changes): string {
  return changes.reduce((before, [from, to]) => {
    const after = before.replace(from, to);
    expect(after).not.toBe(before);
    return after;
  }, text);
}

/** The only part of a file with another's entry, and a booking of ours with more in it. */
const only = (changes: Changes, booking: Booking = { debit: first }): Part => {
  const { parts, passedOver } = read(
    replaced(notification(file, [booking, OTHER]).toString(), changes),
  );
  const [part, ...others] = parts;
  expect([others, passedOver]).toEqual([[], 1]);
  return part as Part;
};
const faultOf = ({ fault, told }: Part) => fault ?? told.flatMap((each) => each.fault ?? []).join();

const booked = { batch: BATCH, amountMinor: 123_506, currency: "USD" };
test("a batch in one sum is told with its sum and its number of payments", () => {
  expect(only([], { batch: BATCH })).toMatchObject({
    told: [],
    booked: [{ ...booked, payments: 2 }],
  });
});

const SUMMED = /<Btch>[\s\S]*<\/Btch>/;
const refs = (inside: string) => `<TxDtls><Refs>${inside}</Refs></TxDtls>`;
test.each<[string, Changes]>([
  [
    "one detail with the file's ids",
    [[SUMMED, refs(`<MsgId>${BATCH}</MsgId><PmtInfId>${BATCH}</PmtInfId>`)]],
  ],
  [
    "one detail with the block's id",
    [[SUMMED, refs(`<PmtInfId>${BATCH}</PmtInfId><EndToEndId>NOTPROVIDED</EndToEndId>`)]],
  ],
  ["the block's id in lower case", [[SUMMED, refs(`<PmtInfId>${BATCH.toLowerCase()}</PmtInfId>`)]]],
  [
    "details without ids of the payments",
    [
      [
        SUMMED,
        `<Btch><MsgId>${BATCH}</MsgId></Btch>${refs("<EndToEndId>NOTPROVIDED</EndToEndId>").repeat(2)}`,
      ],
    ],
  ],
  [
    "the entry's reference",
    [
      [SUMMED, ""],
      ["<Ntry>", `<Ntry><NtryRef>${BATCH}</NtryRef>`],
    ],
  ],
  [
    "the bank's reference",
    [
      [SUMMED, ""],
      ["<BkTxCd>", `<AcctSvcrRef>${BATCH}</AcctSvcrRef><BkTxCd>`],
    ],
  ],
])("a debit that names the file by %s books the batch", (_, changes) => {
  expect(only(changes, { batch: BATCH }).booked).toMatchObject([booked]);
});

test("an entry with fewer details than its batch has payments tells both", () => {
  const some = `<Btch><MsgId>${BATCH}</MsgId><NbOfTxs>2</NbOfTxs></Btch>${refs(`<EndToEndId>${shortFirst}</EndToEndId>`)}`;
  const part = only([[SUMMED, some]], { batch: BATCH });
  expect(part.told).toMatchObject([{ payment: first, state: "settled" }]);
  expect(part.booked).toEqual([{ ...booked, payments: 2 }]);
});

test.each<[string, string, Changes]>([
  [
    "only in a text",
    "only a text",
    [
      [SUMMED, ""],
      ["</NtryDtls>", `</NtryDtls><AddtlNtryInf>your file ${BATCH}</AddtlNtryInf>`],
    ],
  ],
  [
    "as a return",
    "comes back in one sum",
    [
      [SUMMED, refs(`<MsgId>${BATCH}</MsgId>`)],
      ["<Sts>", "<RvslInd>true</RvslInd><Sts>"],
    ],
  ],
  ["beside another file", "names two files", [["</PmtInfId>", "1</PmtInfId>"]]],
  ["without an amount", "no sum of money", [[/(<Ntry><Amt[^>]*>)[^<]*/, "$1"]]],
])("a debit that names the file %s settles nothing, and has a fault", (_, words, changes) => {
  const { parts } = read(replaced(notification(file, [{ batch: BATCH }]).toString(), changes));
  expect(parts.map(({ batch }) => batch)).toContain(BATCH);
  for (const part of parts)
    expect(part).toMatchObject({ told: [], fault: expect.stringContaining(words) });
});

test("traffic of another account is passed over, also a credit of the recipient", () => {
  const text = notification(file, [{ debit: first }, OTHER], { account: "999" }).toString();
  const credited = text.replace(/DBIT/g, "CRDT").replace(/<TxsSummry>[\s\S]*<\/TxsSummry>/, "");
  expect(read(credited)).toEqual({ parts: [], passedOver: 2 });
});

test("the payer's account may be written with or without zeros, blanks and lower case", () => {
  for (const account of ["111222333", "000111222333", "000 111 222 333"]) {
    expect(toldBy(answerTo([{ debit: first }], { account }))).toEqual([settled]);
  }
});

test.each([
  ["a debit", { debit: first }],
  ["a return", { returned: first }],
])("%s of a payment on another account has a fault", (_, booking) => {
  const [told] = toldBy(answerTo([booking], { account: "999" }));
  expect(told).toMatchObject({ payment: first, fault: expect.stringContaining("not the payer's") });
});

test.each([
  ["its own reference", refs(`<EndToEndId>${BATCH}</EndToEndId>`)],
  ["a text", `<TxDtls><RmtInf><Ustrd>for ${BATCH}</Ustrd></RmtInf></TxDtls>`],
])("a credit that is no return is a warning if %s names the file", (_, detail) => {
  const changes: Changes = [[/<TxDtls>[\s\S]*?<\/TxDtls>/, detail]];
  expect(only(changes, { other: "CRDT", amountMinor: 1 })).toMatchObject({
    batch: BATCH,
    whole: { state: "noted", problem: expect.stringContaining("no return") },
  });
  const back = only([...changes, ["DMCT", "RRTN"]], { other: "CRDT", amountMinor: 1 });
  expect(back.fault).toEqual(expect.stringContaining("text names the file"));
});

test("a credit that is no return is a warning, wherever it names the payment", () => {
  const credit = only([["RRTN", "DMCT"]], { returned: first });
  const warning = { payment: first, state: "noted", problem: expect.stringContaining("no return") };
  expect(credit.told).toEqual([warning]);
  const worded = only(
    [
      ["RRTN", "DMCT"],
      [shortFirst, "NOTPROVIDED"],
      ["</TxDtls>", `<RmtInf><Ustrd>for ${first}!</Ustrd></RmtInf></TxDtls>`],
    ],
    { returned: first },
  );
  expect(worded.told).toEqual([warning]);
});

test.each<[string, Changes]>([
  ["a return that is reversed", [["<Sts>", "<RvslInd>true</RvslInd><Sts>"]]],
  ["a status of the bank's own", [[/<Sts>[\s\S]*?<\/Sts>/, "<Sts><Prtry>Gebucht</Prtry></Sts>"]]],
  ["no status", [[/<Sts>[\s\S]*?<\/Sts>/, ""]]],
  ["no direction", [["<CdtDbtInd>DBIT</CdtDbtInd>", "<CdtDbtInd>BOTH</CdtDbtInd>"]]],
  ["a second amount", [["<CdtDbtInd>", '<Amt Ccy="USD">1.00</Amt><CdtDbtInd>']]],
  ["an amount that is none", [[/(<\/Refs>\s*<Amt[^>]*>)[^<]*/, "$11.234,56"]]],
  ["a negative amount", [[/(<\/Refs>\s*<Amt[^>]*>)/, "$1-"]]],
  [
    "its payment in a text alone",
    [
      [shortFirst, "NOTPROVIDED"],
      ["</TxDtls>", `<AddtlTxInf>${first}</AddtlTxInf></TxDtls>`],
    ],
  ],
  ["another sum than its details", [[/(<Ntry><Amt Ccy="USD">)1234.56/, "$11234.57"]]],
  ["more details than it counts", [["<TxDtls>", "<Btch><NbOfTxs>0</NbOfTxs></Btch><TxDtls>"]]],
])("an entry with %s has a fault, and the rest of the file is read", (_, changes) => {
  const text = notification(file, [{ debit: first }, { debit: second }, OTHER]).toString();
  const { parts } = read(replaced(text.replace(SUMMARY, ""), changes));
  expect(parts).toHaveLength(2);
  expect(faultOf(parts[0] as Part)).toEqual(expect.stringMatching(/\w/));
  expect(parts[0]?.told).toMatchObject([{ payment: first }]);
  expect(parts[1]?.told).toMatchObject([{ payment: second, state: "settled" }]);
  expect(faultOf(parts[1] as Part)).toBe("");
});

test.each<[string, Changes]>([
  ["a status of the bank's own", [[/<Sts>[\s\S]*?<\/Sts>/, "<Sts><Prtry>Gebucht</Prtry></Sts>"]]],
  ["no status", [[/<Sts>[\s\S]*?<\/Sts>/, ""]]],
  ["no direction", [["<CdtDbtInd>CRDT</CdtDbtInd>", ""]]],
  ["an empty amount", [[/(<\/Refs>\s*<Amt[^>]*>)[^<]*/, "$1"]]],
  ["a negative amount", [[/(<Ntry><Amt[^>]*>)/, "$1-"]]],
  ["two amounts", [["<CdtDbtInd>", '<Amt Ccy="USD">1.00</Amt><CdtDbtInd>']]],
  ["another sum than its details", [[/(<\/Refs>\s*<Amt[^>]*>)777.00/, "$1776.00"]]],
  ["another currency", [[/Ccy="USD"/, 'Ccy="JPY"']]],
])("a foreign entry with %s refuses nothing", (_, changes) => {
  const [entries, ...rest] = notification(file, [OTHER, { debit: first }])
    .toString()
    .split("</Ntry>");
  const damaged = replaced(entries as string, changes);
  const { parts, passedOver } = read([damaged, ...rest].join("</Ntry>"));
  expect(passedOver).toBe(1);
  expect(parts).toEqual([{ where: "notification 1, entry 2", told: [settled] }]);
});

const amount = (name: string, value: string, currency = "USD") =>
  `<${name}><Amt Ccy="${currency}">${value}</Amt></${name}>`;
const charges = (value: string) =>
  `<Chrgs><TtlChrgsAndTaxAmt Ccy="USD">${value}</TtlChrgsAndTaxAmt></Chrgs>`;
const records = (...values: string[]) =>
  `<Chrgs>${values.map((value) => `<Rcrd><Amt Ccy="USD">${value}</Amt><ChrgInclInd>true</ChrgInclInd></Rcrd>`).join("")}</Chrgs>`;
const withMoney = (entry: string, detail: string) =>
  notification(file, [{ debit: first }])
    .toString()
    .replace(SUMMARY, "")
    .replace(/<Ntry><Amt Ccy="USD">[^<]*<\/Amt>/, `<Ntry>${entry}`)
    .replace(/(<\/Refs>)\s*<Amt[\s\S]*?<\/Amt>/, `$1${detail}`);
const amt = (value: string, currency = "USD") => `<Amt Ccy="${currency}">${value}</Amt>`;

test.each([
  [
    "charges within the detail",
    amt("1249.56"),
    `${amt("1249.56")}<AmtDtls>${amount("InstdAmt", "1234.56")}</AmtDtls>${charges("15.00")}`,
  ],
  [
    "charges in several records",
    amt("1249.56"),
    `${amt("1249.56")}<AmtDtls>${amount("InstdAmt", "1234.56")}</AmtDtls>${records("10.00", "5.00")}`,
  ],
  ["charges within the entry alone", amt("1249.56") + charges("15.00"), amt("1234.56")],
  [
    "charges in an entry with one amount",
    amt("1249.56") + charges("15.00"),
    `<AmtDtls>${amount("InstdAmt", "1234.56")}</AmtDtls>`,
  ],
  [
    "charges within the detail, and no instruction",
    amt("1249.56"),
    `${amt("1249.56")}${records("10.00", "5.00")}`,
  ],
  ["charges within the entry and its detail", amt("1249.56") + records("15.00"), amt("1249.56")],
  [
    "charges whose mark stands outside a record",
    amt("1249.56"),
    `${amt("1249.56")}<Chrgs><Amt Ccy="USD">15.00</Amt><ChrgInclInd>true</ChrgInclInd></Chrgs>`,
  ],
  ["charges within an entry of one amount", amt("1249.56") + records("15.00"), ""],
  ["charges beside the detail's amount", amt("1249.56"), `${amt("1234.56")}${charges("15.00")}`],
  [
    "an exchange",
    amt("1234.56"),
    `${amt("1100.00", "EUR")}<AmtDtls>${amount("InstdAmt", "1234.56")}${amount("TxAmt", "1100.00", "EUR")}</AmtDtls>`,
  ],
  ["an exchange, without the instruction", amt("1234.56"), amt("1100.00", "EUR")],
  ["an empty transaction amount", amt("1234.56"), `<AmtDtls>${amount("TxAmt", "")}</AmtDtls>`],
  ["a plus", amt("+1234.56"), amt("+1234.56")],
  ["more zeros", amt("001234.5600"), amt("1234.560")],
])("the payment's own amount is told with %s", (_, entry, detail) => {
  const { parts } = read(withMoney(entry, detail));
  expect(parts).toEqual([{ where: "notification 1, entry 1", told: [settled] }]);
});

test.each([
  ["100.", 10_000],
  [".5", 50],
  ["+0.50", 50],
])("the amount %s is read as XML Schema writes decimals", (text, amountMinor) => {
  expect(toldBy(read(withMoney(amt(text), amt(text))))).toMatchObject([{ amountMinor }]);
});

test("an amount that the charges do not explain is told as the account has it", () => {
  const detail = `${amt("1249.56")}<AmtDtls>${amount("InstdAmt", "1234.56")}</AmtDtls>`;
  const told = toldBy(read(withMoney(amt("1249.56"), detail + charges("14.00"))));
  expect(told).toMatchObject([{ payment: first, amountMinor: 124_956 }]);
});

test("a return with charges is told with what the account got", () => {
  const text = notification(file, [{ returned: first, amountMinor: 121_956 }]).toString();
  const details = `<AmtDtls>${amount("InstdAmt", "1234.56")}</AmtDtls>${charges("15.00")}</TxDtls>`;
  expect(toldBy(read(text.replace("</TxDtls>", details)))).toMatchObject([
    { payment: first, state: "returned", amountMinor: 121_956 },
  ]);
});

test("an id of the bank's that looks like ours is no fault of a payment of ours", () => {
  const bankId = "<InstrId>4f9c1e0a7b3d4c5e8f6a1b2c3d4e5f60</InstrId>";
  const [told, ...others] = toldBy(
    read(
      notification(file, [{ debit: first }])
        .toString()
        .replace("<Refs>", `<Refs>${bankId}`),
    ),
  );
  expect(told).toEqual(settled);
  expect(others).toMatchObject([
    { payment: "4f9c1e0a-7b3d-4c5e-8f6a-1b2c3d4e5f60", fault: expect.any(String) },
  ]);
});

const whole = notification(file, [{ debit: first }, { debit: second }, OTHER]);
test("a notification cut off anywhere is unreadable", () => {
  read(whole);
  for (let length = 0; length < whole.length - 1; length += 5) {
    expect(() => read(whole.subarray(0, length))).toThrow(Unreadable);
  }
});

test("a notification with any digit of a sum, a count or an amount changed is wrong", () => {
  const text = notification(file, [{ debit: first }, { debit: second }]).toString();
  let tried = 0;
  for (const { index, 0: element } of text.matchAll(
    /<(?:NbOfNtries|Sum|Amt Ccy="USD")>([\d.]+)</g,
  )) {
    for (let at = index; at < index + element.length; at++) {
      if (!/\d/.test(text[at] as string)) continue;
      const digit = (Number(text[at]) + 1) % 10;
      const other = `${text.slice(0, at)}${digit}${text.slice(at + 1)}`;
      const faults = () => read(other).parts.map(faultOf).filter(Boolean);
      const isNoticed =
        /^<(NbOf|Sum)/.test(element) || text.slice(index - 6, index).includes("Ntry");
      if (isNoticed) expect(() => read(other)).toThrow(Unreadable);
      else expect(faults()).toHaveLength(1);
      tried += 1;
    }
  }
  expect(tried).toBeGreaterThan(30);
});

test.each([
  ["without an entry that it counts", /<Ntry>[\s\S]*?<\/Ntry>/, ""],
  ["without notifications", /<Ntfctn>[\s\S]*<\/Ntfctn>/, ""],
  ["of another message", "camt.054.001.08", "camt.053.001.08"],
  ["of a later version", "camt.054.001.08", "camt.054.001.15"],
])("a notification %s is unreadable", (_, from, to) => {
  const text = whole.toString().replace(from, to);
  expect(text).not.toBe(whole.toString());
  expect(() => read(text)).toThrow(Unreadable);
});

test("a return that the bank has subtracted from a debit has come back", () => {
  const returned = `<TxDtls><Refs><EndToEndId>${shortSecond}</EndToEndId></Refs><Amt Ccy="USD">0.50</Amt>
    <CdtDbtInd>CRDT</CdtDbtInd><RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf></TxDtls>`;
  const text = notification(file, [{ debit: first }]).toString();
  const netted = text
    .replace("</NtryDtls>", `${returned}</NtryDtls>`)
    .replace('<Ntry><Amt Ccy="USD">1234.56<', '<Ntry><Amt Ccy="USD">1234.06<')
    .replaceAll("<Sum>1234.56<", "<Sum>1234.06<");
  const { parts } = read(netted);
  expect(parts.map(faultOf)).toEqual([""]);
  expect(parts[0]?.told).toMatchObject([
    { payment: first, amountMinor: 123_456, state: "settled" },
    { payment: second, amountMinor: 50, state: "returned" },
  ]);
});

test("a payment among several details without amounts is told without an amount", () => {
  const details = [shortFirst, shortSecond].map((id) => refs(`<EndToEndId>${id}</EndToEndId>`));
  const text = notification(file, [{ debit: first }])
    .toString()
    .replace(/<TxDtls>[\s\S]*<\/TxDtls>/, details.join(""));
  expect(toldBy(read(text))).toEqual([
    { payment: first, state: "settled", isBooked: true },
    { payment: second, state: "settled", isBooked: true },
  ]);
});
