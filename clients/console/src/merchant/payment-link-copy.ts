// The copy of a payment link: the values with which the form for the new link starts, and the parts
// of the request for which the form has no fields.

import type { Data } from "../api.ts";
import type { Values } from "../ui/form.tsx";
import { SHIPPING_ADDRESS, today } from "./payment-link-fields.ts";
import type { LinkRequest } from "./payment-link-request.ts";

export type Link = Data<"GET /v1/business/{businessId}/payment-links/{id}">;

/** Left out, because they belong to the one link: its order, its expiry, its webhook endpoint. */
export const NOT_COPIED = "Its order number, its expiry and its webhook endpoint are not copied.";

/** The parts of the request for which the form has no fields. */
export function carriedFrom(link: Link): Partial<LinkRequest> {
  const { customUrlPath, acceptedPaymentOptions, customData, checkoutType } = link;
  const carried = { customUrlPath, acceptedPaymentOptions, customData };
  return checkoutType === "ecommerce" ? { ...carried, checkoutType } : carried;
}

/** The values with which the form for the copy starts. */
export function valuesFrom(link: Link): Values {
  const { name, amount, currency, itemDeliveryAddress, redirectTo } = link;
  const { dataCollections = [], customFields = [] } = link;
  const { recurringCharge, brandingConfig, agent, cartItems } = link;
  const values = {
    kind: recurringCharge?.type ?? "once",
    name,
    amount,
    currency,
    itemDeliveryAddress,
    redirectTo,
    customerPays: link.customerPays ?? true,
    isOpenLink: link.isOpenLink ?? true,
    notifyPayee: link.notifyPayee,
    asksAddress: dataCollections.includes(SHIPPING_ADDRESS),
    customFields: [...dataCollections, ...customFields]
      .filter((each) => each !== SHIPPING_ADDRESS)
      .join("\n"),
    ...flat("brandingConfig", brandingConfig),
    ...flat("agent", agent),
    ...flat("recurringCharge", recurringCharge && { ...recurringCharge, startDate: undefined }),
    ...Object.assign({}, ...cartItems.map((item, i) => flat(`cartItems[${i}]`, item))),
    "recurringCharge.startDate": startIn(recurringCharge?.startDate),
  };
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([field, value]) => [field, String(value)]));
}

/** A new link starts today where the copied one has started already. */
function startIn(startDate: string | undefined): string {
  const day = startDate?.slice(0, today().length) ?? "";
  if (day <= today()) return today();
  return day;
}

/** The fields of an object, and of those in it, by their paths. */
function flat(name: string, of: object | undefined): Record<string, unknown> {
  return Object.assign(
    {},
    ...Object.entries(of ?? {}).map(([field, value]) =>
      value !== null && typeof value === "object"
        ? flat(`${name}.${field}`, value)
        : { [`${name}.${field}`]: value },
    ),
  );
}
