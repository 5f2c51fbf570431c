// The payment options of a link. The merchant may name any; the checkout takes cards alone. A link
// whose list has no supported option cannot be paid. The checkout does not take a card instead,
// because the merchant has left cards out, with their fees and chargebacks: a refused customer can
// get another link, and a charge cannot be undone without a cost.

import {
  PAYMENT_OPTIONS,
  type PaymentOption,
} from "../../../shared/contracts/payment-link-data.ts";
import type { PaymentLink } from "./link.model.ts";

type Asking = { terms: Pick<PaymentLink["terms"], "acceptedPaymentOptions"> };

/** The link's options that the checkout takes. */
export function supportedOptions({ terms }: Asking): PaymentOption[] {
  return PAYMENT_OPTIONS.filter((option) =>
    terms.acceptedPaymentOptions.some((name) => isNamed(option, name)),
  );
}

/** The link's options that the checkout does not take, as the merchant wrote them. */
export function unsupportedOptions({ terms }: Asking): string[] {
  return terms.acceptedPaymentOptions.filter(
    (name) => !PAYMENT_OPTIONS.some((option) => isNamed(option, name)),
  );
}

/** In any case, because a link must not be refused for a capital letter. */
function isNamed(option: PaymentOption, name: string): boolean {
  return name.toLowerCase() === option;
}
