// Finds a customer's payments and subscriptions by the email of the checkout, in any case.

/** A collation in which cases are equal; the index and each of its queries must name it. */
export const IN_ANY_CASE = { collation: { locale: "en", strength: 2 } };

/** The index of payments and of subscriptions by a business's customer, newest first. */
export const OF_CUSTOMER = { businessId: 1, "customer.email": 1, _id: -1 } as const;

/** The filter for the payments or the subscriptions of a customer. */
export function ofCustomer({ businessId, email }: { businessId: string; email: string }) {
  return { businessId, "customer.email": email };
}
