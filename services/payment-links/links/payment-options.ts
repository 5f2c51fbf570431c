// The payment options of a link. The merchant may name any options; the checkout takes only cards.
// A link whose list has no supported option cannot be paid. The checkout does not take a card
// instead, because the merchant has excluded cards with their fees and chargebacks. A refused
// customer can get another link, but a refund of a charge costs money.

import {
  PAYMENT_OPTIONS,
  type PaymentOption,
} from "../../../shared/contracts/payment-link-data.ts";
import type { PaymentLink } from "./link.model.ts";

type Asking = { terms: Pick<PaymentLink["terms"], "acceptedPaymentOptions"> };

/** The options of a link that the checkout supports. */
export function supportedOptions({ terms }: Asking): PaymentOption[] {
  return PAYMENT_OPTIONS.filter((option) =>
    terms.acceptedPaymentOptions.some((name) => isNamed(option, name)),
  );
}

/** The options of a link that the checkout does not support, in the merchant's spelling. */
export function unsupportedOptions({ terms }: Asking): string[] {
  return terms.acceptedPaymentOptions.filter(
    (name) => !PAYMENT_OPTIONS.some((option) => isNamed(option, name)),
  );
}

/** Compares in any case, because a capital letter must not make a link unpayable. */
function isNamed(option: PaymentOption, name: string): boolean {
  return name.toLowerCase() === option;
}
