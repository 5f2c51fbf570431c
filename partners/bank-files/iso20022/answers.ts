// Reads the files that a bank answers with: pain.002 and camt.054, in every version and national
// variant whose elements are those that payrail reads, with a namespace or without, and in whatever
// envelope. A file may have several messages.

import { type AnswerParser, Unreadable } from "../format.ts";
import type { StatementAccount } from "./entry-part.ts";
import { type MessageReader, readNotifications } from "./notification.ts";
import { readStatusReport } from "./status-report.ts";
import { createTreeReader, type Tree, type XmlElement } from "./xml-reader.ts";

const STATUS_REPORT = { message: "pain.002", versions: [2, 15] as const };
const NOTIFICATION = { message: "camt.054", versions: [2, 14] as const };
/** By the name of the element. Version 2 of pain.002 names it by the message. */
const MESSAGES = {
  "pain.002.001.02": STATUS_REPORT,
  CstmrPmtStsRpt: STATUS_REPORT,
  BkToCstmrDbtCdtNtfctn: NOTIFICATION,
};
type MessageName = keyof typeof MESSAGES;

/** It refuses a file with no message that payrail reads, or with one that is not whole. */
export function createAnswerParser(payer: StatementAccount): AnswerParser {
  const readers = new Map<XmlElement, MessageReader>();
  const readerOf = (root: XmlElement): MessageReader => {
    const known = readers.get(root);
    if (known) return known;
    const { message } = MESSAGES[root.name as MessageName];
    const reader = message === "camt.054" ? readNotifications(payer) : readStatusReport();
    readers.set(root, reader);
    return reader;
  };
  const reader = createTreeReader(Object.keys(MESSAGES), (element, parents) => {
    const [root] = parents;
    return root !== undefined && readerOf(root).take(element, parents);
  });
  return {
    write: reader.write,
    end() {
      const { trees, outermost } = reader.end();
      if (trees.length === 0)
        throw new Unreadable(`The file is no answer of a bank: ${found(outermost)}`);
      for (const tree of trees) requireVersion(tree);
      const answers = trees.map(({ root }) => readerOf(root).end(root));
      return {
        parts: answers.flatMap(({ parts }) => parts),
        passedOver: answers.reduce((sum, { passedOver }) => sum + passedOver, 0),
      };
    },
  };
}

/** A namespace ends with the message's name, to which national variants add their own. */
const VERSION = /[a-z]{4}\.\d{3}\.\d{3}\.(\d{2})/;

function requireVersion({ root, namespace }: Tree): void {
  const [name, version] = VERSION.exec(namespace) ?? [];
  if (name === undefined) return;
  const { message, versions } = MESSAGES[root.name as MessageName];
  const [oldest, newest] = versions;
  const isRead = Number(version) >= oldest && Number(version) <= newest;
  if (!name.startsWith(`${message}.`) || !isRead) {
    throw new Unreadable(`The file is ${name}, and payrail reads ${PROMISE}`);
  }
}

const PROMISE = [STATUS_REPORT, NOTIFICATION]
  .map(({ message, versions }) => {
    const [oldest, newest] = versions.map((version) => String(version).padStart(2, "0"));
    return `${message} in the versions ${oldest} to ${newest}`;
  })
  .join(" and ");

function found({ root, namespace }: Tree): string {
  const [name = root.name] = VERSION.exec(namespace) ?? [];
  const shown = /^[\w.-]{1,40}$/.test(name) ? `it is ${name}` : "its element is unknown";
  return `${shown}, and payrail reads ${PROMISE}`;
}
