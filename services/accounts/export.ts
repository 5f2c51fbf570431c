// The export of an end user: everything that payrail stores about the person, in one answer.

import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { EXPORTED_AT_MOST } from "../../shared/contracts/personal-data.ts";
import { fail } from "../../shared/errors.ts";
import { type Caller, call } from "../../shared/rpc/actions.ts";
import { newestFirst } from "../../shared/storage/paging.ts";
import type { Deps } from "./deps.ts";
import { endUsersWith } from "./end-users-with.ts";
import { entityView } from "./entities.ts";
import type { Entity } from "./entity.model.ts";
import { businessViews } from "./views.ts";

const PAGE = 100;

/**
 * Exports an end user of a business.
 * @throws ENTITY_NOT_FOUND also for a business, and for an erased end user
 */
export async function exportEntity(
  deps: Deps,
  caller: Caller,
  key: Params<"accounts.exportEntity">,
): Promise<Result<"accounts.exportEntity">> {
  const { sharedEmail, ...ofEntity } = key;
  const { businessId, entityId } = ofEntity;
  const { models } = deps;
  const found = await models.entities.findOne({ _id: entityId, businessId, entityType: "USER" });
  const isThere = found !== null && found.erasure?.step !== "erased";
  const entity = isThere ? found : fail("ENTITY_NOT_FOUND");
  const most = { limit: EXPORTED_AT_MOST };
  const accounts = await newestFirst(models.linked_accounts, { entityId }, most);
  const accountIds = accounts.documents.map(({ _id }) => _id);
  const [wallets, withdrawals, customer, links] = await Promise.all([
    call(caller, "wallet-ledger.businessWallets", { ...ofEntity, limit: PAGE }),
    readPayouts(caller, ofEntity, accountIds),
    exportAsCustomer(deps, caller, entity, sharedEmail),
    call(caller, "payment-links.linksOf", ofEntity),
  ]);
  const areAll = accounts.nextCursor === null && withdrawals.length <= EXPORTED_AT_MOST;
  return {
    entity: entityView(entity),
    wallets: wallets.items,
    linkedAccounts: await businessViews(deps, caller, accounts.documents),
    withdrawals: withdrawals.slice(0, EXPORTED_AT_MOST),
    payments: customer.payments,
    subscriptions: customer.subscriptions,
    paymentLinks: links.paymentLinks,
    ...(customer.emailSharedBy && { emailSharedBy: customer.emailSharedBy }),
    complete: areAll && customer.complete && links.complete,
  };
}

/**
 * What was paid with the email of an end user. Of an email that other end users have too, it may be
 * theirs, so it is left out unless the request includes it.
 */
async function exportAsCustomer(
  deps: Deps,
  caller: Caller,
  { businessId, email }: Entity,
  sharedEmail: Params<"accounts.exportEntity">["sharedEmail"],
): Promise<Result<"payment-links.exportCustomer">> {
  const having = await endUsersWith(deps, { businessId, email });
  if (having.length > 1 && sharedEmail !== "include") {
    const emailSharedBy = sharedEmail === undefined ? { emailSharedBy: having } : {};
    return { payments: [], subscriptions: [], ...emailSharedBy, complete: false };
  }
  const all = { businessId, email, sharedEmail: "include" } as const;
  return call(caller, "payment-links.exportCustomer", all);
}

type Payouts = Result<"payouts.transactions">["items"];

/**
 * The payouts from the end user's wallets, and those of the business to its accounts, newest first;
 * at least one more than an export has, if there are more.
 */
async function readPayouts(
  caller: Caller,
  { businessId, entityId }: Pick<Params<"accounts.exportEntity">, "businessId" | "entityId">,
  linkedAccountIds: string[],
): Promise<Payouts> {
  const parties = { alternatives: [{ entityIds: [entityId] }, { linkedAccountIds }] };
  const accounts = new Set<string | null>(linkedAccountIds);
  const all: Payouts = [];
  let cursor: string | undefined;
  while (all.length <= EXPORTED_AT_MOST) {
    const asked = { businessId, parties, limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const { items, meta } = await call(caller, "payouts.transactions", asked);
    // A node of the previous release knows no parties, and lists the payouts of all end users.
    all.push(
      ...items.filter((each) => each.entityId === entityId || accounts.has(each.linkedAccountId)),
    );
    if (meta.nextCursor === null) break;
    cursor = meta.nextCursor;
  }
  return all;
}
