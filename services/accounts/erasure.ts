// The erasure of an end user (docs/integrate/personal-data.md). It ends the person's access, and
// erases names, addresses and account numbers in all services; ids, amounts and states stay.
//
// Invariant: a payout that is accepted finds the data of its linked account until it has ended. A
// withdrawal reads its destination first, and its payout is accepted only if it is stored within
// WITHDRAWN_WITHIN_MS after that. So the erasure marks the accounts, because no withdrawal uses a
// marked account, waits for that time, and then counts the payouts under way. A link request whose
// transaction read the owner before the mark may store one more account. It does so within
// LINKED_WITHIN_MS; the erasure marks that account after its wait, and waits again.
//
// Every step may be repeated. Before the step `erasing` is stored, a refusal removes the marks. The
// payments of the email are erased just before that step, because they may refuse too; they stay
// erased if the request is cut off in between. After the step, a repeat completes the erasure. The
// entity is erased last, because its email finds the payments.

import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { sharedEmailReason } from "../../shared/contracts/personal-data.ts";
import { fail } from "../../shared/errors.ts";
import { type Caller, call } from "../../shared/rpc/actions.ts";
import { ERASED_EMAIL, KEPT_OF_ENTITIES } from "../../shared/storage/erased.ts";
import type { Deps } from "./deps.ts";
import { endUsersWith } from "./end-users-with.ts";
import type { Entity, Erasure } from "./entity.model.ts";
import { eraseAccounts } from "./erased-accounts.ts";
import { LINKED_WITHIN_MS } from "./lists/counts.ts";

type Request = Params<"accounts.eraseEntity">;
type Key = Pick<Request, "businessId" | "entityId">;
type Answer = Result<"accounts.eraseEntity">;
type Counts = Answer["erased"];

/** The longest time of a withdrawal (payouts, withdraw.ts). */
const WITHDRAWN_WITHIN_MS = 5_000;
/** The second on top allows for clocks that are adjusted during the wait. */
const SETTLED_AFTER_MS = Math.max(WITHDRAWN_WITHIN_MS, LINKED_WITHIN_MS) + 1_000;

/** The longest time for which a request checks; another request then takes over. */
const CHECKED_WITHIN_MS = 30_000;

/** The work of erasing one entity. */
interface Erasing {
  deps: Deps;
  /** A caller and not a context, because the work continues after its request has ended. */
  caller: Caller;
  key: Key;
  /** Whether to erase what was paid with an email that other end users have too. */
  sharedEmail: Request["sharedEmail"];
}

/**
 * Erases an end user for good. A repeated call completes an interrupted erasure; after it, the
 * result is the same again.
 * @throws ENTITY_NOT_FOUND also for a business; ERASURE_REFUSED with its reasons, and nothing has
 *   changed; ERASURE_RUNNING while another request checks
 */
export async function eraseEntity(
  deps: Deps,
  caller: Caller,
  { sharedEmail, ...key }: Request,
): Promise<Answer> {
  const erasing = { deps, caller, key, sharedEmail };
  const found = await find(erasing);
  if (found.erasure?.step === "erased") return answer(found);
  if (found.erasure?.step !== "erasing") await decide(erasing, found);
  return complete(erasing, await find(erasing));
}

/** @throws ERASURE_RUNNING, until the next request takes over */
function failRunning(): never {
  return fail("ERASURE_RUNNING", undefined, { retryAfterS: CHECKED_WITHIN_MS / 1_000 });
}

async function find({ deps, key: { businessId, entityId } }: Erasing): Promise<Entity> {
  const entity = await deps.models.entities.findOne({
    _id: entityId,
    businessId,
    entityType: "USER",
  });
  return entity ?? fail("ENTITY_NOT_FOUND");
}

/**
 * Checks that no money of the entity is under way, erases the payments and subscriptions of its
 * email, and stores the step `erasing`.
 * @throws ERASURE_REFUSED, ERASURE_RUNNING
 */
async function decide(erasing: Erasing, entity: Entity): Promise<void> {
  const { deps, key } = erasing;
  const { entities, linked_accounts: accounts } = deps.models;
  // An early refusal, before anything is marked.
  await requireErasable(erasing, entity);
  const id = await begin(erasing);
  const isOurs = { _id: entity._id, "erasure.id": id, "erasure.step": "checking" };
  try {
    await mark(deps, key, id);
    await deps.clock.sleep(SETTLED_AFTER_MS);
    if ((await mark(deps, key, id)) > 0) await deps.clock.sleep(SETTLED_AFTER_MS);
    await requireErasable(erasing, entity);
    const erased = await eraseAsCustomer(erasing, entity);
    const decided = { "erasure.step": "erasing", "erasure.erased": erased };
    if (!(await entities.change(isOurs, { $set: decided }))) failRunning();
  } catch (error) {
    // The marks go first: after a crash between the two writes the entity still has its erasure,
    // and a repeat takes over.
    await accounts.updateMany({ entityId: key.entityId, erasing: id }, { $unset: { erasing: 1 } });
    await entities.change(isOurs, { $unset: { erasure: 1 } });
    throw error;
  }
}

/**
 * Begins to check, or takes over from a request that began more than CHECKED_WITHIN_MS ago.
 * @returns the id of this request's erasure
 */
async function begin({ deps, key: { businessId, entityId } }: Erasing): Promise<string> {
  const id = deps.newId();
  const isLongAgo = { $lt: ["$erasure.at", { $subtract: ["$$NOW", CHECKED_WITHIN_MS] }] };
  const begun = await deps.models.entities.change(
    {
      _id: entityId,
      businessId,
      $or: [{ erasure: { $exists: false } }, { "erasure.step": "checking", $expr: isLongAgo }],
    },
    [{ $set: { erasure: { id: { $literal: id }, step: "checking", at: "$$NOW" } } }],
  );
  return begun ? id : failRunning();
}

/** Marks the accounts. @returns the number of accounts without an earlier mark */
async function mark({ models }: Deps, { entityId }: Key, id: string) {
  const { linked_accounts: accounts } = models;
  const mine = { $set: { erasing: id } };
  const { modifiedCount } = await accounts.updateMany({ entityId, erasing: null }, mine);
  await accounts.updateMany({ entityId, erasing: { $ne: id } }, mine);
  return modifiedCount;
}

/**
 * @throws ERASURE_REFUSED if a payout is under way, a wallet is not empty, or other end users have
 *   the same email and the request does not say what is meant
 */
async function requireErasable(
  { deps, caller, key, sharedEmail }: Erasing,
  entity: Entity,
): Promise<void> {
  const [{ open }, { items: wallets }, having] = await Promise.all([
    call(caller, "payouts.countOpen", key),
    call(caller, "wallet-ledger.businessWallets", { ...key, limit: 100 }),
    endUsersWith(deps, entity),
  ]);
  const isUnclear = having.length > 1 && sharedEmail === undefined;
  const reasons = [
    ...(isUnclear ? [sharedEmailReason(having.length)] : []),
    ...(open > 0 ? [`${open} payouts are under way or need attention`] : []),
    ...wallets
      .filter(({ balance }) => Number(balance) !== 0)
      .map(({ balance, currency }) => `a wallet holds ${balance} ${currency}: pay it out first`),
  ];
  if (reasons.length > 0) fail("ERASURE_REFUSED", reasons.join("; "));
}

/**
 * Erases what was paid with the email of an end user. Of an email that other end users have too, it
 * stays if the request says so.
 */
async function eraseAsCustomer(
  { deps, caller, sharedEmail }: Erasing,
  { businessId, email }: Entity,
): Promise<{ payments: number; subscriptions: number }> {
  const isKept = sharedEmail === "exclude";
  if (isKept && (await endUsersWith(deps, { businessId, email })).length > 1) {
    return { payments: 0, subscriptions: 0 };
  }
  const all = { businessId, email, sharedEmail: "include" } as const;
  return (await call(caller, "payment-links.eraseCustomer", all)).erased;
}

/** Erases the data in the other services in any order, and the entity last. */
async function complete(erasing: Erasing, entity: Entity): Promise<Answer> {
  const { deps, caller, key } = erasing;
  // Another request may have completed the erasure since `find`.
  if (entity.erasure?.step === "erased") return answer(entity);
  const linkedAccounts = await eraseAccounts(deps, key.entityId);
  const { payouts } = await call(caller, "payouts.eraseEntity", key);
  const { paymentLinks } = await call(caller, "payment-links.eraseLinksOf", key);
  const { payments = 0, subscriptions = 0 } = entity.erasure?.erased ?? {};
  const erased: Counts = { linkedAccounts, payouts, payments, subscriptions, paymentLinks };
  await deps.models.entities.change(
    { _id: entity._id, "erasure.step": "erasing" },
    {
      $set: {
        email: ERASED_EMAIL,
        "erasure.step": "erased",
        "erasure.at": new Date(deps.clock.now()),
        "erasure.erased": erased,
      },
      $unset: { externalIdentifier: 1, keys: 1, folded: 1 },
    },
  );
  return answer(await find(erasing));
}

function answer({ _id: id, erasure }: Entity): Answer {
  const { at, erased } = erasure as Required<Erasure>;
  return { id, erasedAt: at.toISOString(), erased, kept: KEPT_OF_ENTITIES };
}
