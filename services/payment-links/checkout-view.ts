// What a customer sees of a link: what it costs, what it is for, and what is asked of them. Nothing
// of the merchant's own books (references, data, webhooks, the agent) is in it.

import { type Caller, call } from "../../shared/actions.ts";
import type { Result } from "../../shared/contracts.ts";
import { toDecimal, toMinor } from "../../shared/money.ts";
import type { LinkTerms, PaymentLink } from "./link.model.ts";
import { countPaid, findLinkByToken, type Models, statusOf } from "./links.ts";

type View = Result<"payment-links.checkout">;

/** What every customer is asked for (interface 4.4); they are fields of `customer`. */
const BASE_FIELDS = ["Email", "First name", "Last name", "Phone number"];

/**
 * The public view of the link with that token, whatever its status.
 * @throws PAYMENT_LINK_NOT_FOUND
 */
export async function checkoutView(
  { payment_links, payments }: Models,
  caller: Caller,
  token: string,
): Promise<View> {
  const link = await findLinkByToken(payment_links, token);
  const { businessId } = link;
  const [business, paid] = await Promise.all([
    call(caller, "accounts.business", { businessId }),
    countPaid(payments, link, 1),
  ]);
  return {
    ...pricesOf(link),
    name: link.terms.name,
    businessName: business.name,
    status: statusOf(link, paid, Date.now()),
    checkoutType: link.terms.checkoutType,
    currency: link.terms.currency,
    items: link.terms.cartItems.map(itemView),
    fields: fieldsToFill(link.terms),
    branding: brandingOf(link.terms),
    redirectTo: link.terms.redirectTo ?? null,
  };
}

/** Fees are shown where the customer pays them. */
function pricesOf({ terms, totalMinor, feesMinor }: PaymentLink) {
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

function brandingOf({ brandingConfig = {} }: LinkTerms) {
  const { logo = null, primaryColor = null, backgroundColor = null } = brandingConfig;
  return { logo, primaryColor, backgroundColor };
}

/** The base set is required; what the link asks for beside it is not, and each name is asked once. */
export function fieldsToFill({
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
