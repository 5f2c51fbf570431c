// The customer's view of a link: its price, its items, and the fields to fill. It contains nothing
// of the merchant's own books (references, data, webhooks, the agent).

import type { Vault } from "../../../partners/types.ts";
import type { Result } from "../../../shared/contracts/contracts.ts";
import { fail } from "../../../shared/errors.ts";
import { isoTime } from "../../../shared/iso-time.ts";
import { toDecimal, toMinor } from "../../../shared/money.ts";
import { SANDBOX } from "../../../shared/partners/sandbox.ts";
import { type Caller, call } from "../../../shared/rpc/actions.ts";
import { digest } from "../../../shared/security/secrets.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import type { BillingDeps } from "../billing/deps.ts";
import { timesMinor } from "../billing/exact-decimals.ts";
import { findByMethodLink, methodLinkStatus } from "../billing/method-links.ts";
import { firstCharge } from "../billing/subscription-request.ts";
import { showBranding } from "../links/branding.ts";
import type { LinkTerms, PaymentLink } from "../links/link.model.ts";
import { isAmountCharged } from "../links/link-request.ts";
import { type LinkModels, linkStatus, wasUsed } from "../links/links.ts";
import { supportedOptions } from "../links/payment-options.ts";

type View = Result<"payment-links.checkout">;

/**
 * The fields of `customer`, asked of every customer (docs/integrate/rest-api.md, Payment links).
 */
const BASE_FIELDS = ["Email", "First name", "Last name", "Phone number"];

/**
 * The public view of the link with that token, in any status; also of a payment-method link.
 * @throws PAYMENT_LINK_NOT_FOUND
 */
export async function checkoutView(
  deps: BillingDeps,
  models: LinkModels,
  caller: Caller,
  token: string,
): Promise<View> {
  const link = await models.payment_links.findOne({ tokenHash: digest(token) });
  if (!link) return methodLinkView(deps, models, caller, token);
  const [common, used, due] = await Promise.all([
    commonView(deps, caller, link),
    wasUsed(models, link),
    link.terms.checkoutType === "recurring" ? dueOnSetup(deps, link) : payNow(link),
  ]);
  return {
    ...common,
    ...due,
    status: await pausedOr(deps, link, linkStatus(link, used, deps.clock.now())),
    fields: fieldsToFill(link.terms),
  };
}

/** An open link of a business whose collections are paused is PAUSED. */
async function pausedOr<S extends string>(
  { controls }: Pick<BillingDeps, "controls">,
  { businessId }: { businessId: string },
  status: S,
): Promise<S | "PAUSED"> {
  if (status !== "ACTIVE") return status;
  await controls.known();
  return controls.find("collection", { businessId }) ? "PAUSED" : status;
}

/** The view of a payment-method link: only a card is asked for, because the customer is known. */
async function methodLinkView(
  deps: BillingDeps,
  { payment_links }: LinkModels,
  caller: Caller,
  token: string,
): Promise<View> {
  const subscription =
    (await findByMethodLink(deps, digest(token))) ?? fail("PAYMENT_LINK_NOT_FOUND");
  const { linkId: _id, collecting } = subscription;
  const [link, open] = await Promise.all([
    payment_links.findById(_id),
    collecting ? deps.invoices.documents.findOne({ _id: collecting.invoiceId }, MAJORITY) : null,
  ]);
  const own = methodLinkStatus(subscription, deps.clock.now());
  const status = await pausedOr(deps, subscription, own);
  return {
    ...(await commonView(deps, caller, link ?? fail("PAYMENT_LINK_NOT_FOUND"))),
    purpose: "change_method",
    isOpenLink: false,
    // A used link does not show the debt, because another person may find the link.
    dueNow: toDecimal(status === "ACTIVE" ? (open?.chargeMinor ?? 0) : 0),
    firstChargeAt: null,
    firstCharge: null,
    status,
    fields: [],
  };
}

/** The part of the view that is the same for payments, set-ups and payment-method links. */
async function commonView({ acquirer }: BillingDeps, caller: Caller, link: PaymentLink) {
  const { businessId, terms } = link;
  const business = await call(caller, "accounts.business", { businessId });
  return {
    ...showPrices(link),
    name: terms.name,
    businessName: business.name,
    checkoutType: terms.checkoutType,
    currency: terms.currency,
    recurring: terms.recurringCharge ?? null,
    feesOnTop: terms.customerPays,
    items: itemViews(link),
    branding: showBranding(terms.brandingConfig),
    redirectTo: terms.redirectTo ?? null,
    isOpenLink: terms.isOpenLink,
    paymentOptions: supportedOptions(link),
    takesTestCards: acquirer?.name === SANDBOX,
    // The vault of the acquirer that takes new cards, because only a card's own vault knows its
    // token.
    vault: acquirer?.vault ? showVault(acquirer.vault) : null,
  };
}

function showVault({ fieldUrl, wantsPostcode = false }: Vault) {
  return { fieldUrl, wantsPostcode };
}

type Due = Pick<View, "purpose" | "dueNow" | "firstChargeAt" | "firstCharge">;

function payNow({ totalMinor }: PaymentLink): Due {
  const dueNow = toDecimal(totalMinor);
  return { purpose: "pay", dueNow, firstChargeAt: null, firstCharge: null };
}

/** The first charge of a subscription that is set up now; a trial is charged at its end. */
async function dueOnSetup({ businessNow }: BillingDeps, link: PaymentLink): Promise<Due> {
  const now = await businessNow(link.businessId);
  const { chargeMinor, feesMinor, at, nextAt } = firstCharge(link, now);
  const isDue = at <= now;
  return {
    purpose: "subscribe",
    dueNow: toDecimal(isDue ? chargeMinor : 0),
    firstChargeAt: isDue ? null : isoTime(at),
    firstCharge: {
      amount: toDecimal(chargeMinor),
      fees: toDecimal(feesMinor),
      nextAt: isoTime(nextAt),
    },
  };
}

/** The prices of a link; it shows fees only if the customer pays them. */
function showPrices({ terms, totalMinor, feesMinor }: PaymentLink) {
  const shownMinor = terms.customerPays ? feesMinor : 0;
  return {
    amount: toDecimal(totalMinor - shownMinor),
    fees: toDecimal(shownMinor),
    total: toDecimal(totalMinor),
  };
}

/**
 * The items of a link, each with its total if the totals add up to the link's amount. A customer is
 * charged the amount, and totals that differ from it would be taken for the charge.
 */
function itemViews({ terms }: PaymentLink): View["items"] {
  const { cartItems, amount = 0 } = terms;
  const totals = cartItems.map(itemTotalMinor);
  const sum = totals.reduce<number>((all, each) => all + (each ?? Number.NaN), 0);
  const isSum = isAmountCharged(terms) && sum === toMinor(amount);
  return cartItems.map(({ name, description, qty, price, imageUrl }, i) => ({
    name,
    description,
    ...(qty !== undefined && { qty }),
    ...(price !== undefined && { price: toDecimal(toMinor(price) as number) }),
    ...(isSum && { total: toDecimal(totals[i] as number) }),
    ...(imageUrl !== undefined && { imageUrl }),
  }));
}

/** @returns null for an item without a price */
function itemTotalMinor({ qty = 1, price }: LinkTerms["cartItems"][number]): number | null {
  return price === undefined ? null : timesMinor(qty, toMinor(price) as number);
}

/** The base fields are required, the link's own fields are optional, and each name appears once. */
function fieldsToFill({
  dataCollections,
  customFields,
}: Pick<LinkTerms, "dataCollections" | "customFields">): View["fields"] {
  const base = new Set(BASE_FIELDS.map((name) => name.toLowerCase()));
  const others = new Set([...dataCollections, ...customFields]);
  return [
    ...BASE_FIELDS.map((name) => ({ name, required: true })),
    ...[...others]
      .filter((name) => !base.has(name.toLowerCase()))
      .map((name) => ({ name, required: false })),
  ];
}
