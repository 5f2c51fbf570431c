// Links: shown to their business with the secret of their URL, found by that secret, and disabled.
// A link's status is derived from its payments and subscriptions with each request, so it is never
// stale.

import type { FilterQuery } from "mongoose";
import type { ConfigOf } from "../../../shared/config/config.ts";
import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { linkListed } from "../../../shared/contracts/payment-link-data.ts";
import {
  type LinkStatus,
  linkState,
  MAX_PAYMENTS_COUNTED,
} from "../../../shared/contracts/payment-links.ts";
import type { PaymentStatus } from "../../../shared/contracts/payments.ts";
import { errorType, fail } from "../../../shared/errors.ts";
import { unseal } from "../../../shared/security/seal.ts";
import { digest } from "../../../shared/security/secrets.ts";
import { BROAD_READ_MS, orTooBroad } from "../../../shared/storage/database.ts";
import { readPage } from "../../../shared/storage/paging.ts";
import type { Records } from "../../../shared/storage/records.ts";
import { exactPattern } from "../../../shared/texts.ts";
import type { LinkDeps } from "./deps.ts";
import { type PaymentLink, tokenPlace } from "./link.model.ts";
import { unsupportedOptions } from "./payment-options.ts";

/** The links, and the means to find out how a link was used. */
export interface LinkModels {
  payment_links: Records<PaymentLink>;
  payments: {
    countDocuments(
      filter: { linkId: string; status: PaymentStatus },
      options: { limit: number },
    ): PromiseLike<number>;
  };
  subscriptions: { exists(filter: { holds: string }): PromiseLike<unknown> };
}

type LinkView = Result<"payment-links.link">;
type ListedLink = Result<"payment-links.links">["items"][number];

export function checkoutUrl(
  { publicUrl }: ConfigOf<"payment-links">,
  { terms }: PaymentLink,
  token: string,
): string {
  return `${publicUrl}/pay/${terms.customUrlPath}/${token}`;
}

export function toApplication<T extends string | null>(
  { _id: id, expiresAt }: PaymentLink,
  status: LinkStatus,
  token: T,
) {
  return {
    id,
    token,
    tokenType: "PAYMENT_LINK" as const,
    expiredAt: expiresAt.toISOString(),
    valid: status === "ACTIVE",
  };
}

/**
 * The status of a link at a moment.
 * @param isUsed whether it was paid, or subscribed to
 */
export function linkStatus(
  { terms, disabledAt, expiresAt }: Pick<PaymentLink, "terms" | "disabledAt" | "expiresAt">,
  isUsed: boolean,
  now: number,
): LinkStatus {
  if (!terms.isOpenLink && isUsed) return "USED";
  if (disabledAt) return "DISABLED";
  return expiresAt.getTime() <= now ? "EXPIRED" : "ACTIVE";
}

/** Whether a link that is used once has been: paid, or subscribed to. */
export async function wasUsed(
  { payments, subscriptions }: LinkModels,
  link: PaymentLink,
): Promise<boolean> {
  if (link.terms.isOpenLink) return false;
  if (link.terms.checkoutType !== "recurring") return (await countPaid(payments, link, 1)) > 0;
  return (await subscriptions.exists({ holds: link._id })) !== null;
}

/**
 * How many of a link's payments succeeded.
 * @param limit counted no further
 */
function countPaid(
  payments: LinkModels["payments"],
  { _id: linkId }: PaymentLink,
  limit = MAX_PAYMENTS_COUNTED,
): PromiseLike<number> {
  const succeeded: PaymentStatus = "SUCCEEDED";
  return payments.countDocuments({ linkId, status: succeeded }, { limit });
}

/**
 * The link with that token.
 * @throws PAYMENT_LINK_NOT_FOUND
 */
export async function findLinkByToken(
  links: Records<PaymentLink>,
  token: string,
): Promise<PaymentLink> {
  const link = await links.findOne({ tokenHash: digest(token) });
  return link ?? fail("PAYMENT_LINK_NOT_FOUND");
}

/** Whether a token, by its digest, is that of a link of the business. */
export async function isLinkToken(
  links: Records<PaymentLink>,
  { businessId, tokenHash }: Params<"payment-links.isLinkToken">,
): Promise<Result<"payment-links.isLinkToken">> {
  return { isLinkToken: (await links.findOne({ tokenHash, businessId })) !== null };
}

/**
 * The links of a business, each in short.
 * @throws TOO_BROAD if the search, which reads all links of the business, takes too long
 */
export async function listLinks(
  deps: LinkDeps,
  models: LinkModels,
  { businessId, search = "", ...paging }: Params<"payment-links.links">,
): Promise<Result<"payment-links.links">> {
  const filter = { businessId, ...searchFilter(search) };
  const { documents, meta } = await orTooBroad(() =>
    readPage(models.payment_links.model, filter, paging, { maxTimeMS: BROAD_READ_MS }),
  );
  const views = await Promise.all(documents.map((link) => linkView(deps, models, link)));
  return { items: views.map(inShort), meta };
}

const SEARCHED = ["terms.name", "terms.orderId", "terms.externalId"];

function searchFilter(search: string): FilterQuery<PaymentLink> {
  if (search === "") return {};
  const part = { $regex: exactPattern(search), $options: "i" };
  return { $or: SEARCHED.map((field) => ({ [field]: part })) };
}

const SHOWN_IN_LISTS = new Set([...Object.keys(linkState), ...Object.keys(linkListed)]);

function inShort(view: LinkView): ListedLink {
  const entries = Object.entries(view).filter(([name]) => SHOWN_IN_LISTS.has(name));
  return Object.fromEntries(entries) as ListedLink;
}

/**
 * A link of a business; for it, the links of other businesses do not exist.
 * @throws PAYMENT_LINK_NOT_FOUND
 */
export async function showLink(
  deps: LinkDeps,
  models: LinkModels,
  { businessId, id }: Params<"payment-links.link">,
): Promise<LinkView> {
  const link = await models.payment_links.findOne({ _id: id, businessId });
  return linkView(deps, models, link ?? fail("PAYMENT_LINK_NOT_FOUND"));
}

/**
 * Disables a link. Payments that have begun go on; once disabled it stays so.
 * @throws PAYMENT_LINK_NOT_FOUND
 */
export async function disableLink(
  deps: LinkDeps,
  models: LinkModels,
  { businessId, id }: Params<"payment-links.disableLink">,
): Promise<LinkView> {
  await models.payment_links.change(
    { _id: id, businessId, disabledAt: null },
    { $set: { disabledAt: new Date(deps.clock.now()) } },
  );
  return showLink(deps, models, { businessId, id });
}

/** The fields of the request with their defaults, and the state of the link. */
export async function linkView(
  deps: LinkDeps,
  models: LinkModels,
  link: PaymentLink,
): Promise<LinkView> {
  const [paid, used] = await Promise.all([countPaid(models.payments, link), wasUsed(models, link)]);
  const status = linkStatus(link, used, deps.clock.now());
  const token = openToken(deps.config, link);
  return {
    ...link.terms,
    id: link._id,
    status,
    url: token === null ? null : checkoutUrl(deps.config, link, token),
    application: toApplication(link, status, token),
    expiredAt: link.expiresAt.toISOString(),
    payments: paid,
    unsupportedPaymentOptions: unsupportedOptions(link),
    createdAt: link.createdAt.toISOString(),
  };
}

/** The token; null if its encryption key is missing, which spoils nothing else of the link. */
function openToken(config: ConfigOf<"payment-links">, { _id, token }: PaymentLink): string | null {
  try {
    return unseal(config, tokenPlace(_id), token);
  } catch (error) {
    if (errorType(error) === "UNREADABLE") return null;
    throw error;
  }
}
