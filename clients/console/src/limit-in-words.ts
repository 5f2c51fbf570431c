// The sentences by which the console shows the limits of payouts.

import type { Data, PayrailError } from "./api.ts";
import { dateTime, money, number } from "./format.ts";

type LimitUse = NonNullable<PayrailError["limit"]>;
/** A limit as it is set. */
export type Limit = Data<"GET /v1/business/{businessId}/limits">["limits"][number];

export const METHODS: Record<NonNullable<Limit["method"]>, string> = {
  ACH: "ACH",
  RTP: "RTP",
  WIRE: "wire",
  PUSH_TO_CARD: "push to card",
};

/** A decimal text is an amount, a number one of payouts. */
export function measureInWords(value: unknown, currency: string): string {
  if (typeof value === "string") return money(value, currency);
  return `${number(Number(value))} ${value === 1 ? "payout" : "payouts"}`;
}

/**
 * Such as `USD 1,000.00 and 20 payouts a day by ACH, for the business as a whole`.
 * @param most its amount, its number of payouts, or both
 */
export function limitInWords(limit: Omit<LimitUse, "max" | "used" | "resetsAt">, most: unknown[]) {
  const { scope, method, currency, per } = limit;
  const measures = most.map((each) => measureInWords(each, currency)).join(" and ");
  const period = per === "payout" ? "for each payout" : `a ${per}`;
  // An amount has its currency already.
  const of = most.some((each) => typeof each === "string") ? "" : ` in ${currency}`;
  const by = method ? ` by ${METHODS[method]}` : "";
  const whose = scope === "business" ? "the business as a whole" : "each owner of a wallet";
  return `${measures} ${period}${of}${by}, for ${whose}`;
}

/** Why a payout is above a limit. */
export function exceededInWords(limit: LimitUse): string {
  const { currency, per, max, used, resetsAt } = limit;
  const above = `This payout is above a limit: ${limitInWords(limit, [max])}.`;
  const isUsed = per === "payout" ? "" : ` Used so far: ${measureInWords(used, currency)}.`;
  const anew = resetsAt === null ? "" : ` It begins anew at ${dateTime(resetsAt)}.`;
  return `${above}${isUsed}${anew} Nothing was paid.`;
}
