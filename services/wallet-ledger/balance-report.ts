// The ledger's part of the balance report: the accounts that it has, and their movements with the
// references of fundings and transfers. period.ts reads the journal.

import type { FilterQuery, Model } from "mongoose";
import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { fail, failField } from "../../shared/errors.ts";
import type { Deps } from "./deps.ts";
import type { AccountNow } from "./reads.ts";
import type { Referenced } from "./referenced.model.ts";
import { requireVisible } from "./wallets.ts";

type Period = Params<"wallet-ledger.period">;

/**
 * The balances and the range of each account of a report.
 * @throws VALIDATION if the period ends before it begins, or if the named account has another
 *   currency; WALLET_NOT_FOUND
 */
export async function findPeriod(
  deps: Deps,
  { from, to, ...asked }: Period,
): Promise<Result<"wallet-ledger.period">> {
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  if (begin >= end) failField("from", "must be before to");
  const accounts = await findAccounts(deps, asked);
  return Promise.all(
    accounts.map(async (account) => ({
      id: account._id,
      ...(await deps.ledger.period.range(account, begin, end)),
    })),
  );
}

/** The named account of the business, or the accounts of the business itself in the currency. */
async function findAccounts(
  deps: Deps,
  { businessId, currency, walletId }: Omit<Period, "from" | "to">,
): Promise<AccountNow[]> {
  const { ledger, models } = deps;
  if (walletId !== undefined) {
    const account = await findOwned(deps, businessId, walletId);
    return account.currency === currency
      ? [account]
      : failField("currency", `must be the wallet's, ${account.currency}`);
  }
  // The own entity of a business has the id of the business.
  const found = await models.ledger_accounts
    .find({ entityId: businessId, currency }, { _id: 1 })
    .readConcern("majority")
    .lean();
  return Promise.all(found.map(async ({ _id }) => requireVisible(await ledger.reads.account(_id))));
}

/** A wallet or collection account of the business or of its end users. */
async function findOwned({ ledger }: Deps, businessId: string, id: string): Promise<AccountNow> {
  const account = await ledger.reads.account(id);
  return account?.businessId === businessId ? account : fail("WALLET_NOT_FOUND");
}

/** The newest pages of a range, each by its last block, and the range left before them. */
export async function findPages(
  deps: Deps,
  { businessId, ...range }: Params<"wallet-ledger.pages">,
): Promise<Result<"wallet-ledger.pages">> {
  await findOwned(deps, businessId, range.accountId);
  return deps.ledger.period.pages(range);
}

/** The movements of a page. */
export async function listMovements(
  deps: Deps,
  { businessId, ...range }: Params<"wallet-ledger.movements">,
): Promise<Result<"wallet-ledger.movements">> {
  await findOwned(deps, businessId, range.accountId);
  const movements = await deps.ledger.period.movements(range);
  const idsOf = (wanted: string) =>
    movements.flatMap(({ kind, transactionId }) => (kind === wanted ? transactionId : []));
  const { ledger_fundings, ledger_adjustments, ledger_transfers, ledger_wallet_transfers } =
    deps.models;
  const references = new Map([
    ...(await readReferences(ledger_fundings, idsOf("FUNDING"))),
    ...(await readReferences(ledger_adjustments, idsOf("ADJUSTMENT"))),
    ...(await readReferences(ledger_transfers, idsOf("TRANSFER"))),
    ...(await readReferences(ledger_wallet_transfers, idsOf("TRANSFER"))),
  ]);
  return movements.map((movement) => ({
    ...movement,
    reference: references.get(movement.transactionId) ?? null,
  }));
}

async function readReferences<T extends Referenced>(
  documents: Model<T>,
  ids: string[],
): Promise<[string, string][]> {
  if (ids.length === 0) return [];
  const found = await documents
    .find({ _id: { $in: ids } } as FilterQuery<T>, { reference: 1 })
    .readConcern("majority")
    .lean<Pick<Referenced, "_id" | "reference">[]>();
  return found.map(({ _id, reference }) => [_id, reference as string]);
}
