// Writes a batch as pain.001.001.09, CustomerCreditTransferInitiationV09: the version of the ISO
// 20022 release of 2019, which SEPA, the Swiss SPS, CGI-MP and the large US banks ask for today.
// The same batch gives the same bytes, so that a file written again after a crash is the same file.

import type { Batch, FilePayment } from "../format.ts";
import { accountId, bankId } from "./accounts.ts";
import { formatMinor, sumMinor } from "./amounts.ts";
import { creditorElements } from "./creditor.ts";
import { findFault } from "./faults.ts";
import type { IsoOriginator } from "./originator.ts";
import { shortId } from "./payment-ids.ts";
import { plainText } from "./texts.ts";
import { type Element, element, writeDocument } from "./xml-writer.ts";

export const PAYMENTS = "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09";

/**
 * The file of a batch.
 * @throws Error if the batch's id, a payment, or the sum of the payments cannot be written
 */
export function write(batch: Batch, originator: IsoOriginator): Buffer {
  requireWritable(batch, originator);
  // Stated at both levels, so that the bank refuses a file that lost or gained a payment on its
  // way.
  const totals = [
    element("NbOfTxs", String(batch.payments.length)),
    element("CtrlSum", formatMinor(sumMinor(batch.payments.map((each) => each.amountMinor)))),
  ];
  const initiation = element(
    "CstmrCdtTrfInitn",
    groupHeader(batch, originator, totals),
    paymentInformation(batch, originator, totals),
  );
  return writeDocument({
    ...element("Document", initiation),
    attributes: { xmlns: PAYMENTS },
  });
}

function requireWritable({ id, payments }: Batch, { currency }: IsoOriginator): void {
  if (!/^[A-Z0-9-]{1,35}$/.test(id)) throw new Error(`The batch's id ${id} cannot be written`);
  if (payments.length === 0) throw new Error(`Batch ${id} has no payment`);
  for (const payment of payments) {
    const fault = findFault(payment, currency);
    if (fault) throw new Error(`Payment ${payment.id} cannot be written: ${fault}`);
  }
  if (new Set(payments.map((payment) => payment.id)).size < payments.length) {
    throw new Error(`Batch ${id} has a payment twice`);
  }
}

function groupHeader(
  { id, closedAt }: Batch,
  originator: IsoOriginator,
  totals: Element[],
): Element {
  return element(
    "GrpHdr",
    element("MsgId", id),
    element("CreDtTm", new Date(closedAt).toISOString().replace(/\.\d+Z$/, "Z")),
    ...totals,
    element("InitgPty", element("Nm", originator.name), organisationId(originator)),
  );
}

function paymentInformation(batch: Batch, originator: IsoOriginator, totals: Element[]): Element {
  return element(
    "PmtInf",
    element("PmtInfId", batch.id),
    element("PmtMtd", "TRF"),
    // Not one sum for the batch: the account's notifications then name each payment.
    element("BtchBookg", "false"),
    ...totals,
    // URGP, urgent payment: a wire (ExternalServiceLevel1Code).
    element("PmtTpInf", element("SvcLvl", element("Cd", "URGP"))),
    element("ReqdExctnDt", element("Dt", batch.settlesOn)),
    debtor(originator),
    element("DbtrAcct", accountId(originator.account), element("Ccy", originator.currency)),
    bankId("DbtrAgt", originator.bank),
    element("ChrgBr", originator.chargeBearer),
    ...batch.payments.map(transfer),
  );
}

function debtor(originator: IsoOriginator): Element {
  const { street, postalCode, town, state, country } = originator.address ?? {};
  const address = element(
    "PstlAdr",
    element("StrtNm", street ?? ""),
    element("PstCd", postalCode ?? ""),
    element("TwnNm", town ?? ""),
    element("CtrySubDvsn", state ?? ""),
    element("Ctry", country ?? ""),
  );
  return element("Dbtr", element("Nm", originator.name), address, organisationId(originator));
}

function organisationId({ id }: IsoOriginator): Element {
  return element("Id", element("OrgId", element("Othr", element("Id", id))));
}

/** UETR is left out: it must be a UUID of version 4, and the ids of payouts are of version 7. */
function transfer(payment: FilePayment): Element {
  const id = shortId(payment.id);
  const amount = {
    ...element("InstdAmt", formatMinor(payment.amountMinor)),
    attributes: { Ccy: payment.currency },
  };
  return element(
    "CdtTrfTxInf",
    element("PmtId", element("InstrId", id), element("EndToEndId", id)),
    element("Amt", amount),
    ...creditorElements(payment),
    element("RmtInf", element("Ustrd", plainText(payment.reference, 140))),
  );
}
