// The payments and batches that an entry of a notification names. A reference that is an id says
// which payment or file the entry is about. An id within a text, such as the remittance
// information, may be written by anyone, so it only says that a person should look.

import { batchIdsIn, payoutId, payoutIdsIn } from "./payment-ids.ts";
import type { XmlElement } from "./xml-reader.ts";

export interface Names {
  /** By a reference of the payment's. The first one is the most certain. */
  payments: string[];
  batches: string[];
  /** Ids within texts, and in references that are not the payment's own. */
  mentionedPayments: string[];
  mentionedBatches: string[];
}

const NO_NAMES: Names = {
  ...{ payments: [], batches: [], mentionedPayments: [], mentionedBatches: [] },
};

/** The payer's references, which banks pass on unchanged. */
const PAYERS = ["EndToEndId", "InstrId"];
/** References that some banks fill with one of the payer's. */
const OTHERS = ["TxId", "PmtInfId", "MsgId", "NtryRef", "AcctSvcrRef", "ClrSysRef"];
const HOLDERS = ["Refs", "Btch"];

/**
 * Finds the names in an entry without its details, or in a detail.
 * @throws never: a reference that is there twice is only a text
 */
export function namesIn(element: XmlElement): Names {
  const texts = textsIn(element);
  const mentionedPayments = unique(texts.flatMap(payoutIdsIn));
  const mentionedBatches = unique(texts.flatMap(batchIdsIn));
  if (mentionedPayments.length + mentionedBatches.length === 0) return NO_NAMES;
  const payers = unique(referencesIn(element, PAYERS).flatMap((text) => idIn(text) ?? []));
  const references = referencesIn(element, OTHERS);
  const others = unique(references.flatMap((text) => idIn(text) ?? []));
  const batches = references.filter((text) => batchIdsIn(text)[0] === text.toUpperCase());
  return {
    payments: payers.length > 0 ? payers : others,
    batches: unique(batches.map((text) => text.toUpperCase())),
    mentionedPayments,
    mentionedBatches,
  };
}

export function isNamed(names: Names): boolean {
  return names !== NO_NAMES;
}

export function mergedNames(all: Names[]): Names {
  const named = all.filter(isNamed);
  if (named.length < 2) return named[0] ?? NO_NAMES;
  const some = (kind: keyof Names) => unique(named.flatMap((names) => names[kind]));
  return {
    // The first one's references are its own.
    payments: named.find(({ payments }) => payments.length > 0)?.payments ?? [],
    batches: some("batches"),
    mentionedPayments: some("mentionedPayments"),
    mentionedBatches: some("mentionedBatches"),
  };
}

function idIn(reference: string): string | null {
  return payoutId(reference.replaceAll("-", ""));
}

/** The texts under names of references, in the order of the names. */
function referencesIn(element: XmlElement, names: string[]): string[] {
  const holders = element.elements.flatMap((each) => {
    if (HOLDERS.includes(each.name)) return [each];
    return each.name === "NtryDtls" ? each.elements.filter(({ name }) => name === "Btch") : [];
  });
  return names.flatMap((name) =>
    [element, ...holders].flatMap(({ elements }) =>
      elements.filter((each) => each.name === name && each.text).map(({ text }) => text),
    ),
  );
}

function textsIn({ text, elements }: XmlElement): string[] {
  return text ? [text] : elements.flatMap(textsIn);
}

function unique(texts: string[]): string[] {
  return [...new Set(texts)];
}
