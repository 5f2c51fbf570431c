// Wallets and collection accounts: opens, lists and shows them. Their balances come from the
// journal. A wallet's empty document is stored before the first posting that names it.

import type { Model } from "mongoose";
import { systemClock } from "../../shared/clock.ts";
import { isDuplicate } from "../../shared/database.ts";
import { fail } from "../../shared/errors.ts";
import { newId } from "../../shared/ids.ts";
import { type Currency, toDecimal } from "../../shared/money.ts";
import { oldestFirst, type PageMeta } from "../../shared/paging.ts";
import { type Account, BEFORE_FIRST_BLOCK } from "./journal.model.ts";
import type { AccountNow, Reads } from "./reads.ts";

export interface WalletView {
  id: string;
  businessId: string;
  entityId: string;
  currency: Currency;
  type: "SPEND";
  balance: string;
  disabled: boolean;
  createdAt: string;
}

/** A wallet as other services see it; null for any other account and for null. */
export function walletView(account: AccountNow | null): WalletView | null {
  if (account?.type !== "SPEND") return null;
  const { _id: id, businessId, entityId, currency, type, disabled } = account;
  return {
    id,
    businessId: businessId as string,
    entityId: entityId as string,
    currency,
    type,
    balance: toDecimal(account.balance),
    disabled,
    createdAt: account.createdAt.toISOString(),
  };
}

export interface Owner {
  businessId: string;
  entityId: string;
  currency: Currency;
  type: "SPEND" | "COLLECTION";
}

const LOOK_AGAIN_AFTER_MS = 10;
const LOOKS_AT_MOST = 200;

/**
 * Opens an account, or finds the open one: an entity has one account of a type in a currency. No
 * election can roll back the returned account, and every node of the ledger can read it.
 */
export async function openAccount(
  accounts: Model<Account>,
  { businessId, entityId, currency, type }: Owner,
  partitionOf: (walletId: string) => number,
): Promise<{ created: boolean; id: string }> {
  const find = () =>
    accounts.findOne({ entityId, currency, type }, { _id: 1 }).readConcern("majority").lean();
  const open = await find();
  if (open) return { created: false, id: open._id };
  const id = newId();
  try {
    await accounts.create({
      _id: id,
      p: partitionOf(id),
      type,
      currency,
      businessId,
      entityId,
      createdAt: new Date(),
      checkpoint: BEFORE_FIRST_BLOCK,
    });
    return { created: true, id };
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    // A concurrent request inserted the account, and a majority may not have it yet.
    for (let i = 0; i < LOOKS_AT_MOST; i++) {
      const raced = await find();
      if (raced) return { created: false, id: raced._id };
      await systemClock.sleep(LOOK_AGAIN_AFTER_MS);
    }
    throw error;
  }
}

/**
 * The collection account of a business in a currency.
 * @returns its id
 * @throws NO_COLLECTION_ACCOUNT
 */
export async function findCollectionAccount(
  accounts: Model<Account>,
  { businessId, currency }: Pick<Owner, "businessId" | "currency">,
): Promise<string> {
  // The own entity of a business has the id of the business.
  const filter = { entityId: businessId, currency, type: "COLLECTION" as const };
  const found = await accounts.findOne(filter, { _id: 1 }).readConcern("majority").lean();
  return found?._id ?? fail("NO_COLLECTION_ACCOUNT");
}

/** The collection accounts of a business, oldest first. */
export async function listCollectionAccounts(
  accounts: Model<Account>,
  reads: Reads,
  businessId: string,
  paging: { page?: number; limit?: number },
): Promise<{ items: CollectionAccountView[]; meta: PageMeta }> {
  const { found, meta } = await listAccounts(
    accounts,
    reads,
    { businessId, type: "COLLECTION" },
    paging,
  );
  return { items: found.map(collectionView), meta };
}

/** The wallets of a business or of one of its entities, oldest first. */
export async function listWallets(
  accounts: Model<Account>,
  reads: Reads,
  { businessId, entityId }: { businessId: string; entityId?: string },
  paging: { page?: number; limit?: number },
): Promise<{ items: WalletView[]; meta: PageMeta }> {
  const owner = { businessId, ...(entityId !== undefined && { entityId }) };
  const { found, meta } = await listAccounts(accounts, reads, { ...owner, type: "SPEND" }, paging);
  return { items: found.map((account) => walletView(account) as WalletView), meta };
}

async function listAccounts(
  accounts: Model<Account>,
  reads: Reads,
  filter: Pick<Owner, "businessId" | "type"> & Partial<Owner>,
  paging: { page?: number; limit?: number },
): Promise<{ found: AccountNow[]; meta: PageMeta }> {
  const { documents, meta } = await oldestFirst(accounts, filter, paging);
  const found = await Promise.all(documents.map(({ _id }) => reads.account(_id)));
  return { found: found.map(shown), meta };
}

/**
 * Returns an account that must exist.
 * @throws UNAVAILABLE if the read is older than the account, for example after an election
 */
export function shown(account: AccountNow | null): AccountNow {
  return account ?? fail("UNAVAILABLE");
}

interface CollectionAccountView {
  id: string;
  currency: Currency;
  balance: string;
}

export function collectionView({ _id: id, currency, balance }: AccountNow): CollectionAccountView {
  return { id, currency, balance: toDecimal(balance) };
}
