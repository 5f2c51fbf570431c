// Linking an international bank account with an application token: the order in which the token,
// its bearer and the account are checked (docs/integrate/rest-api.md, International accounts). Only
// the token's entity and its merchant learn that a token exists. Nothing is stored before every
// check has passed.

import { checker } from "../../shared/contracts/checker.ts";
import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { internationalLink } from "../../shared/contracts/international-data.ts";
import { fail, failField } from "../../shared/errors.ts";
import { type Actor, type Caller, type Creation, call } from "../../shared/rpc/actions.ts";
import { digest } from "../../shared/security/secrets.ts";
import type { ApplicationToken } from "./application-token.model.ts";
import type { Deps } from "./deps.ts";
import { insertLinked } from "./linked-accounts.ts";

/** The types of the application tokens with which an account can be linked. */
const LINKING_TYPES: string[] = ["PAYOUT", "ACCOUNT"];

const checkBody = checker(internationalLink);

/**
 * Links an account to the SPEND wallet of the token's entity in the token's currency. The wallet is
 * opened if it does not exist. The token is not spent.
 * @throws in this order APPLICATION_TOKEN_NOT_FOUND, APPLICATION_TOKEN_INVALID, VALIDATION of the
 *   currency, VALIDATION of the body, DUPLICATE_ACCOUNT
 */
export async function linkInternational(
  deps: Deps,
  caller: Caller,
  actor: Actor,
  { token, currency, body }: Params<"accounts.linkInternational">,
  creation: Creation,
): Promise<Result<"accounts.linkInternational">> {
  const { models, config, clock } = deps;
  // The token may have expired since an earlier run of the request linked the account.
  if (creation.isRepeat && (await models.linked_accounts.exists({ _id: creation.id }))) {
    return { id: creation.id };
  }
  const found = await findToken(deps, token, actor);
  if (!found) return refuseUnknown(deps, caller, token, actor);
  if (!canLink(found, clock.now())) fail("APPLICATION_TOKEN_INVALID");
  if (currency.toLowerCase() !== found.currency.toLowerCase()) {
    failField("currency", "must be the application token's");
  }
  const { label, data } = checkBody(body);
  const isOfTests = data.swiftOrBic.charAt(7) === "0";
  if (isOfTests && !config.sandbox) {
    failField("data.swiftOrBic", "must be a bank's own: one whose 8th character is 0 is for tests");
  }
  const { nickName = label, ...sealed } = data;
  const { businessId, entityId, currency: its } = found;
  const owner = { businessId, entityId, currency: its };
  const { wallet } = await call(caller, "wallet-ledger.openWallet", owner);
  const linking = {
    ...owner,
    walletId: wallet.id,
    optionType: "international_bank" as const,
    label,
    nickName,
    applicationTokenId: found._id,
    data: sealed,
  };
  const { id } = await insertLinked(deps, linking, creation);
  return { id };
}

/** Null also for a token that exists and is not the actor's. */
async function findToken(
  { models }: Deps,
  token: string,
  { sub, role }: Actor,
): Promise<ApplicationToken | null> {
  const found = await models.application_tokens.findOne({ hash: digest(token) });
  const isTheirs = found?.entityId === sub || (role === "merchant" && found?.businessId === sub);
  return found && isTheirs ? found : null;
}

/**
 * Refuses a token that accounts does not know. Payment links have tokens of another kind, which
 * only payment-links knows.
 * @throws APPLICATION_TOKEN_INVALID for a link token of the actor's business,
 *   APPLICATION_TOKEN_NOT_FOUND otherwise
 */
async function refuseUnknown(
  { models }: Deps,
  caller: Caller,
  token: string,
  { sub, role }: Actor,
): Promise<never> {
  const business = role === "merchant" ? sub : (await models.entities.findById(sub))?.businessId;
  if (business === undefined) return fail("APPLICATION_TOKEN_NOT_FOUND");
  const asked = { businessId: business, tokenHash: digest(token) };
  const { isLinkToken } = await call(caller, "payment-links.isLinkToken", asked);
  return fail(isLinkToken ? "APPLICATION_TOKEN_INVALID" : "APPLICATION_TOKEN_NOT_FOUND");
}

/**
 * Whether the token can link an account: its type allows it, and it is neither expired nor spent.
 */
function canLink({ tokenType, expiresAt, claimedFor }: ApplicationToken, now: number): boolean {
  const isOver = expiresAt.getTime() <= now || claimedFor !== null;
  return LINKING_TYPES.includes(tokenType) && !isOver;
}
