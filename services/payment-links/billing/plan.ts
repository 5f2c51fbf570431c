// The plan of a subscription: what is billed, how often and to whom the fee falls, as its link had it
// when the payment method was saved. It never changes.

import type { RecurringCharge } from "../../../shared/contracts/payment-link-data.ts";
import type { Fee } from "../../../shared/fees.ts";
import type { Currency } from "../../../shared/money.ts";

export interface Plan {
  /** Prices are as they were asked for: in major units, with up to six decimals where they are of one. */
  charge: RecurringCharge;
  /** Of a period of the type `subscription`, in minor units; else 0. */
  amountMinor: number;
  currency: Currency;
  customerPays: boolean;
  /** As configured when the link was created. */
  fee: Fee;
}
