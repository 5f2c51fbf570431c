// From the journal to the documents of its transfers: every transfer of a payout, a payment, a
// refund, a funding, an adjustment or a transfer between accounts has its document, which was stored
// before the posting, and moves the amounts of the document by the legs of its kind (legs.ts). So no
// debit lacks its payout, and no debit is on another wallet.

import type { Transfer } from "../../../services/wallet-ledger/journal.model.ts";
import { hashPayload, type Posting, REVERSAL } from "../../../services/wallet-ledger/postings.ts";
import { parseTransferPart } from "../../../services/wallet-ledger/transfer.model.ts";
import type { Currency } from "../../../shared/money.ts";
import { type Books, PHASES, type Phase, readAll, select } from "../books.ts";
import { type Document, describe, type Kind, selectFields } from "../kinds/kind.ts";
import { ALL_KINDS } from "../kinds/kinds.ts";
import type { Posted } from "./journal.ts";
import { expectedLegs } from "./legs.ts";
import { type OnTheWay, seeHalf, TRANSFERS, type TransferKind } from "./transit.ts";

/** A kind of transfer: its document, the expected posting, and a further check. */
interface Purpose {
  phase: Phase;
  projection: Record<string, 1>;
  name: string;
  documentId(transfer: Transfer): string;
  expectedPosting(document: never, transfer: Transfer): Posting;
  judge(books: Books, name: string, document: never, transfer: Transfer): void;
}

/** The halves of transfers are checked from their documents too (transit.ts). */
function createTransferPurpose({ kind, from, to, halves }: TransferKind): Purpose {
  return {
    phase: kind.phase,
    projection: select("status", from, to, "currency", "amountMinor"),
    name: kind.name,
    documentId: ({ id }) => parseTransferPart(id)?.transferId ?? id,
    expectedPosting(document: Record<string, never>, { id }) {
      const { _id, currency, amountMinor } = document;
      const part = parseTransferPart(id)?.part ?? "out";
      return {
        id: `${_id}:${part}`,
        kind: part === "out" ? halves.out : halves.in,
        walletId: document[part === "in" ? to : from] as unknown as string,
        currency: currency as unknown as Currency,
        amountMinor: amountMinor as unknown as number,
      };
    },
    judge() {},
  };
}

const PURPOSES = new Map<string, Purpose>([
  ...TRANSFERS.flatMap((transfer) => {
    const purpose = createTransferPurpose(transfer);
    return Object.values(transfer.halves).map((of): [string, Purpose] => [of, purpose]);
  }),
  ...ALL_KINDS.flatMap((kind) =>
    Object.keys(kind.postings).map((of): [string, Purpose] => [of, createPurpose(kind, of)]),
  ),
]);

function createPurpose(kind: Kind, of: string): Purpose {
  return {
    phase: kind.phase,
    projection: selectFields(kind),
    name: kind.name,
    documentId: ({ id }) =>
      of.endsWith("-reversal") && id.endsWith(REVERSAL) ? id.slice(0, -REVERSAL.length) : id,
    expectedPosting: (document: Document) =>
      (kind.postings[of] as Kind["postings"][string])(document),
    judge({ findings }, name, document: Document, transfer) {
      const isCommitted = transfer.outcome === "committed";
      const problem = isCommitted ? kind.forbids(document, of, transfer) : null;
      if (problem) findings.violation(kind.rule, `${describe(kind, document)} ${problem}: ${name}`);
    },
  };
}

const NONE = new Map<string, never>();
/** Transfers that only mark a wallet have no document. */
const MARKS = ["disable", "enable"] as const;

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

async function readDocuments(
  books: Books,
  phase: Phase,
  group: Posted[],
): Promise<Map<string, never>> {
  const purposes = [...PURPOSES.values()].filter((purpose) => purpose.phase === phase);
  const projection = Object.assign({}, ...purposes.map((purpose) => purpose.projection));
  const ids = group.map(({ transfer }) => PURPOSES.get(transfer.kind)?.documentId(transfer));
  return readAll<never>(books, PHASES[phase], ids as string[], projection);
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
    const { id, wallet: walletId } = transfer;
    const kind = MARKS.find((mark) => mark === transfer.kind);
    if (kind)
      verifyTransfer(violation, `${name} and its kind`, { id, kind, walletId }, transfer, block.p);
    else violation("postings", `${name} is of a kind that no service posts`);
    return;
  }
  const document = documents.get(purpose.documentId(transfer));
  if (!document) {
    violation("postings", `${name} is of a ${purpose.name} that is not there`);
    return;
  }
  const posting = purpose.expectedPosting(document, transfer);
  verifyTransfer(violation, `${name} and its ${purpose.name}`, posting, transfer, block.p);
  purpose.judge(books, name, document, transfer);
  if (transfer.outcome === "committed") seeHalf(books, onTheWay, transfer);
}

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
    const legs = expectedLegs(posting, p);
    for (let i = 0; i < Math.max(legs.length, transfer.legs.length); i++) {
      const [actual, expected] = [transfer.legs[i], legs[i]].map((leg) => leg?.join(" ") ?? "none");
      if (actual !== expected) differences.push(both(LEGS[i] ?? "leg", actual, expected));
    }
  }
  if (differences.length === 0 && transfer.payloadHash !== hashPayload(posting)) {
    differences.push("payload hash");
  }
  if (differences.length > 0) violation("postings", `${name} differ in ${differences.join("; ")}`);
}

/** The names of the legs of a posting, by their place. */
const LEGS = ["the wallet's leg", "amount", "fees"];

function both(name: string, actual?: string, expected?: string): string {
  return `${name} (journal: ${actual}, expected: ${expected})`;
}
