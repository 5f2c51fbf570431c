// The creation of links for the actor's business. All checks run before anything is stored. Links
// that are created at the same time are stored in one round trip, which is why creation stays on
// the driver.

import { LRUCache } from "lru-cache";
import type { ConfigOf } from "../../../shared/config/config.ts";
import type { FeeSnapshot } from "../../../shared/config/fee-table.ts";
import type { Result } from "../../../shared/contracts/contracts.ts";
import { errorType, fail, failField } from "../../../shared/errors.ts";
import { type Actor, type Caller, type Creation, call } from "../../../shared/rpc/actions.ts";
import { seal } from "../../../shared/security/seal.ts";
import { digest } from "../../../shared/security/secrets.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import type { LinkDeps } from "./deps.ts";
import { type Payee, type PaymentLink, tokenPlace } from "./link.model.ts";
import { computePrices, toDestination, toTerms } from "./link-request.ts";
import { checkoutUrl, toApplication } from "./links.ts";
import { unsupportedOptions } from "./payment-options.ts";

/**
 * Creates a link.
 * @throws in this order VALIDATION (also if an end user names an endpoint for the link's events,
 *   because only the merchant decides where those go), NO_COLLECTION_ACCOUNT, VALIDATION of the
 *   webhook's address
 */
export async function createLink(
  { clock, config, links }: LinkDeps,
  caller: Caller,
  actor: Actor,
  body: unknown,
  { id, secret: token, isRepeat }: Creation,
): Promise<Result<"payment-links.createLink">> {
  const made = isRepeat ? await links.documents.findOne({ _id: id }, MAJORITY) : null;
  if (made) return createdView(config, made, token);
  const request = links.checkRequest(body);
  if (request.advancedConfig && actor.role === "user") {
    failField("advancedConfig", "must be left out, as the token is an end user's");
  }
  const createdAt = new Date(clock.now());
  const { terms, expiresAt } = toTerms(request, createdAt, config.defaultRedirectUrl);
  const { currency } = terms;
  const fee: FeeSnapshot = { kind: "CARD_COLLECTION", ...config.fees.CARD_COLLECTION[currency] };
  const prices = computePrices(terms, fee);
  const askedAt = clock.now();
  const businessId = await findBusiness(caller, actor);
  const collectionAccountId = await links.findAccount(caller, { businessId, currency });
  const payee = terms.notifyPayee ? await readPayee(caller, businessId) : null;
  if (request.advancedConfig) {
    const { webhookSecret: secret } = request.advancedConfig;
    const url = toDestination(request.advancedConfig);
    const endpoint = { businessId, paymentLinkId: id, url, ...(secret && { secret }) };
    await call(caller, "webhooks.createLinkEndpoint", endpoint);
  }
  const link: PaymentLink = {
    _id: id,
    businessId,
    createdBy: actor.sub,
    terms,
    tokenHash: digest(token),
    token: seal(config, tokenPlace(id), token),
    collectionAccountId,
    ...(payee && { payee }),
    fee,
    ...prices,
    expiresAt,
    disabledAt: null,
    createdAt,
  };
  // An end user may have been erased since.
  if (clock.now() > askedAt + CREATED_WITHIN_MS) fail("UNAVAILABLE");
  if ((await links.insert(link)) === "taken") throw new Error("A new id was taken");
  return createdView(config, link, token);
}

function createdView(
  config: ConfigOf<"payment-links">,
  link: PaymentLink,
  token: string,
): Result<"payment-links.createLink"> {
  const unsupported = unsupportedOptions(link);
  return {
    url: checkoutUrl(config, link, token),
    application: toApplication(link, "ACTIVE", token),
    ...(unsupported.length > 0 && { unsupportedPaymentOptions: unsupported }),
  };
}

/** Read once, at the creation, so that the end of a payment does not wait for accounts. */
async function readPayee(caller: Caller, businessId: string): Promise<Payee> {
  const { email, name } = await call(caller, "accounts.business", { businessId });
  return { email, name };
}

/** Shorter than the time for which an erasure waits (accounts, erasure.ts). */
const CREATED_WITHIN_MS = 5_000;

const ACCOUNTS_KNOWN = 10_000;

/** Finds collection accounts, and remembers them: one that is open stays open, under its id. */
export function createAccountFinder(): LinkDeps["links"]["findAccount"] {
  const accounts = new LRUCache<string, string>({ max: ACCOUNTS_KNOWN });
  return async (caller, of) => {
    const key = `${of.businessId} ${of.currency}`;
    const known = accounts.get(key);
    if (known !== undefined) return known;
    const { id } = await call(caller, "wallet-ledger.collectionAccountOf", of);
    accounts.set(key, id);
    return id;
  };
}

/** A merchant acts for itself; an end user for the business that it belongs to. */
async function findBusiness(caller: Caller, { sub, role }: Actor): Promise<string> {
  if (role === "merchant") return sub;
  try {
    return (await call(caller, "accounts.businessOf", { entityId: sub })).businessId;
  } catch (error) {
    // An unknown entity has no collection account either.
    if (errorType(error) === "ENTITY_NOT_FOUND") fail("NO_COLLECTION_ACCOUNT");
    throw error;
  }
}
