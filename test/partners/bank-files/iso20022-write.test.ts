// The pain.001 files that go to the bank: each field, the characters, the lengths, and the payments
// that cannot be written.

import { iso20022Format } from "../../../partners/bank-files/iso20022/format.ts";
import { batchOf, internationalPayment, ORIGINATOR, usPayment } from "../../support/bank/wires.ts";

const format = iso20022Format(ORIGINATOR);
const US_ID = "019ac0de-0000-7000-8000-000000000001";
const INTERNATIONAL_ID = "019ac0de-0000-7000-8000-000000000002";

const EXPECTED = `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">
  <CstmrCdtTrfInitn>
    <GrpHdr>
      <MsgId>P-20261126-000001</MsgId>
      <CreDtTm>2026-11-26T21:30:15Z</CreDtTm>
      <NbOfTxs>2</NbOfTxs>
      <CtrlSum>1235.06</CtrlSum>
      <InitgPty>
        <Nm>Payrail Test Inc.</Nm>
        <Id>
          <OrgId>
            <Othr>
              <Id>PAYRAIL01</Id>
            </Othr>
          </OrgId>
        </Id>
      </InitgPty>
    </GrpHdr>
    <PmtInf>
      <PmtInfId>P-20261126-000001</PmtInfId>
      <PmtMtd>TRF</PmtMtd>
      <BtchBookg>false</BtchBookg>
      <NbOfTxs>2</NbOfTxs>
      <CtrlSum>1235.06</CtrlSum>
      <PmtTpInf>
        <SvcLvl>
          <Cd>URGP</Cd>
        </SvcLvl>
      </PmtTpInf>
      <ReqdExctnDt>
        <Dt>2026-11-27</Dt>
      </ReqdExctnDt>
      <Dbtr>
        <Nm>Payrail Test Inc.</Nm>
        <PstlAdr>
          <StrtNm>1 Main St</StrtNm>
          <PstCd>10001</PstCd>
          <TwnNm>New York</TwnNm>
          <CtrySubDvsn>NY</CtrySubDvsn>
          <Ctry>US</Ctry>
        </PstlAdr>
        <Id>
          <OrgId>
            <Othr>
              <Id>PAYRAIL01</Id>
            </Othr>
          </OrgId>
        </Id>
      </Dbtr>
      <DbtrAcct>
        <Id>
          <Othr>
            <Id>000111222333</Id>
          </Othr>
        </Id>
        <Ccy>USD</Ccy>
      </DbtrAcct>
      <DbtrAgt>
        <FinInstnId>
          <BICFI>CHASUS33</BICFI>
          <ClrSysMmbId>
            <ClrSysId>
              <Cd>USABA</Cd>
            </ClrSysId>
            <MmbId>021000021</MmbId>
          </ClrSysMmbId>
          <PstlAdr>
            <Ctry>US</Ctry>
          </PstlAdr>
        </FinInstnId>
      </DbtrAgt>
      <ChrgBr>SHAR</ChrgBr>
      <CdtTrfTxInf>
        <PmtId>
          <InstrId>019ac0de000070008000000000000001</InstrId>
          <EndToEndId>019ac0de000070008000000000000001</EndToEndId>
        </PmtId>
        <Amt>
          <InstdAmt Ccy="USD">1234.56</InstdAmt>
        </Amt>
        <CdtrAgt>
          <FinInstnId>
            <ClrSysMmbId>
              <ClrSysId>
                <Cd>USABA</Cd>
              </ClrSysId>
              <MmbId>026009593</MmbId>
            </ClrSysMmbId>
            <PstlAdr>
              <Ctry>US</Ctry>
            </PstlAdr>
          </FinInstnId>
        </CdtrAgt>
        <Cdtr>
          <Nm>Ada Lovelace</Nm>
          <PstlAdr>
            <StrtNm>2 Oak Ave</StrtNm>
            <PstCd>62701</PstCd>
            <TwnNm>Springfield</TwnNm>
            <CtrySubDvsn>IL</CtrySubDvsn>
            <Ctry>US</Ctry>
          </PstlAdr>
        </Cdtr>
        <CdtrAcct>
          <Id>
            <Othr>
              <Id>000123456789</Id>
            </Othr>
          </Id>
          <Tp>
            <Cd>CACC</Cd>
          </Tp>
        </CdtrAcct>
        <RmtInf>
          <Ustrd>Invoice 42</Ustrd>
        </RmtInf>
      </CdtTrfTxInf>
      <CdtTrfTxInf>
        <PmtId>
          <InstrId>019ac0de000070008000000000000002</InstrId>
          <EndToEndId>019ac0de000070008000000000000002</EndToEndId>
        </PmtId>
        <Amt>
          <InstdAmt Ccy="USD">0.50</InstdAmt>
        </Amt>
        <CdtrAgt>
          <FinInstnId>
            <BICFI>DEUTDEFF</BICFI>
            <PstlAdr>
              <Ctry>DE</Ctry>
            </PstlAdr>
          </FinInstnId>
        </CdtrAgt>
        <Cdtr>
          <Nm>Muller + Sohne GmbH</Nm>
          <PstlAdr>
            <StrtNm>Unter den Linden 1</StrtNm>
            <PstCd>50667</PstCd>
            <TwnNm>Koln</TwnNm>
            <CtrySubDvsn>Nordrhein-Westfalen</CtrySubDvsn>
            <Ctry>DE</Ctry>
          </PstlAdr>
        </Cdtr>
        <CdtrAcct>
          <Id>
            <IBAN>DE89370400440532013000</IBAN>
          </Id>
        </CdtrAcct>
        <RmtInf>
          <Ustrd>Rechnung 7/2026</Ustrd>
        </RmtInf>
      </CdtTrfTxInf>
    </PmtInf>
  </CstmrCdtTrfInitn>
</Document>
`;

test("a US and an international payment are written field by field", () => {
  const payments = [usPayment({ id: US_ID }), internationalPayment({ id: INTERNATIONAL_ID })];
  expect(format.write(batchOf(payments)).toString()).toBe(EXPECTED);
});

test("the same batch gives the same bytes", () => {
  const batch = batchOf([usPayment(), internationalPayment()]);
  expect(format.write(structuredClone(batch)).equals(format.write(batch))).toBe(true);
});

test("an originator with an IBAN and a BIC alone is written without the rest", () => {
  const { address: _, ...others } = ORIGINATOR;
  const account = "GB29NWBK60161331926819";
  const euros = iso20022Format({ ...others, account, currency: "EUR", bank: { bic: "NWBKGB2L" } });
  const file = euros.write(batchOf([internationalPayment({ currency: "EUR" })])).toString();
  expect(file).toContain(`<IBAN>${account}</IBAN>`);
  expect(file).toContain(
    "<BICFI>NWBKGB2L</BICFI>\n          <PstlAdr>\n            <Ctry>GB</Ctry>",
  );
  expect(file).not.toContain("USABA");
  expect(file.match(/<StrtNm>/g)).toHaveLength(1);
});

const written = (changes: Record<string, string>, reference = "x") => {
  const payment = usPayment({ reference });
  const file = format.write(batchOf([{ ...payment, account: { ...payment.account, ...changes } }]));
  return file.toString().slice(file.indexOf("<Cdtr>"));
};

test.each([
  ["José Åström-Straße", "Jose Astrom-Strasse"],
  ["Łukasz Żółć", "Lukasz Zolc"],
  ["Иван Петров", "Ivan Petrov"],
  ["王小明", "WangXiaoMing"],
  ["<b>\"Bob\" & 'Eve'</b>", "b Bob + 'Eve' /b"],
  ["//A//B//", "A/B"],
  ["a_b@c.d; e\tf\ng", "a-b c.d e f g"],
])("the name %j is written as %j", (name, expected) => {
  expect(written({ name })).toContain(`<Nm>${expected}</Nm>`);
});

test("texts are cut to the lengths of their elements", () => {
  const long = "x".repeat(200);
  const fields = ["recipientAddress", "recipientCity", "recipientState", "recipientPostalCode"];
  const changes = Object.fromEntries(["name", ...fields].map((field) => [field, long]));
  const file = written(changes, long);
  const lengths = { Nm: 140, StrtNm: 70, PstCd: 16, TwnNm: 35, CtrySubDvsn: 35, Ustrd: 140 };
  for (const [name, length] of Object.entries(lengths)) {
    expect(file).toContain(`<${name}>${"x".repeat(length)}</${name}>`);
  }
});

test("a cut text does not end with a space or a slash", () => {
  expect(written({ recipientCity: `${"x".repeat(33)} /y` })).toContain(
    `<TwnNm>${"x".repeat(33)}</TwnNm>`,
  );
});

test("a reference or an address of which nothing is left has no element", () => {
  const file = written({ recipientState: "//", recipientPostalCode: "" }, "\u0000");
  expect(file).not.toContain("CtrySubDvsn");
  expect(file).not.toContain("PstCd");
  expect(file).not.toContain("RmtInf");
});

test("a local account number is written as one, and a Brazilian IBAN with letters as an IBAN", () => {
  const { account } = internationalPayment();
  const file = (accountNumber: string) =>
    format.write(batchOf([internationalPayment({ account: { ...account, accountNumber } })]));
  const brazilian = "BR1800360305000010009795493C1";
  expect(file("0123456789ABC").toString()).toContain("<Id>0123456789ABC</Id>");
  expect(file(brazilian).toString()).toContain(`<IBAN>${brazilian}</IBAN>`);
});

const { account: us } = usPayment();
const { account: international } = internationalPayment();
test.each([
  ["id_not_supported", usPayment({ id: "1" })],
  ["currency_not_supported", usPayment({ currency: "EUR" })],
  ["account_type_not_supported", usPayment({ optionType: "card" })],
  ["account_type_not_supported", usPayment({ optionType: "prepaid_card" })],
  ["account_data_not_supported", usPayment({ account: {} })],
  ["account_data_not_supported", usPayment({ account: { ...us, routingNumber: "123" } })],
  ["account_data_not_supported", usPayment({ account: { ...us, accountType: "toString" } })],
  ["account_data_not_supported", usPayment({ account: { ...us, accountNumber: "12-34" } })],
  [
    "account_data_not_supported",
    internationalPayment({ account: { ...international, swiftOrBic: "NOPE" } }),
  ],
  [
    "account_data_not_supported",
    internationalPayment({ account: { ...international, recipientCountry: "" } }),
  ],
  ["recipient_name_not_supported", usPayment({ account: { ...us, name: "//" } })],
  ["amount_out_of_range", usPayment({ amountMinor: 0 })],
  ["amount_out_of_range", usPayment({ amountMinor: 1.5 })],
  ["amount_out_of_range", usPayment({ amountMinor: Number.NaN })],
  ["amount_out_of_range", usPayment({ amountMinor: 1_000_000_000_000 })],
])("%s: the payment is refused by findFault and by write", (fault, payment) => {
  expect(format.findFault(payment)).toBe(fault);
  expect(() => format.write(batchOf([payment]))).toThrow(fault);
});

test.each([1, 999_999_999_999])("the amount of %d minor units is written", (amountMinor) => {
  const payment = usPayment({ amountMinor });
  expect(format.findFault(payment)).toBeNull();
  expect(format.read(format.write(batchOf([payment]))).amountMinor).toBe(amountMinor);
});

test("a batch that is empty, has a payment twice, or has a wrong id is not written", () => {
  const payment = usPayment();
  expect(() => format.write(batchOf([]))).toThrow("has no payment");
  expect(() => format.write(batchOf([payment, payment]))).toThrow("twice");
  expect(() => format.write(batchOf([payment], { id: "a b" }))).toThrow("cannot be written");
});
