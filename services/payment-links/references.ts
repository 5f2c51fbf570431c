// What reports say about payments and refunds: the merchant's own reference, and the customer's
// name.

import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { MAJORITY } from "../../shared/storage/database.ts";
import { ERASED } from "../../shared/storage/erased.ts";
import type { Deps } from "./assembly.ts";
import type { Customer, Payment } from "./payments/payment.model.ts";
import type { Refund } from "./refunds/refund.model.ts";

type Paid = Pick<Payment, "_id" | "customer" | "orderId">;
type Refunded = Pick<Refund, "_id" | "paymentId" | "reference">;

/** The references and parties of those ids that are payments or refunds of the business. */
export async function readReferences(
  { payments, refunds }: Pick<Deps, "payments" | "refunds">,
  { businessId, ids }: Params<"payment-links.references">,
): Promise<Result<"payment-links.references">> {
  const refunded = await refunds.documents
    .find<Refunded>(
      { _id: { $in: ids }, businessId },
      { ...MAJORITY, projection: { paymentId: 1, reference: 1 } },
    )
    .toArray();
  const paid = await payments.documents
    .find<Paid>(
      { _id: { $in: [...ids, ...refunded.map(({ paymentId }) => paymentId)] }, businessId },
      { ...MAJORITY, projection: { customer: 1, orderId: 1 } },
    )
    .toArray();
  const parties = new Map(paid.map(({ _id, customer }) => [_id, nameOf(customer)]));
  const partyOf = (paymentId: string) => parties.get(paymentId) ?? null;
  return [
    ...paid.map(({ _id: id, orderId = null }) => ({
      id,
      party: partyOf(id),
      reference: orderId,
    })),
    ...refunded.map(({ _id: id, paymentId, reference }) => ({
      id,
      party: partyOf(paymentId),
      reference,
    })),
  ];
}

/** The name of a customer; null if the person was erased. */
function nameOf({ firstName, lastName }: Customer): string | null {
  return firstName === ERASED && lastName === ERASED ? null : `${firstName} ${lastName}`;
}
