// Transactions of several services: each keeps its own. This file merges them into one list, and
// finds one by asking the services in turn. Their ids are UUIDs of version 7, so the newest has the
// highest id in every source, and a cursor (the last id of a page) has the same meaning for all.

import { checker } from "../../../shared/contracts/checker.ts";
import { list, object } from "../../../shared/contracts/compound-fields.ts";
import { action, cursorPage, DEFAULT_LIMIT } from "../../../shared/contracts/contract.ts";
import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { transactionDelivery } from "../../../shared/contracts/deliveries.ts";
import type { Fields, Infer } from "../../../shared/contracts/field.ts";
import { payoutKey, payouts } from "../../../shared/contracts/payouts.ts";
import {
  FLOWS,
  type LEDGER_FLOWS,
  PAYOUT_FLOWS,
  partyFilters,
  transaction,
  transactionFilter,
} from "../../../shared/contracts/transactions.ts";
import { entry } from "../../../shared/contracts/wallet-ledger.ts";
import { type ErrorType, errorType, fail } from "../../../shared/errors.ts";
import {
  type Call,
  composed,
  MERCHANT,
  OWN_BUSINESS,
  type Route,
  type RouteRequest,
} from "../http/route.ts";
import { withParties, withPartiesOf } from "./parties.ts";

export type Transaction = Result<"payouts.transaction">;
type Page = Result<"payouts.transactions">;
interface Key {
  businessId: string;
  id: string;
  /** Whether it is asked for an operator, who also sees a payout that is not accepted yet. */
  unaccepted?: boolean;
}

const filter = transactionFilter(FLOWS);
type Filter = Infer<typeof filter>;
const searched = { ...filter, ...partyFilters };
type Wanted = Infer<typeof searched>;

/** The parties that a list is filtered by; undefined if it is filtered by none. */
type Found = Result<"accounts.findParties">;
type Parties = NonNullable<Params<"payouts.transactions">["parties"]>;

interface Source {
  /** Whether any of its transactions can pass the filter. */
  canMatch(wanted: Wanted, found: Found | undefined): boolean;
  /** Newest first, at most the filter's limit. */
  list(call: Call, filter: Filter, parties: Parties | undefined): Promise<Page>;
  /** @throws TRANSACTION_NOT_FOUND */
  find(call: Call, key: Key): Promise<Transaction>;
}

const payoutSource: Source = {
  canMatch: ({ flow }, found) =>
    (flow === undefined || isPayoutFlow(flow)) && found?.alternatives?.length !== 0,
  list: (call, { flow, ...rest }, parties) =>
    call("payouts.transactions", {
      ...rest,
      ...(flow && isPayoutFlow(flow) && { flow }),
      ...(parties && { parties }),
    }),
  find: (call, key) => call("payouts.transaction", key),
};

function isPayoutFlow(flow: string): flow is (typeof PAYOUT_FLOWS)[number] {
  return PAYOUT_FLOWS.some((each) => each === flow);
}

/** Fundings, adjustments or transfers between wallets. */
function ledgerSource(flow: (typeof LEDGER_FLOWS)[number]): Source {
  return {
    canMatch: (wanted, found) =>
      (wanted.flow === undefined || wanted.flow === flow) &&
      !hasRecipient(wanted) &&
      found?.alternatives?.every(({ entityIds }) => entityIds === undefined) !== true,
    async list(call, { flow: _flow, linkedAccountId: _account, ...rest }, parties) {
      const asked = { ...rest, ...(flow !== "FUNDING" && { flow }), ...(parties && { parties }) };
      const page = await call("wallet-ledger.fundings", asked);
      // A node of the previous release answers fundings.
      return { ...page, items: page.items.filter((each) => each.flow === flow) };
    },
    find: (call, key) => call("wallet-ledger.funding", key),
  };
}

/** Its answer for one transaction is of any of the ledger's flows. */
const fundingSource = ledgerSource("FUNDING");

/** Whether only payouts can match, because nothing else has a recipient. */
function hasRecipient({ linkedAccountId, search, last4 }: Wanted): boolean {
  return [linkedAccountId, search, last4].some((value) => value !== undefined);
}

/** Payments and refunds are the business's own. */
const isOfBusiness: Source["canMatch"] = (wanted, found) =>
  !hasRecipient(wanted) && found?.isOfBusiness !== false;

const collectionSource: Source = {
  canMatch: (wanted, found) =>
    (wanted.flow === undefined || wanted.flow === "COLLECTION") && isOfBusiness(wanted, found),
  list: (call, { flow: _flow, linkedAccountId: _account, ...rest }) =>
    call("payment-links.transactions", rest),
  find: (call, key) => call("payment-links.transaction", key),
};

const refundSource: Source = {
  canMatch: (wanted, found) =>
    (wanted.flow === undefined || wanted.flow === "REFUND") && isOfBusiness(wanted, found),
  async list(call, { flow: _flow, linkedAccountId: _account, ...rest }) {
    const page = await call("payment-links.transactions", { ...rest, flow: "REFUND" });
    // A node of the previous release answers payments.
    return { ...page, items: page.items.filter(({ flow }) => flow === "REFUND") };
  },
  find: (call, key) => call("payment-links.transaction", key),
};

const BESIDE_PAYOUTS = [collectionSource, fundingSource];
/** The most likely source comes first. */
const SOURCES = [payoutSource, ...BESIDE_PAYOUTS];
const LISTED = [...SOURCES, refundSource, ledgerSource("TRANSFER"), ledgerSource("ADJUSTMENT")];

export const listAll = action({
  does: "Lists the transactions of a business, newest first. They are payouts, fundings, adjustments and transfers of wallets, payments of customers, and refunds",
  params: searched,
  result: cursorPage(transaction),
  errors: ["TOO_BROAD"],
});

const checkFilter = checker(searched);

/** A page of all sources' transactions. */
export async function listTransactions(params: Wanted, call: Call): Promise<Page> {
  const wanted = checkFilter(params);
  const { search, email, last4, externalId, ...filters } = wanted;
  const { limit = DEFAULT_LIMIT } = wanted;
  const byParties = { search, email, last4, externalId };
  const found = await findParties(filters, byParties, call);
  const parties = found && { ...byParties, alternatives: found.alternatives };
  const asked = LISTED.filter((source) => source.canMatch(wanted, found));
  const pages = await Promise.all(asked.map((source) => source.list(call, filters, parties)));
  const merged = pages.flatMap(({ items }) => items).toSorted((a, b) => (a.id < b.id ? 1 : -1));
  const items = await withParties(call, merged.slice(0, limit));
  const more = merged.length > limit || pages.some(({ meta }) => meta.nextCursor !== null);
  return { items, meta: { nextCursor: more ? (items.at(-1)?.id ?? null) : null } };
}

/** Among the parties that the list is restricted to. */
async function findParties(
  { businessId, linkedAccountId, entityId }: Filter,
  byParties: Omit<Parties, "alternatives">,
  call: Call,
): Promise<Found | undefined> {
  if (Object.values(byParties).every((value) => value === undefined)) return undefined;
  return call("accounts.findParties", {
    businessId,
    ...byParties,
    ...(linkedAccountId && { amongAccounts: [linkedAccountId] }),
    ...(entityId && { amongEntities: [entityId] }),
  });
}

export const find = {
  ...payouts["payouts.transaction"],
  params: payoutKey,
  does: "Shows a transaction of the business",
};

export async function findTransaction(key: Key, call: Call): Promise<Transaction> {
  return withPartiesOf(call, await findAlone(key, call));
}

async function findAlone(key: Key, call: Call): Promise<Transaction> {
  return (await findIn(SOURCES, key, call)) ?? fail("TRANSACTION_NOT_FOUND");
}

async function findIn(sources: Source[], key: Key, call: Call): Promise<Transaction | null> {
  for (const source of sources) {
    const found = await orNull(source.find(call, key));
    if (found) return found;
  }
  return null;
}

export async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (errorType(error) !== "TRANSACTION_NOT_FOUND") throw error;
    return null;
  }
}

type TimelineResult = (typeof payouts)["payouts.timeline"]["result"];

const {
  problem: _problem,
  screening: _screening,
  ...merchants
} = payouts["payouts.timeline"].result.fields as Fields;

/** The services know the entries and deliveries of others only as they pass them on. */
export const timelineFields = {
  ...merchants,
  entries: list(entry, {
    max: 500,
    note: "Its entries in the statement of the wallet; of a transfer, in those of both wallets",
  }),
  deliveries: list(transactionDelivery, { max: 1_000, note: "The deliveries of its events" }),
};

export const timeline = {
  ...payouts["payouts.timeline"],
  params: payoutKey,
  result: object(timelineFields, {
    name: "TransactionTimeline",
    note: "What became of a transaction",
  }) as unknown as TimelineResult,
  does: "Shows the history of a transaction. It has the statuses, the entries of the statement, and the deliveries of events",
};

/** Payouts and payments have a history; every other transaction is created and ended. */
export async function findTimeline(key: Key, call: Call): Promise<Result<"payouts.timeline">> {
  const ofPayout = await orNull(call("payouts.timeline", key));
  if (ofPayout) return ofPayout;
  const ofPayment = await orNull(call("payment-links.timeline", key));
  if (ofPayment) return ofPayment;
  const { id: transactionId, flow, ...found } = await findAlone(key, call);
  const { businessId } = key;
  const walletIds = [found.walletId];
  if (flow === "TRANSFER") {
    const transfer = { businessId, id: transactionId };
    walletIds.push((await call("wallet-ledger.walletTransfer", transfer)).toWalletId);
  }
  const [entries, deliveries] = await Promise.all([
    Promise.all(
      walletIds.map((walletId) => call("wallet-ledger.entriesOf", { walletId, transactionId })),
    ),
    call("webhooks.deliveriesOf", { businessId, transactionIds: [transactionId] }),
  ]);
  const begun = { status: "PENDING", at: found.createdAt };
  const ended = { status: found.status, at: found.updatedAt };
  return {
    states: ended.status === begun.status ? [begun] : [begun, ended],
    entries: entries.flat(),
    deliveries,
  };
}

/**
 * Runs an operation that exists only for payouts.
 * @param otherwise the error if the merchant's transaction exists but is no payout
 */
async function withPayout<T>(
  asked: Promise<T>,
  key: Key,
  call: Call,
  otherwise: ErrorType,
): Promise<T> {
  const result = await orNull(asked);
  if (result) return result;
  const another = await findIn(BESIDE_PAYOUTS, key, call);
  return fail(another ? otherwise : "TRANSACTION_NOT_FOUND");
}

/** An id may be a payout's or another transaction's, so a key belongs to one id at all services. */
export const IN_TURN = { asksInTurn: true };

export const cancel = payouts["payouts.cancel"];

export async function cancelTransaction(key: Key, call: Call): Promise<Transaction> {
  const asked = call("payouts.cancel", key);
  return withPartiesOf(call, await withPayout(asked, key, call, "NOT_CANCELLABLE"));
}

const payload = {
  ...payouts["payouts.webhookPayload"],
  errors: [...payouts["payouts.webhookPayload"].errors, "NOT_A_WITHDRAWAL" as const],
};

/** A path without a business means the merchant's own transactions. */
const ofMerchant = { from: { businessId: ({ caller }: RouteRequest) => caller?.sub } };

export const transactionRoutes: Route[] = [
  composed(
    "GET /v1/business/:businessId/transactions",
    OWN_BUSINESS,
    "listTransactions",
    listAll,
    listTransactions,
  ),
  composed(
    "GET /v1/transactions/:id",
    MERCHANT,
    "getTransaction",
    find,
    findTransaction,
    ofMerchant,
  ),
  composed(
    "GET /v1/transactions/:id/timeline",
    MERCHANT,
    "getTransactionTimeline",
    timeline,
    findTimeline,
    ofMerchant,
  ),
  composed(
    "POST /v1/transactions/:id/cancel",
    { ...MERCHANT, scope: "payouts" },
    "cancelTransaction",
    cancel,
    cancelTransaction,
    { ...ofMerchant, ...IN_TURN },
  ),
  composed(
    "GET /v1/transactions/:transactionId/webhook-payload",
    MERCHANT,
    "getWebhookPayload",
    payload,
    (params, call) => {
      const key = { businessId: params.businessId, id: params.transactionId };
      const asked = call("payouts.webhookPayload", params);
      return withPayout(asked, key, call, "NOT_A_WITHDRAWAL");
    },
    ofMerchant,
  ),
];
