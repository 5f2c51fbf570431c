// The indexes that decide: unique ones refuse the second of two documents, partial ones let
// sweepers find due documents, and expiring ones remove documents. This second copy of the models'
// indexes exists because a model could lose one; test/tools/verify/damage.deep.test.ts compares the
// table with the indexes that the services make.

import { isDeepStrictEqual } from "node:util";
import { readIndexes } from "../../shared/storage/indexes.ts";
import type { Books } from "./books.ts";

type Key = Record<string, 1 | -1>;

interface Index {
  key: Key;
  unique?: true;
  sparse?: true;
  /** Its partialFilterExpression. */
  where?: Record<string, unknown>;
  /** It removes documents this many seconds after the date in its field, or later. */
  expiresAfterAtLeast?: number;
}

const isSet = (field: string) => ({ [field]: { $exists: true } });
const visible = { visible: true };
const needsAttention = { needsAttention: true };
const pending = { status: "PENDING" };
const due = (field: string): Index => ({ key: { [field]: 1 }, where: isSet(field) });
/** The indexes of all resumable documents: of the two sweeps, and of the admins' list. */
const RESUMABLE: Index[] = [
  due("nextAttemptAt"),
  due("relayAt"),
  { key: { needsAttention: 1, _id: 1 }, where: needsAttention },
];
const listed = (key: Key): Index => ({ key: { list: 1, ...key }, where: isSet("list") });

/** What waits for a partner, by the field that names it. */
const waitsFor = (partner: string): Index => ({
  key: { [partner]: 1, unknownSince: 1 },
  where: isSet("unknownSince"),
});

/** The answers of requests with an Idempotency-Key, kept for a day. */
const KEYED: Index[] = [{ key: { keptSince: 1 }, expiresAfterAtLeast: 86_400 }];

/** The shortest retention that can be configured (docs/operate/configuration.md). */
const SHORTEST_RETENTION_S = 7 * 86_400;

/** The lists of the ledger's transactions, without the declined ones. */
const TRANSACTION_KEYS: Key[] = [
  { businessId: 1, _id: -1 },
  { businessId: 1, status: 1, _id: -1 },
  { businessId: 1, entityId: 1, _id: -1 },
  { reference: 1, businessId: 1, _id: -1 },
  { businessId: 1, amountMinor: 1, _id: -1 },
];
const FLAGGED: Index = {
  key: { businessId: 1, needsAttention: 1, _id: -1 },
  where: needsAttention,
};
const OF_TRANSACTIONS: Index[] = [
  ...TRANSACTION_KEYS.map((key) => ({ key, where: isSet("reference") })),
  FLAGGED,
];

/**
 * Every unique, partial, sparse and expiring index, by collection. Plain indexes only serve lists.
 */
export const INDEXES: Record<string, Index[]> = {
  ledger_blocks: [
    { key: { p: 1, n: 1 }, unique: true },
    { key: { p: 1, "transfers.id": 1 }, unique: true },
  ],
  ledger_accounts: [
    { key: { entityId: 1, currency: 1, type: 1 }, unique: true, where: isSet("entityId") },
    { key: { businessId: 1, type: 1, _id: 1 }, where: isSet("businessId") },
    { key: { "lowBalance.n": 1 }, where: isSet("lowBalance") },
  ],
  ledger_fundings: [
    { key: { walletId: 1, reference: 1 }, unique: true },
    { key: { createdAt: 1 }, where: pending },
    ...RESUMABLE,
    FLAGGED,
  ],
  ledger_adjustments: [
    { key: { walletId: 1, reference: 1 }, unique: true, where: isSet("reference") },
    ...RESUMABLE,
    ...OF_TRANSACTIONS,
  ],
  ledger_transfers: [
    { key: { accountId: 1, reference: 1 }, unique: true },
    { key: { createdAt: 1 }, where: pending },
    ...RESUMABLE,
  ],
  ledger_wallet_transfers: [
    { key: { businessId: 1, reference: 1 }, unique: true, where: isSet("reference") },
    { key: { walletId: 1, _id: -1 }, where: isSet("reference") },
    { key: { toWalletId: 1, _id: -1 }, where: isSet("reference") },
    ...RESUMABLE,
    ...OF_TRANSACTIONS,
  ],
  verifications: [{ key: { finishedAt: 1 }, expiresAfterAtLeast: 400 * 86_400 }],
  entities: [
    { key: { entityType: 1, _id: 1 }, where: { entityType: "BUSINESS" } },
    {
      key: { businessId: 1, externalIdentifier: 1 },
      unique: true,
      where: isSet("externalIdentifier"),
    },
    { key: { businessId: 1, email: 1, _id: 1 }, where: { entityType: "USER" } },
    { key: { businessId: 1, keys: 1 }, where: isSet("keys") },
  ],
  payout_limit_counters: [{ key: { expiresAt: 1 }, expiresAfterAtLeast: 0 }],
  client_guesses: [{ key: { expiresAt: 1 }, expiresAfterAtLeast: 0 }],
  application_tokens: [{ key: { hash: 1 }, unique: true }],
  linked_accounts: [
    { key: { walletId: 1, fingerprint: 1 }, unique: true, where: { unlinkedAt: null } },
    listed({ _id: 1 }),
    listed({ updatedAt: 1, _id: 1 }),
    listed({ counterPartyName: 1, _id: 1 }),
    listed({ counterPartyEmail: 1, _id: 1 }),
    listed({ nickName: 1, _id: 1 }),
    listed({ optionType: 1, _id: 1, entityType: 1 }),
    listed({ entityType: 1, _id: 1 }),
    listed({ entityId: 1, _id: 1 }),
    listed({ entityType: 1, optionType: 1, keys: 1 }),
  ],
  account_idempotency_keys: KEYED,
  ledger_idempotency_keys: KEYED,
  payout_idempotency_keys: KEYED,
  link_idempotency_keys: KEYED,
  webhook_idempotency_keys: KEYED,
  payouts: [
    { key: { entityId: 1, slot: 1 }, unique: true, where: isSet("slot") },
    { key: { entityId: 1, idempotencyKey: 1 }, unique: true, where: isSet("idempotencyKey") },
    { key: { businessId: 1, merchantKey: 1 }, unique: true, where: isSet("merchantKey") },
    { key: { reference: 1, businessId: 1 }, unique: true, where: isSet("reference") },
    { key: { payeeId: 1, _id: 1 }, where: isSet("payeeId") },
    { key: { entityId: 1, declined: 1, _id: 1 }, where: isSet("declined") },
    ...RESUMABLE,
    { key: { businessId: 1, flow: 1, status: 1, _id: -1 }, where: visible },
    { key: { entityId: 1, status: 1, _id: -1 }, where: visible },
    { key: { linkedAccountId: 1, _id: -1 }, where: visible },
    { key: { businessId: 1, visible: 1, totalMinor: 1, _id: -1 }, where: visible },
    FLAGGED,
    { key: { businessId: 1, heldSince: 1 }, where: isSet("heldSince") },
    { key: { visible: 1, _id: 1, reviewSince: 1 }, where: isSet("reviewSince") },
    waitsFor("rail"),
  ],
  payment_links: [{ key: { tokenHash: 1 }, unique: true }],
  payments: [
    { key: { key: 1 }, unique: true, where: isSet("key") },
    { key: { holds: 1 }, unique: true, where: isSet("holds") },
    { key: { idempotencyKey: 1 }, unique: true, where: isSet("idempotencyKey") },
    { key: { address: 1, _id: 1 }, where: isSet("declined") },
    { key: { orderId: 1, businessId: 1, _id: -1 }, where: isSet("orderId") },
    ...RESUMABLE,
    { key: { "renewal.subscriptionId": 1, _id: 1 }, where: isSet("renewal.subscriptionId") },
    { key: { businessId: 1, needsAttention: 1, _id: 1 }, where: needsAttention },
    waitsFor("acquirer"),
  ],
  payment_refunds: [
    { key: { key: 1 }, unique: true, where: isSet("key") },
    { key: { paymentId: 1, reference: 1 }, unique: true },
    { key: { paymentId: 1, _id: 1 }, where: visible },
    { key: { businessId: 1, _id: 1 }, where: visible },
    { key: { businessId: 1, status: 1, _id: 1 }, where: visible },
    { key: { businessId: 1, visible: 1, amountMinor: 1, _id: 1 }, where: visible },
    { key: { reference: 1, businessId: 1, _id: -1 }, where: visible },
    { key: { businessId: 1, needsAttention: 1, _id: 1 }, where: needsAttention },
    ...RESUMABLE,
    waitsFor("acquirer"),
  ],
  subscriptions: [
    { key: { holds: 1 }, unique: true, where: isSet("holds") },
    { key: { idempotencyKey: 1 }, unique: true, where: isSet("idempotencyKey") },
    { key: { "methodLink.tokenHash": 1 }, unique: true, where: isSet("methodLink.tokenHash") },
    ...RESUMABLE,
    { key: { businessId: 1, dueAt: 1 }, where: isSet("dueAt") },
  ],
  invoices: [
    { key: { subscriptionId: 1, occasion: 1 }, unique: true },
    { key: { businessId: 1, number: 1 }, unique: true },
    ...RESUMABLE,
  ],
  usage_log: [
    { key: { subscriptionId: 1, seq: 1 }, unique: true },
    { key: { subscriptionId: 1, reference: 1 }, unique: true, where: isSet("reference") },
    { key: { subscriptionId: 1, closes: 1 }, unique: true, where: isSet("closes") },
    { key: { subscriptionId: 1, _id: 1 }, where: isSet("reference") },
  ],
  billing_clocks: RESUMABLE,
  webhook_endpoints: [
    { key: { paymentLinkId: 1 }, unique: true, where: { paymentLinkId: { $type: "string" } } },
    { key: { disabledReason: 1, _id: -1 }, where: { disabled: true } },
    { key: { "notices.id": 1 }, sparse: true },
    { key: { "replay.due": 1 }, where: isSet("replay.due") },
  ],
  sandbox_cards: [{ key: { forgetAt: 1 }, expiresAfterAtLeast: 0 }],
  webhook_events: [{ key: { at: 1 }, expiresAfterAtLeast: SHORTEST_RETENTION_S }],
  webhook_deliveries: [
    { key: { eventId: 1, endpointId: 1 }, unique: true },
    { key: { status: 1, endpointId: 1, nextAttemptAt: 1 }, where: pending },
    { key: { deadLetterReason: 1, _id: -1 }, where: { status: "DEAD_LETTER" } },
    { key: { createdAt: 1 }, expiresAfterAtLeast: SHORTEST_RETENTION_S },
  ],
};

/** An index as MongoDB describes it. */
export interface Described {
  key: Record<string, unknown>;
  unique?: boolean;
  sparse?: boolean;
  partialFilterExpression?: object;
  expireAfterSeconds?: number;
}

/** Checks the indexes of every collection that exists. */
export async function verifyIndexes({ db, findings }: Books): Promise<void> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const kept = collections.filter(({ name }) => Object.hasOwn(INDEXES, name));
  await Promise.all(
    kept.map(async ({ name }) => {
      const found = (await readIndexes(db, name)) ?? [];
      for (const index of INDEXES[name] ?? []) {
        findings.count("indexes");
        // Several indexes may have the same key.
        const alike = found.filter(({ key }) => keyText(key) === keyText(index.key));
        if (alike.some((each) => isDescribedBy(index, each))) continue;
        findings.violation("indexes", `${name} has no ${describeIndex(index)}`);
      }
    }),
  );
}

/** Whether an index is the wanted one in every property that decides. */
export function isDescribedBy(wanted: Index, { key, ...index }: Described): boolean {
  const { unique = false, sparse = false, where, expiresAfterAtLeast } = wanted;
  const { partialFilterExpression, expireAfterSeconds } = index;
  const expires =
    expiresAfterAtLeast === undefined
      ? expireAfterSeconds === undefined
      : (expireAfterSeconds ?? -1) >= expiresAfterAtLeast;
  return (
    keyText(key) === keyText(wanted.key) &&
    (index.unique ?? false) === unique &&
    (index.sparse ?? false) === sparse &&
    isDeepStrictEqual(partialFilterExpression, where) &&
    expires
  );
}

/** The order of the fields of a key matters. */
function keyText(key: object): string {
  return JSON.stringify(key);
}

function describeIndex({ key, unique, sparse, where, expiresAfterAtLeast }: Index): string {
  const kind = unique ? "unique index" : sparse ? "sparse index" : "index";
  const filter = where ? ` where ${JSON.stringify(where)}` : "";
  const expiry = expiresAfterAtLeast === undefined ? "" : ` after ${expiresAfterAtLeast} s or more`;
  return `${kind} ${keyText(key)}${filter}${expiry && `, which removes${expiry}`}`;
}
