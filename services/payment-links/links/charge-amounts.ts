// The amounts of a charge: the sum that a card is charged, its fee, and the rest that is credited.
// Links and invoices compute them here alone. Pure.

import { computeFee, type Fee, grossUp } from "../../../shared/fees.ts";
import { MAX_AMOUNT_MINOR } from "../../../shared/money.ts";

/** How the fee of a charge is computed, and whether it comes on top. */
interface FeeTerms {
  customerPays: boolean;
  fee: Fee;
}

/** In minor units, all three. */
export interface ChargeAmounts {
  chargeMinor: number;
  feesMinor: number;
  amountMinor: number;
}

/**
 * The amounts of the charge for a total. If the customer pays the fee, it comes on top of the
 * total. A fee never exceeds its charge. A total of 0 is not charged.
 * @param totalMinor in minor units
 */
export function chargeAmounts({ customerPays, fee }: FeeTerms, totalMinor: number): ChargeAmounts {
  if (totalMinor === 0) return { chargeMinor: 0, feesMinor: 0, amountMinor: 0 };
  const chargeMinor = customerPays ? grossUp(fee, totalMinor) : totalMinor;
  const feesMinor = Math.min(computeFee(fee, chargeMinor), chargeMinor);
  return { chargeMinor, feesMinor, amountMinor: chargeMinor - feesMinor };
}

/**
 * Whether a card can be charged for a total, with the fee on top if the customer pays it.
 * @param totalMinor in minor units
 */
export function isChargeable(terms: FeeTerms, totalMinor: number): boolean {
  if (totalMinor > MAX_AMOUNT_MINOR) return false;
  return chargeAmounts(terms, totalMinor).chargeMinor <= MAX_AMOUNT_MINOR;
}
