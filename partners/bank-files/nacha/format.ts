// The NACHA format: ACH credits in dollars to bank accounts in the United States (Nacha Operating
// Rules), and the bank's returns and notifications of change. ACH has no answer for a payment that
// arrives: it is final when no return comes in time.

import type { Format } from "../format.ts";
import { createAnswerParser } from "./answers.ts";
import { shortId } from "./identification.ts";
import { checkOriginator } from "./originator.ts";
import { findFault } from "./payment.ts";
import { readFile } from "./read.ts";
import { writeFile } from "./write.ts";

/**
 * Makes the format for one originator at one bank. Ids of batches have up to 20 characters, because
 * the batch header has no more room. A batch has up to 499,999 payments, of up to $99,999,999.99
 * each and $9,999,999,999.99 together; `write` throws beyond these.
 * @param agreement the originator's data, from an operator: see `Originator`
 * @throws Error that names a missing, unknown or wrong key
 */
export function nachaFormat(agreement: unknown): Format {
  const originator = checkOriginator(agreement);
  return {
    thread: { program: new URL("./thread.ts", import.meta.url), agreement },
    extension: "ach",
    findFault,
    shortId,
    write: (batch) => writeFile(batch, originator),
    read: readFile,
    answerParser: () => createAnswerParser(originator),
  };
}
