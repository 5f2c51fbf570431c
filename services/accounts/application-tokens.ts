// Application tokens. A token is shown once and stored as a digest, by which other services name
// it. At most one payout spends a PAYOUT token: a claim is one conditional update, and a repeated
// claim of the same payout has the same result. A payout that released the token never gets it
// again, because its claim may arrive after its release.

import type { FilterQuery } from "mongoose";
import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { type FieldError, fail, failField, failFields, wrongField } from "../../shared/errors.ts";
import { toDecimal, toMinor } from "../../shared/money.ts";
import type { Caller, Creation } from "../../shared/rpc/actions.ts";
import { digest } from "../../shared/security/secrets.ts";
import type { ApplicationToken } from "./application-token.model.ts";
import type { Deps } from "./deps.ts";
import { findBusiness, PRESENT } from "./entities.ts";
import { findWallet } from "./wallets.ts";

const LIFETIME_MS = 24 * 3_600_000;

/** Enough for every decline that can overtake its claim: their rate is limited (DECLINE_LIMIT). */
const RELEASES_KEPT = 100;

type NewToken = Params<"accounts.createApplicationToken">;

/**
 * Creates an application token for an entity of the business.
 * @returns the application token with the secret token itself, which is not stored and not shown
 *   again, except by the key of the request
 * @throws VALIDATION, ENTITY_NOT_FOUND, WALLET_NOT_FOUND
 */
export async function createApplicationToken(
  { models, clock }: Deps,
  caller: Caller,
  asked: NewToken,
  { id, secret: token }: Creation,
): Promise<Result<"accounts.createApplicationToken">> {
  const { entities, application_tokens } = models;
  const now = clock.now();
  checkTerms(asked, now);
  const { businessId, tokenType, entityId, currency, amount, walletId, expiredAt } = asked;
  const owner = await entities.findOne({ _id: entityId, businessId, ...PRESENT });
  if (!owner) fail("ENTITY_NOT_FOUND");
  if (walletId !== undefined) await requireOwnWallet(caller, businessId, walletId, currency);
  const stored = await application_tokens.create({
    _id: id,
    hash: digest(token),
    lastFour: token.slice(-4),
    businessId,
    tokenType,
    entityId,
    currency,
    amountMinor: amount === undefined ? null : toMinor(amount),
    merchantWalletId: walletId ?? null,
    expiresAt: new Date(expiredAt ?? now + LIFETIME_MS),
    claimedFor: null,
    releasedFor: [],
    createdAt: new Date(now),
  });
  return { ...tokenView(stored, now), token };
}

const GIVEN = "must be given with MERCHANT_WALLET";

/** Checks the fields against one another; the error names every wrong field. */
function checkTerms(asked: NewToken, now: number): void {
  const { tokenType, amount, withdrawalSource, walletId, expiredAt } = asked;
  const wrong: FieldError[] = [];
  const funded = withdrawalSource === "MERCHANT_WALLET";
  if (tokenType !== "PAYOUT" && (funded || amount !== undefined)) {
    wrong.push(wrongField("tokenType", "must be PAYOUT where amount or withdrawalSource is given"));
  }
  if (funded && amount === undefined) wrong.push(wrongField("amount", GIVEN, "required"));
  if (funded && walletId === undefined) wrong.push(wrongField("walletId", GIVEN, "required"));
  if (!funded && walletId !== undefined) {
    wrong.push(wrongField("walletId", "must be left out without withdrawalSource MERCHANT_WALLET"));
  }
  if (expiredAt !== undefined && Date.parse(expiredAt) <= now) {
    wrong.push(wrongField("expiredAt", "must lie in the future"));
  }
  if (wrong.length > 0) failFields(wrong);
}

/** A MERCHANT_WALLET token debits the business's own wallet, not an end user's. */
async function requireOwnWallet(
  caller: Caller,
  businessId: string,
  walletId: string,
  currency: ApplicationToken["currency"],
): Promise<void> {
  const wallet = await findWallet(caller, businessId, walletId);
  if (wallet.entityId !== businessId || wallet.currency !== currency) {
    failField("walletId", "must be a wallet of the business itself, in the token's currency");
  }
}

/**
 * The application tokens of a business, each masked to its last four.
 * @throws BUSINESS_NOT_FOUND
 */
export async function listApplicationTokens(
  deps: Deps,
  { businessId, ...paging }: Params<"accounts.applicationTokens">,
): Promise<Result<"accounts.applicationTokens">> {
  await findBusiness(deps, { businessId });
  const { documents, meta } = await deps.models.application_tokens.list({ businessId }, paging);
  return { items: documents.map((token) => tokenView(token, deps.clock.now())), meta };
}

/**
 * Spends a PAYOUT token for a payout; a repeated call for the same payout has the same result.
 * @returns the merchant's wallet to debit; null: the entity's own
 * @throws APPLICATION_TOKEN_INVALID if it is unknown, of another kind, entity or currency, expired,
 *   or spent by another payout; MALFORMED_REQUEST if it is valid, but for another amount
 */
export async function claimToken(
  { models: { application_tokens: tokens }, clock }: Deps,
  { tokenHash, payoutId, entityId, currency, amountMinor }: Params<"accounts.claimToken">,
): Promise<Result<"accounts.claimToken">> {
  const now = new Date(clock.now());
  const good: FilterQuery<ApplicationToken> = {
    hash: tokenHash,
    tokenType: "PAYOUT",
    entityId,
    currency,
    releasedFor: { $ne: payoutId },
    $or: [{ claimedFor: payoutId }, { claimedFor: null, expiresAt: { $gt: now } }],
  };
  const claimed = await tokens.change(
    { ...good, amountMinor: { $in: [null, amountMinor] } },
    { $set: { claimedFor: payoutId } },
  );
  if (claimed) return { walletId: claimed.merchantWalletId };
  const otherAmount = await tokens.findOne({ ...good, amountMinor: { $nin: [null, amountMinor] } });
  return fail(otherAmount ? "MALFORMED_REQUEST" : "APPLICATION_TOKEN_INVALID");
}

/**
 * Releases a token after its payout was declined. That payout cannot claim it again, even if its
 * claim arrives later. A repeated call changes nothing.
 */
export async function releaseToken(
  { models }: Deps,
  { tokenHash, payoutId }: Params<"accounts.releaseToken">,
): Promise<void> {
  const payout = { $literal: payoutId };
  const isHolder = { $eq: ["$claimedFor", payout] };
  const released = { $concatArrays: ["$releasedFor", [payout]] };
  await models.application_tokens.change({ hash: tokenHash, releasedFor: { $ne: payoutId } }, [
    {
      $set: {
        claimedFor: { $cond: [isHolder, null, "$claimedFor"] },
        releasedFor: { $slice: [released, -RELEASES_KEPT] },
      },
    },
  ]);
}

/**
 * A token in the form of lists, without its unset fields.
 * @param now epoch ms
 */
export function tokenView(
  token: ApplicationToken,
  now: number,
): Result<"accounts.createApplicationToken"> {
  const { amountMinor, merchantWalletId, expiresAt } = token;
  return {
    id: token._id,
    token: `****${token.lastFour}`,
    tokenType: token.tokenType,
    entityId: token.entityId,
    currency: token.currency,
    ...(amountMinor !== null && { amount: toDecimal(amountMinor) }),
    ...(merchantWalletId !== null && {
      withdrawalSource: "MERCHANT_WALLET",
      walletId: merchantWalletId,
    }),
    expiredAt: expiresAt.toISOString(),
    valid: token.claimedFor === null && expiresAt.getTime() > now,
  };
}
