// What the statuses and reasons of a report mean for a payment. A status stands at up to three
// levels: the file, its payment block, the payment. The innermost one decides, and a final one is
// contradicted by no inner one. A refusal counts with a definite code of ISO's list alone, because
// money that is returned for a refusal is lost if the bank has paid: words, in whatever language,
// decide nothing.

import type { Part, Told } from "../format.ts";
import { CANCELLED_BY_BANK, isDefinite, isDuplicate, reasonCode } from "./reason-codes.ts";
import { children, textAt, type XmlElement } from "./xml-reader.ts";

/** `part`: the payments have several statuses. `unknown`: the standard lacks this status. */
type Kind = "accepted" | "settled" | "refused" | "part" | "unknown";

/** One level's status, and its reasons as codes or as words. */
export interface Level {
  status?: string;
  reasons: string[];
}

export type Verdict = Required<Pick<NonNullable<Part["whole"]>, "state">> &
  Pick<Told, "code" | "problem">;

/**
 * ISO 20022 External Code Sets, ExternalPaymentGroupStatus1Code and
 * ExternalPaymentTransactionStatus1Code. ACSC, settled on the debtor's account, ends a wire: it
 * comes back only as a return.
 */
const KINDS: Record<string, Kind> = {
  ...every("accepted", ["RCVD", "PATC", "ACTC", "ACCP", "ACFC", "ACFW", "ACSP", "ACWC", "ACPD"]),
  ...every("accepted", ["ACWP", "BLCK", "PDNG", "RCVC", "RVCM", "RVMC", "RVNA", "RVNC", "RVNM"]),
  ...every("accepted", ["ACIS", "CPUC", "PRES"]),
  ...every("settled", ["ACSC", "ACCC"]),
  ...every("refused", ["RJCT", "CANC"]),
  PART: "part",
};

function every(kind: Kind, codes: string[]): Record<string, Kind> {
  return Object.fromEntries(codes.map((code) => [code, kind]));
}

/** Levels that cannot be true together. */
export class Contradiction extends Error {
  override name = "Contradiction";
}

/**
 * Reads the status under a name, and its reasons.
 * @throws Unreadable if there are several statuses
 */
export function readLevel(element: XmlElement, name: string): Level {
  // Version 2 has other names for the same.
  const reasons = children(element, "StsRsnInf").flatMap((reason) => {
    const codes = ["Rsn", "StsRsn"].map(
      (each) => textAt(reason, each, "Cd") ?? ownCode(reason, each),
    );
    const code = codes.find((each) => each !== undefined);
    const said = [...children(reason, "AddtlInf"), ...children(reason, "AddtlStsRsnInf")];
    return code !== undefined || said.length > 0 ? [code ?? WORDS] : [];
  });
  return { status: textAt(element, name)?.toUpperCase(), reasons };
}

const WORDS = "NARR";

/** A code of the bank's own is words, unless it is ISO's code of a duplicate. */
function ownCode(reason: XmlElement, name: string): string | undefined {
  const text = textAt(reason, name, "Prtry");
  if (text === undefined) return undefined;
  return isDuplicate(text.toUpperCase()) ? text.toUpperCase() : WORDS;
}

/**
 * What the levels say, the outermost first; null if they give no status of a payment.
 * @throws Contradiction
 */
export function verdictOf(levels: Level[]): Verdict | null {
  let decisive: string | undefined;
  for (const { status } of levels) decisive = narrowed(decisive, status);
  const kind = kindOf(decisive);
  if (kind === undefined || kind === "part") return null;
  if (kind === "unknown")
    return { state: "unclear", problem: `The status${shown(decisive)} is none of ISO's` };
  if (kind !== "refused") return { state: kind };
  return refusal(
    levels.filter(({ status }) => status === undefined || kindOf(status) === "refused"),
    decisive === "CANC",
  );
}

function narrowed(outer: string | undefined, inner: string | undefined): string | undefined {
  if (inner === undefined) return outer;
  const [before, now] = [kindOf(outer), kindOf(inner)];
  if ((before !== "settled" && before !== "refused") || before === now || now === "unknown") {
    return inner;
  }
  throw new Contradiction(`the status${shown(inner)} contradicts the status of the whole`);
}

function kindOf(status: string | undefined): Kind | undefined {
  if (status === undefined) return undefined;
  return Object.hasOwn(KINDS, status) ? KINDS[status] : "unknown";
}

/** What is no code can be words, and words can have an account number in them. */
function shown(code: string | undefined): string {
  return code !== undefined && /^[A-Z0-9]{4}$/.test(code) ? ` ${code}` : "";
}

/** The inner level's reasons come first. */
function refusal(levels: Level[], isCancelled: boolean): Verdict {
  const reasons = levels.toReversed().flatMap((level) => level.reasons);
  const duplicate = reasons.find(isDuplicate);
  if (duplicate) {
    const problem = `The bank refuses it as a duplicate (${duplicate}) and may have paid the first one`;
    return { state: "unclear", problem };
  }
  const code = reasons.find(isDefinite);
  if (isCancelled && (code !== undefined || reasons.length === 0)) {
    return { state: "rejected", code: CANCELLED_BY_BANK };
  }
  if (code !== undefined) return { state: "rejected", code: reasonCode(code) };
  const [given] = reasons;
  const problem = `The bank refuses it without a definite reason${given ? ` (${reasonCode(given)})` : ""}`;
  return { state: "unclear", problem };
}
