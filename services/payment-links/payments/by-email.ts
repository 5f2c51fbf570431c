// The index of payments and of subscriptions by the email of the checkout.

/** Of a business's customer; in the collation of emails (shared/email.ts). */
export const OF_CUSTOMER = { businessId: 1, "customer.email": 1, _id: -1 } as const;
