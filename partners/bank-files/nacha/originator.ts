// The originator: what the agreement with the bank says about the company and its files. An
// operator writes it as JSON, so every fault of it is an error before any file is written.

import { IANAZone } from "luxon";
import { isRoutingNumber } from "./routing-number.ts";

export interface AchOriginator {
  /** The routing number of the bank that takes the files: nine digits. */
  immediateDestination: string;
  /** What the bank calls the sender: a routing number, or ten characters that it assigns. */
  immediateOrigin: string;
  destinationName: string;
  originName: string;
  /** The name that recipients read on their statements. */
  companyName: string;
  /** Identifies the company at the bank, and in the bank's answers. */
  companyId: string;
  /** The first eight digits of the originating bank's routing number. */
  odfi: string;
  /** What the payments are for; recipients read it. */
  entryDescription: string;
  /** The bank's time zone (IANA), in which a file states the time of its creation. */
  timeZone: string;
  /** What is after each record. The Rules do not say, and banks differ. */
  lineEnd: "LF" | "CRLF";
}

interface Form {
  isValid: (value: string) => boolean;
  words: string;
  /** The value if there is none. */
  otherwise?: string;
}

const FORMS: Record<keyof AchOriginator, Form> = {
  immediateDestination: {
    isValid: isRoutingNumber,
    words: "a routing number of nine digits with a valid check digit",
  },
  immediateOrigin: {
    isValid: (value) => isRoutingNumber(value) || /^[0-9A-Z]{10}$/.test(value),
    words: "a routing number of nine digits, or ten digits and capitals",
  },
  destinationName: printable(23),
  originName: printable(23),
  companyName: printable(16),
  companyId: {
    isValid: (value) => /^(?!0+$)[0-9A-Z]{1,10}$/.test(value),
    words: "1 to 10 digits and capitals, not zeros alone",
  },
  odfi: { isValid: (value) => /^(?!0+$)\d{8}$/.test(value), words: "eight digits" },
  entryDescription: { ...printable(10), otherwise: "PAYOUT" },
  timeZone: {
    isValid: (value) => IANAZone.isValidZone(value),
    words: "an IANA time zone",
    otherwise: "America/New_York",
  },
  lineEnd: {
    isValid: (value) => value === "LF" || value === "CRLF",
    words: "LF or CRLF",
    otherwise: "LF",
  },
};

/** ACH operators reject batches whose company is blank or zeros (Rules, Appendix Two, 2.4). */
function printable(length: number): Form {
  const form = new RegExp(`^(?=.*[A-Za-z1-9])[!-~][ -~]{0,${length - 1}}$`);
  return {
    isValid: (value) => form.test(value),
    words: `a text of 1 to ${length} printable ASCII characters`,
  };
}

/**
 * Checks the data of an agreement, and adds what it leaves out.
 * @throws Error that names the key; it has no values
 */
export function checkOriginator(agreement: unknown): AchOriginator {
  if (typeof agreement !== "object" || agreement === null || Array.isArray(agreement)) {
    throw new Error("the NACHA originator is not an object");
  }
  const unknown = Object.keys(agreement).find((key) => !Object.hasOwn(FORMS, key));
  if (unknown !== undefined) throw new Error(`the NACHA originator has no key ${unknown}`);
  const given: Record<string, unknown> = { ...agreement };
  const checked = Object.entries(FORMS).map(([key, { isValid, words, otherwise }]) => {
    const value = given[key] ?? otherwise;
    if (value === undefined) throw new Error(`the NACHA originator misses ${key}: ${words}`);
    if (typeof value !== "string" || !isValid(value)) {
      throw new Error(`the NACHA originator's ${key} is not ${words}`);
    }
    return [key, value];
  });
  return Object.fromEntries(checked) as AchOriginator;
}
