// Wallets and collection accounts: opens, lists and shows them. Their balances come from the
// journal. A wallet's empty document is stored before the first posting that names it.

import type { Result } from "../../shared/contracts/contracts.ts";
import { fail } from "../../shared/errors.ts";
import { type Currency, toDecimal } from "../../shared/money.ts";
import { isDuplicate } from "../../shared/storage/database.ts";
import {
  type CursorMeta,
  type PageMeta,
  type Paging,
  readPage,
} from "../../shared/storage/paging.ts";
import type { Deps, Models } from "./deps.ts";
import { BEFORE_FIRST_BLOCK } from "./journal.model.ts";
import type { Ledger } from "./ledger.ts";
import type { AccountNow } from "./reads.ts";

export type WalletView = Result<"wallet-ledger.wallet">;

/** A wallet as other services see it. */
export function walletView({ controls }: Pick<Deps, "controls">, account: AccountNow): WalletView {
  const { _id: id, businessId, entityId, currency, disabled } = account;
  return {
    id,
    businessId: businessId as string,
    entityId: entityId as string,
    currency,
    type: "SPEND",
    balance: toDecimal(account.balance),
    disabled,
    frozen: controls.isFrozen(id),
    lowBalanceAt: account.lowBalance ? toDecimal(account.lowBalance.belowMinor) : null,
    createdAt: account.createdAt.toISOString(),
  };
}

export interface WalletOwner {
  businessId: string;
  entityId: string;
  currency: Currency;
  type: "SPEND" | "COLLECTION";
}

interface Opening extends Pick<Deps, "clock"> {
  models: Pick<Models, "ledger_accounts">;
  ledger: Pick<Ledger, "partitionFor">;
}

const LOOK_AGAIN_AFTER_MS = 10;
const LOOKS_AT_MOST = 200;

/**
 * Opens an account, or finds the open one: an entity has one account of a type in a currency. No
 * election can roll back the returned account, and every node of the ledger can read it.
 * @param id of the account if there is none; a repeat with the id has the same result
 */
export async function openAccount(
  { models, clock, ledger }: Opening,
  { businessId, entityId, currency, type }: WalletOwner,
  id: string,
): Promise<{ created: boolean; id: string }> {
  const { ledger_accounts: accounts } = models;
  const find = () =>
    accounts.findOne({ entityId, currency, type }, { _id: 1 }).readConcern("majority").lean();
  const open = await find();
  if (open) return { created: open._id === id, id: open._id };
  try {
    await accounts.create({
      _id: id,
      p: ledger.partitionFor(id),
      type,
      currency,
      businessId,
      entityId,
      createdAt: new Date(clock.now()),
      checkpoint: BEFORE_FIRST_BLOCK,
    });
    return { created: true, id };
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    // A concurrent request inserted the account, and a majority may not have it yet.
    for (let i = 0; i < LOOKS_AT_MOST; i++) {
      const raced = await find();
      if (raced) return { created: raced._id === id, id: raced._id };
      await clock.sleep(LOOK_AGAIN_AFTER_MS);
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
  { models }: Deps,
  { businessId, currency }: Pick<WalletOwner, "businessId" | "currency">,
): Promise<string> {
  // The own entity of a business has the id of the business.
  const filter = { entityId: businessId, currency, type: "COLLECTION" as const };
  const found = await models.ledger_accounts
    .findOne(filter, { _id: 1 })
    .readConcern("majority")
    .lean();
  return found?._id ?? fail("NO_COLLECTION_ACCOUNT");
}

/** The accounts of a business, or of one of its entities. */
export async function listAccounts<View>(
  { models, ledger }: Deps,
  filter: Pick<WalletOwner, "businessId" | "type"> & { entityId?: string },
  paging: Paging,
  view: (account: AccountNow) => View,
): Promise<{ items: View[]; meta: PageMeta | CursorMeta }> {
  const { documents, meta } = await readPage(models.ledger_accounts, filter, paging);
  const found = await Promise.all(documents.map(({ _id }) => ledger.reads.account(_id)));
  return { items: found.map((account) => view(requireVisible(account))), meta };
}

/** The wallets of an entity as it sees them, by currency. */
export async function listOwnWallets(
  { models, ledger, controls }: Deps,
  entityId: string,
): Promise<Result<"wallet-ledger.ownWallets">> {
  const found = await models.ledger_accounts
    .find({ entityId, type: "SPEND" }, { _id: 1 })
    .readConcern("majority")
    .sort({ currency: 1 })
    .lean();
  const accounts = await Promise.all(found.map(({ _id }) => ledger.reads.account(_id)));
  return accounts.map((account) => {
    const { _id: id, currency, balance, disabled } = requireVisible(account);
    return { id, currency, balance: toDecimal(balance), disabled, frozen: controls.isFrozen(id) };
  });
}

/**
 * Returns an account that must exist.
 * @throws UNAVAILABLE if the read is older than the account, for example after an election
 */
export function requireVisible(account: AccountNow | null): AccountNow {
  return account ?? fail("UNAVAILABLE");
}

export function collectionView({ _id: id, currency, balance }: AccountNow) {
  return { id, currency, balance: toDecimal(balance) };
}
