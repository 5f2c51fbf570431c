// The request for a payment link, made of what its form holds.

import type { Params } from "../api.ts";
import type { Values } from "../ui/form.tsx";

type Request = Params<"POST /v1/ext/collections/payment-link">;
type Charge = Extract<Request, { checkoutType: "recurring" }>["recurringCharge"];
type Seats = Extract<Charge, { type: "seating" }>["seatDetails"];

/** The texts that the form requires are in the values. */
export function linkRequest(values: Values): Request {
  const { kind = "once", currency, name, itemDeliveryAddress = "", expiredAt, redirectTo } = values;
  const shared = {
    currency: currency as Request["currency"],
    name,
    itemDeliveryAddress,
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

function itemsOf(values: Values) {
  const items: Request["cartItems"] = [];
  for (let i = 0; values[`cartItems[${i}].name`] !== undefined; i++) {
    const of = (field: string) => values[`cartItems[${i}].${field}`];
    items.push({
      name: of("name") ?? "",
      description: of("description") ?? "",
      qty: numberIn(of("qty")),
      price: numberIn(of("price")),
    });
  }
  return items;
}

function periodsOf(values: Values): Pick<Charge, "startDate" | "interval"> {
  return {
    startDate: values["recurringCharge.startDate"] ?? "",
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
