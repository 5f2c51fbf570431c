// Finds what a customer paid and subscribed by the email that it gave, in any case.

/** The order of letters in which cases are equal; the index and each query of it have to name it. */
export const IN_ANY_CASE = { collation: { locale: "en", strength: 2 } };

/** The payments, or the subscriptions, of a business's customer, newest first. */
export const OF_CUSTOMER = { businessId: 1, "customer.email": 1, _id: -1 } as const;

export function ofCustomer({ businessId, email }: { businessId: string; email: string }) {
  return { businessId, "customer.email": email };
}
