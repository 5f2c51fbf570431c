// A withdrawal (docs/integrate/rest-api.md, Withdrawals): its rules, in the order of their answers,
// and the 200. accept.ts makes its payout. A repeat with the Idempotency-Key or the reference of a
// payout gets that payout's answer, before any other rule.

import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { ERRORS, errorType, fail } from "../../shared/errors.ts";
import { type Currency, toDecimal } from "../../shared/money.ts";
import type { Actor, Idempotency } from "../../shared/rpc/actions.ts";
import { digest } from "../../shared/security/secrets.ts";
import { accept } from "./accept.ts";
import type { Deps, PayoutDestination } from "./deps.ts";
import { keyOf, referenceOf } from "./idempotency.ts";
import { type LimitUse, rateLimitState } from "./limits.ts";
import type { Payout } from "./payout.model.ts";
import { readRequest } from "./request.ts";

export interface Withdrawal {
  actor: Actor;
  params: Params<"payouts.withdraw">;
  /** Epoch ms until which the caller waits. */
  deadline?: number;
  /** The key by which the caller may repeat the request. */
  idempotency?: Idempotency;
}

/**
 * Withdraws from the actor's wallet, or its merchant's, to the actor's linked account. A request
 * with the key or the reference of an earlier one gets its answer.
 * @throws KEY_REUSED, CONFLICT, STILL_RUNNING, RATE_LIMITED, VALIDATION, LINKED_ACCOUNT_NOT_FOUND,
 *   WALLET_DISABLED, APPLICATION_TOKEN_INVALID, MALFORMED_REQUEST, INSUFFICIENT_FUNDS; UNAVAILABLE
 *   if nothing was or will be taken; OUTCOME_UNKNOWN if that is not known in time
 */
export async function withdraw(
  deps: Deps,
  { actor, params, deadline, idempotency }: Withdrawal,
): Promise<Result<"payouts.withdraw">> {
  const { currency, linkedAccountId, applicationToken, body } = params;
  const entityId = actor.sub;
  const asked = readRequest(currency, body);
  const tokenHash = applicationToken === undefined ? undefined : digest(applicationToken);
  const { payout, use } = await accept(deps, {
    deadline,
    limits: deps.config,
    readUse: () => deps.readLimitUse(entityId),
    async identify() {
      const key = keyOf("idempotencyKey", entityId, idempotency);
      if (!asked.isValid || asked.request.reference === undefined) return { key };
      const { reference } = asked.request;
      const terms = ["withdrawal", entityId, linkedAccountId, tokenHash, asked.request];
      return { key, reference: referenceOf(await businessOf(deps, actor), reference, terms) };
    },
    async permit() {
      if (deps.controls.isQuiet()) return;
      await deps.controls.refuse("payout", { businessId: await businessOf(deps, actor), entityId });
    },
    async find() {
      if (!asked.isValid) throw asked.error;
      const { request } = asked;
      const destination = await findOwn(deps, actor, linkedAccountId, request.currency);
      return { request, destination, tokenHash };
    },
  });
  return answerFor(deps, payout, use);
}

/** The business of the actor. An unknown entity has none, and no account either. */
export async function businessOf(deps: Deps, { sub, role }: Actor): Promise<string> {
  if (role === "merchant") return sub;
  try {
    return await deps.services.businessOf(sub);
  } catch (error) {
    if (errorType(error) === "ENTITY_NOT_FOUND") return sub;
    throw error;
  }
}

/**
 * The actor's linked account. A merchant learns that an account is its end user's.
 * @throws LINKED_ACCOUNT_NOT_FOUND
 */
async function findOwn(
  deps: Deps,
  { sub: entityId, role }: Actor,
  linkedAccountId: string,
  currency: Currency,
): Promise<PayoutDestination> {
  const isMerchant = role === "merchant";
  const request = { entityId, linkedAccountId, currency, ...(isMerchant && { ofBusiness: true }) };
  const destination = await deps.findDestination(request);
  if (!destination) return fail("LINKED_ACCOUNT_NOT_FOUND");
  if (destination.entityId === entityId) return destination;
  const exactly = "LINKED_ACCOUNT_NOT_YOURS";
  return fail("LINKED_ACCOUNT_NOT_FOUND", ERRORS[exactly].message, { exactly });
}

const QUEUED = "Payment queued. Its final status arrives by webhook, or ask";

/** The answer 200 to the first request and to each repeat, with the current state of the limit. */
function answerFor(
  deps: Deps,
  { _id: id, slot, amountMinor, feesMinor }: Payout,
  { holders }: LimitUse,
): Result<"payouts.withdraw"> {
  const { withdrawalLimit } = deps.config;
  const now = deps.clock.now();
  const others = holders.filter((holder) => holder.id !== id);
  const all = slot === undefined ? others : [...others, { id, slot }];
  return {
    message: `${QUEUED} GET /v1/ext/withdrawals/${id}.`,
    id,
    status: "PENDING",
    fees: toDecimal(feesMinor),
    amount: toDecimal(amountMinor + feesMinor),
    rateLimit: withdrawalLimit && rateLimitState(all, withdrawalLimit, now),
  };
}
