// Ownership: the data that a document has of its owner agrees with the owner's own fields. An owner
// is stored before its documents, and neither changes the compared fields. So an owner is read
// after its documents, and both agree beside live traffic.

import type { mongo } from "mongoose";
import { type Books, readAll, readOlder, select, valueAt } from "../books.ts";

interface Tie {
  /** The field with the other document's id; a document without the field has no such tie. */
  by: string;
  to: string;
  /** Fields that both have: under one name, or as a pair of names. */
  same: (string | [own: string, others: string])[];
  is?: Record<string, unknown>;
  /** The documents that have the tie; all documents if it is left out. */
  where?: (document: mongo.Document) => boolean;
  /** The other document may be deleted, or may not be stored yet. */
  isLoose?: true;
  /**
   * The fields are personal data: the erasure of the other document, which comes first, removes
   * them there.
   */
  isPersonal?: true;
  /** A field that the other document needs to have. */
  needs?: string;
}

const BUSINESS = { entityType: "BUSINESS" };
const SPEND = { type: "SPEND" };
const COLLECTION = { type: "COLLECTION" };
/** The fields that name the owner of a document. */
const OWNER = ["businessId", "entityId", "currency"];
/** A wallet of the business itself. */
const OWN_WALLET: Tie["same"] = ["businessId", ["businessId", "entityId"], "currency"];

/**
 * The ties of each collection. Payments, refunds, invoices and logs of usage are checked through
 * their links.
 */
const TIES: Record<string, { name: string; ties: Tie[] }> = {
  entities: {
    name: "entity",
    ties: [{ by: "businessId", to: "entities", same: ["businessId"], is: BUSINESS }],
  },
  api_clients: {
    name: "API client",
    ties: [{ by: "businessId", to: "entities", same: [], is: BUSINESS }],
  },
  ledger_accounts: {
    name: "account",
    ties: [
      { by: "entityId", to: "entities", same: ["businessId"] },
      { by: "businessId", to: "entities", same: [], is: BUSINESS },
    ],
  },
  linked_accounts: {
    name: "linked account",
    ties: [
      { by: "walletId", to: "ledger_accounts", same: OWNER, is: SPEND },
      { by: "entityId", to: "entities", same: ["businessId", "entityType"] },
      // An account is erased only with its entity, which is marked first.
      {
        by: "entityId",
        to: "entities",
        same: [],
        needs: "erasure",
        where: ({ erasedAt }) => erasedAt !== undefined,
      },
      { by: "applicationTokenId", to: "application_tokens", same: OWNER },
    ],
  },
  application_tokens: {
    name: "application token",
    ties: [
      { by: "entityId", to: "entities", same: ["businessId"] },
      { by: "merchantWalletId", to: "ledger_accounts", same: OWN_WALLET, is: SPEND },
    ],
  },
  payouts: {
    name: "payout",
    ties: [
      {
        by: "linkedAccountId",
        to: "linked_accounts",
        same: ["businessId", "currency", "optionType"],
      },
      {
        by: "linkedAccountId",
        to: "linked_accounts",
        same: ["entityId", "entityType"],
        where: ({ payeeId }) => payeeId === undefined,
      },
      // The business's own wallet pays an account of its end user.
      {
        by: "linkedAccountId",
        to: "linked_accounts",
        same: [["payeeId", "entityId"]],
        where: ({ payeeId }) => payeeId !== undefined,
      },
      {
        by: "walletId",
        to: "ledger_accounts",
        same: [...OWN_WALLET, "entityId"],
        where: ({ payeeId }) => payeeId !== undefined,
      },
      { by: "linkedAccountId", to: "linked_accounts", same: ["lastFour"], isPersonal: true },
      {
        by: "linkedAccountId",
        to: "linked_accounts",
        same: ["fingerprint"],
        isPersonal: true,
        // Older payouts have no fingerprint.
        where: ({ fingerprint }) => fingerprint !== undefined,
      },
      // A payout with an application token may debit the business's own wallet (tokens.ts).
      {
        by: "linkedAccountId",
        to: "linked_accounts",
        same: ["walletId"],
        where: ({ tokenHash, payeeId }) => tokenHash === undefined && payeeId === undefined,
      },
      { by: "walletId", to: "ledger_accounts", same: ["businessId", "currency"], is: SPEND },
    ],
  },
  ledger_fundings: {
    name: "funding",
    ties: [{ by: "walletId", to: "ledger_accounts", same: OWNER }],
  },
  ledger_adjustments: {
    name: "adjustment",
    ties: [{ by: "walletId", to: "ledger_accounts", same: OWNER, is: SPEND }],
  },
  ledger_wallet_transfers: {
    name: "transfer",
    ties: [
      { by: "walletId", to: "ledger_accounts", same: OWNER, is: SPEND },
      { by: "toWalletId", to: "ledger_accounts", same: ["businessId", "currency"], is: SPEND },
    ],
  },
  ledger_transfers: {
    name: "account transfer",
    ties: [
      { by: "accountId", to: "ledger_accounts", same: ["businessId", "currency"], is: COLLECTION },
      { by: "walletId", to: "ledger_accounts", same: OWN_WALLET, is: SPEND },
    ],
  },
  payment_links: {
    name: "payment link",
    ties: [
      {
        by: "collectionAccountId",
        to: "ledger_accounts",
        same: ["businessId", ["terms.currency", "currency"]],
        is: COLLECTION,
      },
      { by: "createdBy", to: "entities", same: ["businessId"] },
    ],
  },
  payment_methods: {
    name: "saved method",
    ties: [{ by: "subscriptionId", to: "subscriptions", same: ["businessId"], isLoose: true }],
  },
  billing_clocks: {
    name: "test clock",
    ties: [{ by: "businessId", to: "entities", same: [["_id", "_id"]], is: BUSINESS }],
  },
  webhook_endpoints: {
    name: "endpoint",
    ties: [
      { by: "businessId", to: "entities", same: [], is: BUSINESS },
      { by: "paymentLinkId", to: "payment_links", same: ["businessId"], isLoose: true },
    ],
  },
};

/** Checks every document of a collection against its owners. */
export async function verifyOwners(books: Books): Promise<void> {
  const isThere = new Set<string>();
  for await (const { name } of books.db.listCollections({}, { nameOnly: true })) isThere.add(name);
  // The collections do not wait for one another; in each, owners are read after their documents.
  await Promise.all(
    Object.entries(TIES).map(async ([collection, { name, ties }]) => {
      // Some services may never have started on this database.
      const kept = ties.filter(({ to }) => isThere.has(to));
      if (isThere.has(collection)) await verifyTies(books, collection, name, kept);
    }),
  );
}

async function verifyTies(books: Books, collection: string, name: string, ties: Tie[]) {
  const fields = select(...ties.flatMap(tieFields));
  for await (const batch of readOlder(books, collection, fields)) {
    for (const tie of ties) await verifyTie(books, name, tie, batch);
    books.findings.count("owned", batch.length);
  }
}

function tieFields({ by, same }: Tie): string[] {
  return [by, "tokenHash", "payeeId", "erasedAt", ...same.map((each) => pair(each)[0])];
}

function pair(field: Tie["same"][number]): [own: string, others: string] {
  return typeof field === "string" ? [field, field] : field;
}

async function verifyTie(
  books: Books,
  name: string,
  { by, to, same, is = {}, where = () => true, isLoose, isPersonal, needs }: Tie,
  batch: mongo.Document[],
): Promise<void> {
  const tied = batch.filter((each) => (each[by] ?? null) !== null && where(each));
  const pairs = same.map(pair);
  const others = [...pairs.map(([, field]) => field), ...Object.keys(is), "erasedAt", "erasure"];
  const ids = tied.map((each) => each[by] as string);
  const owners = await readAll<{ _id: string }>(books, to, ids, select("_id", ...others));
  for (const document of tied) {
    const owner = owners.get(document[by] as string);
    if (!owner && isLoose) continue;
    if (isPersonal && (owner as mongo.Document)?.erasedAt) continue;
    const lack = needs !== undefined && !valueAt(owner ?? {}, needs) ? `has no ${needs}` : null;
    const problem = owner ? (lack ?? ownerDifference(document, owner, pairs, is)) : "is not there";
    if (!problem) continue;
    const detail = `${name} ${document._id}: its ${by} ${String(document[by])} ${problem}`;
    books.findings.violation("owners", detail);
  }
}

/**
 * The fields of the owner that contradict its document, as a text for a finding; null if there are
 * none.
 */
function ownerDifference(
  document: mongo.Document,
  owner: mongo.Document,
  pairs: [string, string][],
  is: Record<string, unknown>,
): string | null {
  const differences = [
    ...pairs.map(
      ([own, others]) => [others, valueAt(document, own), valueAt(owner, others)] as const,
    ),
    ...Object.entries(is).map(([field, value]) => [field, value, owner[field]] as const),
  ].filter(([, actual, expected]) => actual !== expected);
  const parts = differences.map(
    ([field, actual, expected]) => `has the ${field} ${String(expected)}, not ${String(actual)}`,
  );
  return parts.join("; ") || null;
}
