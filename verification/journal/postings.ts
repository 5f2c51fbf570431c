// From the journal to what it was written for: every transfer of a payout, a payment, a refund, a
// funding or a transfer between accounts has that document, stored before it was posted, and moves
// what the document says. So there is no debit without its payout and none on another's wallet.

import type { Funding } from "../../services/wallet-ledger/funding.model.ts";
import type { Transfer } from "../../services/wallet-ledger/journal.model.ts";
import { buildLegs, hashPayload, type Posting } from "../../services/wallet-ledger/postings.ts";
import { REVERSAL } from "../../services/wallet-ledger/reads.ts";
import type { Transfer as AccountTransfer } from "../../services/wallet-ledger/transfer.model.ts";
import { partOf, postingsOf } from "../../services/wallet-ledger/transfers.ts";
import { type Books, PHASES, type Phase } from "../books.ts";
import { type Document, type Kind, nameOf, projectionOf } from "../documents/kind.ts";
import { ALL_KINDS } from "../documents/kinds.ts";
import type { Posted } from "./journal.ts";
import { type OnTheWay, seeHalf } from "./transit.ts";

/** A kind of transfer: which document it is for, and what is wrong beside what that says. */
interface Purpose {
  phase: Phase;
  projection: Record<string, 1>;
  /** As a violation names the document. */
  name: string;
  documentIdOf(transfer: Transfer): string;
  postingOf(document: never, transfer: Transfer): Posting;
  /** Looks at what the document makes of the transfer. */
  judge(books: Books, name: string, document: never, transfer: Transfer): void;
}

const FUNDING: Purpose = {
  phase: "fundings",
  projection: { status: 1, walletId: 1, currency: 1, amountMinor: 1 },
  name: "funding",
  documentIdOf: ({ id }) => id,
  postingOf: ({ _id: id, walletId, currency, amountMinor }: Funding) => ({
    id,
    kind: "funding",
    walletId,
    currency,
    amountMinor,
  }),
  judge({ findings }, name, { status }: Funding, { outcome }) {
    const contradiction = outcome === "committed" ? "FAILED" : "SUCCESS";
    if (status !== contradiction) return;
    findings.violation("fundings", `${name} is ${outcome}, its document ${status}`);
  },
};

/** Which halves a transfer has is looked at from its document (transit.ts). */
const ACCOUNT_TRANSFER: Purpose = {
  phase: "moves",
  projection: { status: 1, accountId: 1, walletId: 1, currency: 1, amountMinor: 1 },
  name: "account transfer",
  documentIdOf: ({ id }) => partOf(id)?.transferId ?? id,
  postingOf: (document: AccountTransfer, { id }) => postingsOf(document)[partOf(id)?.part ?? "out"],
  judge() {},
};

const PURPOSES = new Map<string, Purpose>([
  ["funding", FUNDING],
  ["transfer-out", ACCOUNT_TRANSFER],
  ["transfer-in", ACCOUNT_TRANSFER],
  ...ALL_KINDS.flatMap((kind) =>
    Object.keys(kind.postings).map((of): [string, Purpose] => [of, purposeOf(kind, of)]),
  ),
]);

function purposeOf(kind: Kind, of: string): Purpose {
  return {
    phase: kind.phase,
    projection: projectionOf(kind),
    name: kind.name,
    documentIdOf: ({ id }) =>
      of.endsWith("-reversal") && id.endsWith(REVERSAL) ? id.slice(0, -REVERSAL.length) : id,
    postingOf: (document: Document) => (kind.postings[of] as Kind["postings"][string])(document),
    judge({ findings }, name, document: Document, { outcome }) {
      const problem = outcome === "committed" ? kind.forbids(document, of) : null;
      if (problem) findings.violation(kind.rule, `${nameOf(kind, document)} ${problem}: ${name}`);
    },
  };
}

const NONE = new Map<string, never>();
/** Transfers that only mark a wallet are for nothing else. */
const MARKS = ["disable", "enable"];

/** Checks transfers against their documents, which are read after them. */
export async function verifyPostings(
  books: Books,
  posted: Posted[],
  onTheWay: OnTheWay,
): Promise<void> {
  const known = Map.groupBy(posted, ({ transfer }) => PURPOSES.get(transfer.kind)?.phase);
  for (const [phase, group] of known) {
    const documents = phase ? await readDocuments(books, phase, group) : NONE;
    for (const each of group) verifyPosted(books, each, documents, onTheWay);
  }
}

/** The documents of transfers that all belong to one phase, by id. */
async function readDocuments(
  { find }: Books,
  phase: Phase,
  group: Posted[],
): Promise<Map<string, never>> {
  const purposes = [...PURPOSES.values()].filter((purpose) => purpose.phase === phase);
  const projection = Object.assign({}, ...purposes.map((purpose) => purpose.projection)) as object;
  const ids = group.map(({ transfer }) => PURPOSES.get(transfer.kind)?.documentIdOf(transfer));
  const wanted = { _id: { $in: [...new Set(ids)] as never[] } };
  const found = await find(PHASES[phase], wanted, { projection }).toArray();
  return new Map(found.map((document) => [String(document._id), document as never]));
}

function verifyPosted(
  books: Books,
  { transfer, block }: Posted,
  documents: Map<string, never>,
  onTheWay: OnTheWay,
): void {
  const { violation } = books.findings;
  const name = `${transfer.kind} ${transfer.id} in block ${block.p}:${block.n}`;
  const purpose = PURPOSES.get(transfer.kind);
  if (!purpose) {
    const isMark = MARKS.includes(transfer.kind);
    if (!isMark) violation("postings", `${name} is of a kind that nobody posts`);
    return;
  }
  const document = documents.get(purpose.documentIdOf(transfer));
  if (!document) {
    violation("postings", `${name} is of a ${purpose.name} that is not there`);
    return;
  }
  const posting = purpose.postingOf(document, transfer);
  verifyTransfer(violation, `${name} and its ${purpose.name}`, posting, transfer, block.p);
  purpose.judge(books, name, document, transfer);
  if (purpose === ACCOUNT_TRANSFER && transfer.outcome === "committed") {
    seeHalf(books, onTheWay, transfer);
  }
}

/** The transfer is the one that the posting became; what differs is named. */
function verifyTransfer(
  violation: Books["findings"]["violation"],
  name: string,
  posting: Posting,
  transfer: Transfer,
  p: number,
): void {
  const differences: string[] = [];
  if (transfer.id !== posting.id) differences.push(both("id", transfer.id, posting.id));
  if (transfer.wallet !== posting.walletId) {
    differences.push(both("wallet", transfer.wallet, posting.walletId));
  }
  if (transfer.outcome === "committed") {
    const legs = buildLegs(posting, p);
    for (let i = 0; i < Math.max(legs.length, transfer.legs.length); i++) {
      const [says, should] = [transfer.legs[i], legs[i]].map((leg) => leg?.join(" ") ?? "none");
      if (says !== should) differences.push(both(LEGS[i] ?? "leg", says, should));
    }
  }
  if (differences.length === 0 && transfer.payloadHash !== hashPayload(posting)) {
    differences.push("payload hash");
  }
  if (differences.length > 0) violation("postings", `${name} differ in ${differences.join("; ")}`);
}

/** What the legs of a posting are about, by their place. */
const LEGS = ["the wallet's leg", "amount", "fees"];

function both(what: string, says?: string, should?: string): string {
  return `${what} (journal: ${says}, document: ${should})`;
}
