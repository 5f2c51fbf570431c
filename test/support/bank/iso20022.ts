// The bank's side of ISO 20022: files that answer a pain.001 of payrail's. It reads the pain.001
// with libxml2, not with payrail's own reader, and it writes whatever a test wants the bank to say.

import { XmlDocument } from "libxml2-wasm";

export interface Said {
  /** Such as ACSP; none by default. */
  status?: string;
  /** A code of ExternalStatusReason1Code. */
  reason?: string;
  /** The bank's own reason, and its words. */
  proprietary?: string;
  words?: string;
}

export interface Report {
  group?: Said;
  block?: Said;
  payments?: (Said & { payment: string })[];
  version?: "10" | "03";
}

/** `reference`: the bank's own for the entry. */
export type Booking = { reference?: string } /** The debit of a payment. */ & (
  | { debit: string; amountMinor?: number; status?: "BOOK" | "PDNG" }
  /** A payment that came back. */
  | { returned: string; reason?: string; amountMinor?: number }
  /** One debit for the whole batch, or one whose only detail names the batch. */
  | { batch: string; amountMinor?: number; inDetail?: true }
  /** Traffic of the account that is none of payrail's, whatever id it bears. */
  | { other: "CRDT" | "DBIT"; amountMinor: number; id?: string }
);

interface NotificationOptions {
  version?: "08" | "04" | "02";
  /** The debtor's of the file by default. */
  account?: string;
}

interface Original {
  messageId: string;
  blockId: string;
  count: string;
  sum: string;
  account: string;
  currency: string;
  /** Amounts by the payments' ids. */
  amounts: Map<string, string>;
}

const CREATED = "2026-11-27T06:00:00Z";
const DAY = "2026-11-27";

/** A pain.002 about a file. */
export function statusReport(file: Buffer, report: Report): Buffer {
  const original = readOriginal(file);
  const { group = {}, block = {}, payments = [], version = "10" } = report;
  const transfers = payments.map(({ payment, ...said }) => {
    const id = shortened(payment);
    return `<TxInfAndSts><OrgnlInstrId>${id}</OrgnlInstrId><OrgnlEndToEndId>${id}</OrgnlEndToEndId>
      ${status("TxSts", said)}
      <OrgnlTxRef><Amt>${money("InstdAmt", amountOf(original, id), original)}</Amt></OrgnlTxRef>
      </TxInfAndSts>`;
  });
  const blocks =
    block.status || transfers.length > 0
      ? `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${original.blockId}</OrgnlPmtInfId>
          ${status("PmtInfSts", block)}${transfers.join("")}</OrgnlPmtInfAndSts>`
      : "";
  return document(
    `pain.002.001.${version}`,
    `<CstmrPmtStsRpt>
      <GrpHdr><MsgId>STATUS-1</MsgId><CreDtTm>${CREATED}</CreDtTm></GrpHdr>
      <OrgnlGrpInfAndSts>
        <OrgnlMsgId>${original.messageId}</OrgnlMsgId>
        <OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>
        <OrgnlNbOfTxs>${original.count}</OrgnlNbOfTxs>
        <OrgnlCtrlSum>${original.sum}</OrgnlCtrlSum>
        ${status("GrpSts", group)}
      </OrgnlGrpInfAndSts>
      ${blocks}
    </CstmrPmtStsRpt>`,
  );
}

/** A camt.054 of the debtor's account. */
export function notification(
  file: Buffer,
  bookings: Booking[],
  { version = "08", account }: NotificationOptions = {},
): Buffer {
  const original = readOriginal(file);
  const entries = bookings.map((booking) => entry(booking, original, version));
  const isIban = /^[A-Z]{2}\d{2}/.test(account ?? original.account);
  const number = account ?? original.account;
  const sum = (of: { cents: bigint }[]) => decimal(of.reduce((all, { cents }) => all + cents, 0n));
  const total = (name: string, of: typeof entries) =>
    `<${name}><NbOfNtries>${of.length}</NbOfNtries><Sum>${sum(of)}</Sum></${name}>`;
  return document(
    `camt.054.001.${version}`,
    `<BkToCstmrDbtCdtNtfctn>
      <GrpHdr><MsgId>NOTIFICATION-1</MsgId><CreDtTm>${CREATED}</CreDtTm></GrpHdr>
      <Ntfctn><Id>NOTIFICATION-1-1</Id><CreDtTm>${CREATED}</CreDtTm>
        <Acct><Id>${isIban ? `<IBAN>${number}</IBAN>` : `<Othr><Id>${number}</Id></Othr>`}</Id>
          <Ccy>${original.currency}</Ccy></Acct>
        <TxsSummry>
          ${total("TtlNtries", entries)}
          ${total(
            "TtlCdtNtries",
            entries.filter(({ direction }) => direction === "CRDT"),
          )}
          ${total(
            "TtlDbtNtries",
            entries.filter(({ direction }) => direction === "DBIT"),
          )}
        </TxsSummry>
        ${entries.map(({ xml }) => xml).join("\n")}
      </Ntfctn>
    </BkToCstmrDbtCdtNtfctn>`,
  );
}

function entry(booking: Booking, original: Original, version: string) {
  const { reference } = booking;
  const direction = "other" in booking ? booking.other : "returned" in booking ? "CRDT" : "DBIT";
  const amount =
    booking.amountMinor === undefined
      ? amountIn(original, booking)
      : decimal(BigInt(booking.amountMinor));
  const code = "status" in booking ? (booking.status ?? "BOOK") : "BOOK";
  const family = direction === "CRDT" ? "RCDT" : "ICDT";
  const subFamily = "returned" in booking ? "RRTN" : "DMCT";
  const xml = `<Ntry>${money("Amt", amount, original)}<CdtDbtInd>${direction}</CdtDbtInd>
    <Sts>${version === "08" ? `<Cd>${code}</Cd>` : code}</Sts>
    <BookgDt><Dt>${DAY}</Dt></BookgDt>
    ${reference === undefined ? "" : `<AcctSvcrRef>${reference}</AcctSvcrRef>`}
    <BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>${family}</Cd><SubFmlyCd>${subFamily}</SubFmlyCd></Fmly></Domn>
    </BkTxCd>
    <NtryDtls>${entryDetails(booking, direction, amount, original, version)}</NtryDtls></Ntry>`;
  return { xml, direction, cents: BigInt(amount.replace(".", "")) };
}

function amountIn(original: Original, booking: Booking): string {
  if ("batch" in booking) return original.sum;
  if ("debit" in booking) return amountOf(original, shortened(booking.debit));
  if ("returned" in booking) return amountOf(original, shortened(booking.returned));
  throw new Error("Other traffic needs an amount");
}

function entryDetails(
  booking: Booking,
  direction: string,
  amount: string,
  original: Original,
  version: string,
): string {
  if ("batch" in booking && booking.inDetail) {
    const refs = `<MsgId>${booking.batch}</MsgId><PmtInfId>${booking.batch}</PmtInfId>`;
    return `<TxDtls><Refs>${refs}</Refs>${money("Amt", amount, original)}</TxDtls>`;
  }
  if ("batch" in booking) {
    return `<Btch><MsgId>${booking.batch}</MsgId><PmtInfId>${booking.batch}</PmtInfId>
      <NbOfTxs>${original.count}</NbOfTxs></Btch>`;
  }
  const id =
    "debit" in booking ? booking.debit : "returned" in booking ? booking.returned : booking.id;
  const reason = "returned" in booking ? booking.reason : undefined;
  const inDetails = money("Amt", amount, original);
  return `<TxDtls>
    <Refs><EndToEndId>${id === undefined ? "NOTPROVIDED" : shortened(id)}</EndToEndId></Refs>
    ${
      version === "02"
        ? `<AmtDtls><TxAmt>${inDetails}</TxAmt></AmtDtls>`
        : `${inDetails}<CdtDbtInd>${direction}</CdtDbtInd>`
    }
    ${reason ? `<RtrInf><Rsn><Cd>${reason}</Cd></Rsn></RtrInf>` : ""}
  </TxDtls>`;
}

function readOriginal(file: Buffer): Original {
  const xml = XmlDocument.fromBuffer(file);
  try {
    const text = (path: string) => xml.get(localNames(path))?.content ?? "";
    const amounts = xml.find(localNames("//CdtTrfTxInf")).map((transfer) => {
      const [id, amount] = ["PmtId/EndToEndId", "Amt/InstdAmt"].map(
        (path) => transfer.get(localNames(path))?.content ?? "",
      );
      return [id, amount] as [string, string];
    });
    return {
      messageId: text("//GrpHdr/MsgId"),
      blockId: text("//PmtInf/PmtInfId"),
      count: text("//GrpHdr/NbOfTxs"),
      sum: text("//GrpHdr/CtrlSum"),
      account: text("//DbtrAcct/Id/IBAN") || text("//DbtrAcct/Id/Othr/Id"),
      currency: text("//DbtrAcct/Ccy"),
      amounts: new Map(amounts),
    };
  } finally {
    xml.dispose();
  }
}

/** A path whose elements match in any namespace. */
function localNames(path: string): string {
  return path.replace(/[A-Za-z]+/g, (name) => `*[local-name()='${name}']`);
}

function amountOf({ amounts }: Original, id: string): string {
  const amount = amounts.get(id);
  if (amount === undefined) throw new Error(`The file has no payment ${id}`);
  return amount;
}

function status(name: string, said: Said): string {
  const { status: code, reason, proprietary, words } = said;
  const rsn = proprietary ? `<Prtry>${proprietary}</Prtry>` : reason ? `<Cd>${reason}</Cd>` : "";
  const info = `${rsn && `<Rsn>${rsn}</Rsn>`}${words ? `<AddtlInf>${words}</AddtlInf>` : ""}`;
  return `${code ? `<${name}>${code}</${name}>` : ""}${info && `<StsRsnInf>${info}</StsRsnInf>`}`;
}

function money(name: string, amount: string, { currency }: Original): string {
  return `<${name} Ccy="${currency}">${amount}</${name}>`;
}

function decimal(cents: bigint): string {
  const digits = String(cents).padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function shortened(payment: string): string {
  return payment.replaceAll("-", "");
}

function document(message: string, content: string): Buffer {
  return Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${message}">${content}</Document>\n`,
  );
}
