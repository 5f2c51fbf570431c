// Finds a customer's payments and subscriptions by the email of the checkout.

import { IN_ANY_CASE, isSameEmail } from "../../../shared/email.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import type { BillingDeps } from "../billing/deps.ts";
import type { Customer } from "../payments/payment.model.ts";

/** The payments and the subscriptions of one customer, as filters. */
export interface OfCustomer {
  payments: { _id: { $in: string[] } };
  subscriptions: { _id: { $in: string[] } };
}

interface Found {
  _id: string;
  customer: Pick<Customer, "email">;
}

/**
 * A customer's payments and subscriptions as they are now. Another customer's are never among them,
 * because the addresses that the index finds are compared here.
 */
export async function findOfCustomer(
  { payments, subscriptions }: Pick<BillingDeps, "payments" | "subscriptions">,
  { businessId, email }: { businessId: string; email: string },
): Promise<OfCustomer> {
  const filter = { businessId, "customer.email": email };
  const options = { ...MAJORITY, ...IN_ANY_CASE };
  const fields = { "customer.email": 1 };
  const [paid, subscribed] = await Promise.all([
    payments.documents.find(filter, options).project<Found>(fields).toArray(),
    subscriptions.documents.find(filter, options).project<Found>(fields).toArray(),
  ]);
  const theirs = (found: Found[]) => {
    const same = found.filter((each) => isSameEmail(each.customer.email, email));
    return { _id: { $in: same.map(({ _id }) => _id) } };
  };
  return { payments: theirs(paid), subscriptions: theirs(subscribed) };
}
