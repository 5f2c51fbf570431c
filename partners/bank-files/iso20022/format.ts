// The format of ISO 20022 for wires: pain.001 to the bank; pain.002 about the file and its payments,
// and camt.054 about the account, from the bank.

import { type Format, Unreadable } from "../format.ts";
import { findFault } from "./faults.ts";
import { readNotification } from "./notification.ts";
import { readOriginator } from "./originator.ts";
import { shortId } from "./payment-ids.ts";
import { read } from "./read.ts";
import { readStatusReport } from "./status-report.ts";
import { write } from "./write.ts";
import { readDocument } from "./xml-reader.ts";

const MESSAGES = "urn:iso:std:iso:20022:tech:xsd:";
/** The version that answers pain.001.001.09, and the one before, which some banks send still. */
const STATUS_REPORTS = ["pain.002.001.10", "pain.002.001.03"];
/** The version of the same release, and the older ones of banks in SEPA and in Switzerland. */
const NOTIFICATIONS = ["camt.054.001.08", "camt.054.001.04", "camt.054.001.02"];

/**
 * @param settings the originator (originator.ts), an operator's JSON
 * @throws Error that lists all faults of the settings
 */
export function iso20022Format(settings: unknown): Format {
  const originator = readOriginator(settings);
  return {
    extension: "xml",
    findFault: (payment) => findFault(payment, originator.currency),
    shortId,
    write: (batch) => write(batch, originator),
    read,
    readAnswer(bytes) {
      const { namespace, root } = readDocument(bytes);
      const isOneOf = (messages: string[]) =>
        root.name === "Document" && messages.some((name) => `${MESSAGES}${name}` === namespace);
      if (isOneOf(STATUS_REPORTS)) return readStatusReport(root);
      if (isOneOf(NOTIFICATIONS)) return readNotification(root, originator.account);
      throw new Unreadable("The file is no answer of a bank: neither pain.002 nor camt.054");
    },
  };
}
