// The format of ISO 20022 for wires: pain.001 to the bank; pain.002 about the file and its
// payments, and camt.054 about the account, from the bank.

import type { Format } from "../format.ts";
import { createAnswerParser } from "./answers.ts";
import { findFault } from "./faults.ts";
import { readOriginator } from "./originator.ts";
import { shortId } from "./payment-ids.ts";
import { read } from "./read.ts";
import { write } from "./write.ts";

/**
 * @param settings the originator (originator.ts), an operator's JSON
 * @throws Error that lists all faults of the settings
 */
export function iso20022Format(settings: unknown): Format {
  const originator = readOriginator(settings);
  return {
    thread: { program: new URL("./thread.ts", import.meta.url), agreement: settings },
    extension: "xml",
    findFault: (payment) => findFault(payment, originator.currency),
    shortId,
    write: (batch) => write(batch, originator),
    read,
    answerParser: () => createAnswerParser(originator),
  };
}
