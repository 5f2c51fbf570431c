// The plan of a subscription: its prices, its interval and its fee, copied from the link when the
// payment method is saved. A plan never changes.

import type { FeeSnapshot } from "../../../shared/config/fee-table.ts";
import type { RecurringCharge } from "../../../shared/contracts/payment-link-data.ts";
import type { Currency } from "../../../shared/money.ts";

export interface Plan {
  /**
   * Its prices are in major units, as the merchant sent them; unit prices have up to six decimals.
   */
  charge: RecurringCharge;
  /** The price of a period of the type `subscription`, in minor units; 0 for other types. */
  amountMinor: number;
  currency: Currency;
  customerPays: boolean;
  fee: FeeSnapshot;
}

/** Whether periods are billed at their end, because usage is billed. */
export function isInArrears({ charge }: Plan): boolean {
  return charge.type === "consumption";
}
