// The request for a payment link, made of what its form holds.

import type { Params } from "../api.ts";
import type { Values } from "../ui/form.tsx";
import { SHIPPING_ADDRESS } from "./payment-link-fields.ts";

export type LinkRequest = Params<"POST /v1/ext/collections/payment-link">;
type Charge = Extract<LinkRequest, { checkoutType: "recurring" }>["recurringCharge"];
type Seats = Extract<Charge, { type: "seating" }>["seatDetails"];

/** The texts that the form requires are in the values. */
export function linkRequest(values: Values): LinkRequest {
  const { kind = "once", currency, name, itemDeliveryAddress = "", expiredAt, redirectTo } = values;
  const shared = {
    currency: currency as LinkRequest["currency"],
    name,
    itemDeliveryAddress,
    orderId: values.orderId,
    customFields: values.customFields
      ?.split("\n")
      .map((line) => line.trim())
      .filter(Boolean),
    dataCollections: values.asksAddress === "true" ? [SHIPPING_ADDRESS] : undefined,
    brandingConfig: objectIn(values, "brandingConfig"),
    notifyPayee: values.notifyPayee === "true" || undefined,
    agent: objectIn(values, "agent"),
    cartItems: itemsOf(values),
    customerPays: values.customerPays === "true",
    isOpenLink: values.isOpenLink === "true",
    expiredAt,
    redirectTo,
  };
  const amount = Number(values.amount);
  const recurring = { ...shared, checkoutType: "recurring" } as const;
  const periods = periodsOf(values);
  switch (kind) {
    case "subscription":
      return { ...recurring, amount, recurringCharge: { ...periods, type: kind } };
    case "consumption": {
      const consumptionDetails = consumptionOf(values);
      return { ...recurring, recurringCharge: { ...periods, type: kind, consumptionDetails } };
    }
    case "seating": {
      const seatDetails = seatsOf(values);
      return { ...recurring, recurringCharge: { ...periods, type: kind, seatDetails } };
    }
    default:
      return { ...shared, amount };
  }
}

/** The number in a field that may be empty. */
function numberIn(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

/** The object of the fields that have its name before theirs; undefined if all are empty. */
function objectIn(values: Values, name: string): Record<string, string> | undefined {
  const fields = Object.entries(values)
    .filter(([field]) => field.startsWith(`${name}.`))
    .map(([field, value]) => [field.slice(name.length + 1), value]);
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
}

function itemsOf(values: Values) {
  const items: LinkRequest["cartItems"] = [];
  for (let of = objectIn(values, "cartItems[0]"); of; ) {
    items.push({
      ...of,
      name: of.name ?? "",
      description: of.description ?? "",
      qty: numberIn(of.qty),
      price: numberIn(of.price),
    });
    of = objectIn(values, `cartItems[${items.length}]`);
  }
  return items;
}

function periodsOf(values: Values): Pick<Charge, "startDate" | "interval" | "productId"> {
  return {
    startDate: values["recurringCharge.startDate"] ?? "",
    productId: values["recurringCharge.productId"],
    interval: {
      type: values["recurringCharge.interval.type"] as Charge["interval"]["type"],
      count: Number(values["recurringCharge.interval.count"]),
    },
  };
}

function consumptionOf(values: Values) {
  const of = (field: string) => values[`recurringCharge.consumptionDetails.${field}`];
  return {
    unit: of("unit") ?? "",
    costPerUnit: Number(of("costPerUnit")),
    minimumUnits: numberIn(of("minimumUnits")),
    baseFee: numberIn(of("baseFee")),
  };
}

function seatsOf(values: Values): Seats {
  const of = (field: string) => values[`recurringCharge.seatDetails.${field}`];
  return {
    baseFee: Number(of("baseFee")),
    costPerSeat: Number(of("costPerSeat")),
    newSeatBillingType: of("newSeatBillingType") as Seats["newSeatBillingType"],
  };
}
