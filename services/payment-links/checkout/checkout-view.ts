// The customer's view of a link: its price, its items, and the fields to fill. It contains nothing
// of the merchant's own books (references, data, webhooks, the agent).

import { type Caller, call } from "../../../shared/actions.ts";
import { systemClock } from "../../../shared/clock.ts";
import type { Result } from "../../../shared/contracts.ts";
import { MAJORITY } from "../../../shared/database.ts";
import { fail } from "../../../shared/errors.ts";
import { toDecimal, toMinor } from "../../../shared/money.ts";
import { SANDBOX } from "../../../shared/partners/load.ts";
import { digest } from "../../../shared/secrets.ts";
import type { BillingDeps } from "../billing/deps.ts";
import { findByMethodLink, methodLinkStatus } from "../billing/method-links.ts";
import { firstCharge } from "../billing/subscription-request.ts";
import type { LinkTerms, PaymentLink } from "../links/link.model.ts";
import { linkStatus, type Models, wasUsed } from "../links/links.ts";
import { supportedOptions } from "../links/payment-options.ts";

type View = Result<"payment-links.checkout">;

/** The fields of `customer`, asked of every customer (docs/rest-api.md, Payment links). */
const BASE_FIELDS = ["Email", "First name", "Last name", "Phone number"];

/**
 * The public view of the link with that token, in any status; also of a payment-method link.
 * @throws PAYMENT_LINK_NOT_FOUND
 */
export async function checkoutView(
  models: Models,
  billing: BillingDeps,
  caller: Caller,
  token: string,
): Promise<View> {
  const link = await models.payment_links.findOne({ tokenHash: digest(token) });
  if (!link) return methodLinkView(models, billing, caller, token);
  const [common, used, due] = await Promise.all([
    commonView(billing, caller, link),
    wasUsed(models, link),
    link.terms.checkoutType === "recurring" ? dueOnSetup(billing, link) : payNow(link),
  ]);
  return {
    ...common,
    ...due,
    status: linkStatus(link, used, systemClock.now()),
    fields: fieldsToFill(link.terms),
  };
}

/** The view of a payment-method link: only a card is asked for, because the customer is known. */
async function methodLinkView(
  { payment_links }: Models,
  billing: BillingDeps,
  caller: Caller,
  token: string,
): Promise<View> {
  const subscription =
    (await findByMethodLink(billing.subscriptions, digest(token))) ??
    fail("PAYMENT_LINK_NOT_FOUND");
  const { linkId: _id, collecting } = subscription;
  const [link, open] = await Promise.all([
    payment_links.findById(_id),
    collecting ? billing.invoices.findOne({ _id: collecting.invoiceId }, MAJORITY) : null,
  ]);
  const status = methodLinkStatus(subscription, systemClock.now());
  return {
    ...(await commonView(billing, caller, link ?? fail("PAYMENT_LINK_NOT_FOUND"))),
    purpose: "change_method",
    // A used link does not show the debt, because another person may find the link.
    dueNow: toDecimal(status === "ACTIVE" ? (open?.chargeMinor ?? 0) : 0),
    firstChargeAt: null,
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
    items: terms.cartItems.map(itemView),
    branding: showBranding(terms),
    redirectTo: terms.redirectTo ?? null,
    paymentOptions: supportedOptions(link),
    takesTestCards: acquirer?.name === SANDBOX,
    // The vault of the acquirer that takes new cards, because only a card's own vault knows its
    // token.
    vault: acquirer?.vault ? { fieldUrl: acquirer.vault.fieldUrl } : null,
  };
}

type Due = Pick<View, "purpose" | "dueNow" | "firstChargeAt">;

function payNow({ totalMinor }: PaymentLink): Due {
  return { purpose: "pay", dueNow: toDecimal(totalMinor), firstChargeAt: null };
}

/** The first charge of a subscription that is set up now; a trial is charged at its end. */
async function dueOnSetup({ businessNow }: BillingDeps, link: PaymentLink): Promise<Due> {
  const now = await businessNow(link.businessId);
  const { dueNowMinor, firstChargeAt } = firstCharge(link, now);
  return {
    purpose: "subscribe",
    dueNow: toDecimal(dueNowMinor),
    firstChargeAt: firstChargeAt === null ? null : new Date(firstChargeAt).toISOString(),
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

function itemView({ name, description, qty, price, imageUrl }: LinkTerms["cartItems"][number]) {
  return {
    name,
    description,
    ...(qty !== undefined && { qty }),
    ...(price !== undefined && { price: toDecimal(toMinor(price) as number) }),
    ...(imageUrl !== undefined && { imageUrl }),
  };
}

function showBranding({ brandingConfig = {} }: LinkTerms) {
  const { logo = null, primaryColor = null, backgroundColor = null } = brandingConfig;
  return { logo, primaryColor, backgroundColor };
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
