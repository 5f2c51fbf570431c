// The walk of the collection for Postman: every request of the API once or twice, in an order in
// which each has what it needs, so that a runner gets from the first to the last one without a
// failure, and again. What a request makes has a new name or a new owner in every run.

export interface Step {
  /** The operation's id in the OpenAPI document. */
  call: string;
  /** Its name in the collection; the operation's summary if left out. */
  name?: string;
  /** The fields of the body; the operation's example if left out. */
  body?: Record<string, unknown>;
  /** The variable of each part of the path that has another one than usual. */
  path?: Record<string, string>;
  /** The variables that the answer sets, each by an expression over its body `answer`. */
  keep?: Record<string, string>;
  /** The key by which a later step finds the request; a new one in every request if left out. */
  idempotencyKey?: string;
  /** The variables that are set before the request, each by an expression. */
  before?: Record<string, string>;
  /** Whether the end user asks, and not the business. */
  asUser?: boolean;
  /** Answers beside 2xx that are as right, because time decides. */
  orElse?: number[];
}

export interface Chapter {
  name: string;
  /** The tag's in the document if left out. */
  description?: string;
  steps: Step[];
}

const CUSTOMER = {
  email: "{{customerEmail}}",
  firstName: "Ada",
  lastName: "Lovelace",
  phone: "+1 555 0100",
};
const PAYMENT = { customer: CUSTOMER, paymentMethod: { type: "card", token: "{{cardToken}}" } };

const BANK_ACCOUNT = {
  firstName: "Ada",
  lastName: "Lovelace",
  email: "{{email}}",
  bankName: "First Bank",
  accountNumber: "000123456789",
  routingNumber: "021000021",
  accountType: "CHECKING",
  recipientAddress: "1 Main St",
  recipientCity: "New York",
  recipientState: "NY",
  recipientPostalCode: "10001",
};

/** A link whose first period begins on the day at which the test clock stands. */
function recurring(recurringCharge: Record<string, unknown>): Record<string, unknown> {
  return {
    currency: "USD",
    name: "Plan",
    checkoutType: "recurring",
    recurringCharge,
    itemDeliveryAddress: "1 Main St, New York",
    cartItems: [{ name: "Plan", description: "Every month" }],
  };
}
/** It goes on with real time, because a test clock cannot go back. */
const IN_A_MONTH = { clock: "new Date(Date.now() + 31 * 86400000).toISOString()" };
const EVERY_MONTH = { startDate: "{{today}}", interval: { type: "month", count: 1 } };
const SEATING = recurring({
  type: "seating",
  ...EVERY_MONTH,
  seatDetails: { baseFee: 10, costPerSeat: 5, newSeatBillingType: "prorate" },
});
const CONSUMPTION = recurring({
  type: "consumption",
  ...EVERY_MONTH,
  consumptionDetails: { unit: "API call", costPerUnit: 0.05 },
});

export const WALK: Chapter[] = [
  {
    name: "Tokens",
    steps: [
      {
        call: "createToken",
        body: { grant_type: "client_credentials" },
        keep: {
          token: "answer.access_token",
          // The subject of the token is the business.
          businessId:
            'JSON.parse(atob(answer.access_token.split(".")[1].replace(/-/g, "+").replace(/_/g, "/"))).sub',
        },
      },
    ],
  },
  { name: "Health", steps: [{ call: "getLiveness" }, { call: "getReadiness" }] },
  {
    name: "Businesses and end users",
    steps: [
      { call: "getBusiness" },
      {
        call: "createEntity",
        before: { email: '"ada-" + Date.now() + "@example.com"' },
        body: { email: "{{email}}", externalIdentifier: "{{email}}" },
        keep: { entityId: "answer.data.id" },
      },
      { call: "listEntities" },
      { call: "getEntity" },
    ],
  },
  {
    name: "API clients",
    steps: [
      { call: "createApiClient", keep: { apiClientId: "answer.data.id" } },
      { call: "listApiClients" },
      { call: "getApiClient" },
      { call: "rotateApiClientSecret" },
      { call: "updateApiClient" },
    ],
  },
  {
    name: "Wallets",
    steps: [
      {
        call: "createWallet",
        body: { entityId: "{{entityId}}", currency: "USD" },
        keep: { walletId: "answer.data.id" },
      },
      {
        call: "createWallet",
        name: "Open the wallet of the business",
        body: { entityId: "{{businessId}}", currency: "USD" },
        keep: { ownWalletId: "answer.data.id" },
      },
      { call: "listWallets" },
      { call: "updateWallet" },
      { call: "fundWallet", body: { amount: 100, reference: "{{$guid}}" } },
      { call: "getWallet" },
      { call: "listWalletEntries" },
      {
        call: "createWalletTransfer",
        body: {
          fromWalletId: "{{walletId}}",
          toWalletId: "{{ownWalletId}}",
          amount: 1,
          reference: "{{$guid}}",
        },
        keep: { walletTransferId: "answer.data.id" },
      },
      { call: "listWalletTransfers" },
      { call: "getWalletTransfer", path: { id: "walletTransferId" } },
      { call: "createCollectionAccount", keep: { collectionAccountId: "answer.data.id" } },
      { call: "listCollectionAccounts" },
      { call: "getLedgerHead" },
      { call: "getLedgerKeys" },
    ],
  },
  {
    name: "Webhooks",
    steps: [
      {
        call: "createWebhook",
        body: { url: "https://example.com/webhooks", description: "Of the collection" },
        keep: { webhookId: "answer.data.id" },
      },
      { call: "listWebhooks" },
      { call: "getWebhook" },
      { call: "updateWebhook", body: { description: "Payouts to our books" } },
      { call: "rotateWebhookSecret" },
      { call: "testWebhook" },
    ],
  },
  {
    name: "Linked accounts",
    steps: [
      {
        call: "createLinkedAccount",
        body: { optionType: "bank", walletId: "{{walletId}}", data: BANK_ACCOUNT },
        keep: { linkedAccountId: "answer.data.id" },
      },
      { call: "listLinkedAccounts" },
      { call: "updateLinkedAccount" },
      {
        call: "createApplicationToken",
        body: { tokenType: "ACCOUNT", entityId: "{{entityId}}", currency: "USD" },
        keep: { applicationToken: "answer.data.token" },
      },
      { call: "listApplicationTokens" },
      { call: "linkInternationalAccount", keep: { internationalAccountId: "answer.data.id" } },
      { call: "listExternalLinkedAccounts" },
    ],
  },
  {
    name: "Payouts",
    steps: [
      {
        call: "createToken",
        name: "Get a token of the end user",
        body: { grant_type: "client_credentials", subject: "{{entityId}}" },
        keep: { userToken: "answer.access_token" },
      },
      {
        call: "createWithdrawal",
        asUser: true,
        keep: { withdrawalId: "answer.data.id" },
      },
      {
        call: "createPayout",
        body: {
          linkedAccountId: "{{linkedAccountId}}",
          amount: 25,
          reason: "Payout",
          reference: "{{$guid}}",
        },
      },
      {
        call: "setLimits",
        body: {
          limits: [{ scope: "business", currency: "USD", per: "payout", amount: "1000.00" }],
        },
      },
      { call: "getLimits" },
      { call: "listWithdrawalLimits", asUser: true },
      { call: "listOwnWallets", asUser: true },
      { call: "listWithdrawals", asUser: true },
      { call: "getWithdrawal", asUser: true },
    ],
  },
  {
    name: "Transactions",
    steps: [
      { call: "listTransactions" },
      { call: "getTransaction" },
      { call: "getTransactionTimeline" },
      { call: "getWebhookPayload" },
      // The bank may have the money already.
      { call: "cancelTransaction", orElse: [409] },
      { call: "getStatistics" },
    ],
  },
  {
    name: "Payment links",
    steps: [
      {
        call: "createPaymentLink",
        keep: {
          paymentLinkId: "answer.data.application.id",
          linkToken: "answer.data.application.token",
        },
      },
      { call: "listPaymentLinks" },
      { call: "getPaymentLink" },
    ],
  },
  {
    name: "Checkout",
    steps: [
      { call: "getCheckout" },
      {
        call: "createCardToken",
        before: { customerEmail: '"customer-" + Date.now() + "@example.com"' },
        keep: { cardToken: "answer.data.token" },
      },
      {
        call: "createCheckoutPayment",
        before: { attemptKey: '"attempt-" + Date.now() + Math.random().toFixed(16)' },
        idempotencyKey: "{{attemptKey}}",
        body: PAYMENT,
        keep: { paymentId: "answer.data.id" },
      },
      { call: "getCheckoutAttempt" },
      { call: "getCheckoutPayment" },
      { call: "continueCheckoutPayment" },
    ],
  },
  {
    name: "Payments",
    steps: [
      { call: "listPayments" },
      { call: "getPayment" },
      { call: "refundPayment", body: { amount: 5, reference: "return-17" } },
      { call: "listRefunds" },
    ],
  },
  {
    name: "Collected money",
    description: "What customers have paid, on its way to the wallet of the business.",
    steps: [
      { call: "listCollectionAccountEntries" },
      {
        call: "createTransfer",
        body: { walletId: "{{ownWalletId}}", amount: 5, reference: "{{$guid}}" },
      },
      { call: "listTransfers" },
    ],
  },
  { name: "Reports", steps: [{ call: "getBalanceReport" }, { call: "listBalances" }] },
  {
    name: "Subscriptions",
    steps: [
      {
        call: "setTestClock",
        before: IN_A_MONTH,
        body: { now: "{{clock}}" },
        keep: { today: "answer.data.now.slice(0, 10)" },
      },
      {
        call: "createPaymentLink",
        name: "Create a link of a plan with seats",
        body: SEATING,
        keep: { planToken: "answer.data.application.token" },
      },
      {
        call: "createCheckoutSetup",
        name: "Save a card for the seats",
        path: { token: "planToken" },
        body: PAYMENT,
        keep: { subscriptionId: "answer.data.subscriptionId" },
      },
      {
        call: "setTestClock",
        name: "Move the clock on, and wait until everything is billed",
        before: IN_A_MONTH,
        body: { now: "{{clock}}" },
      },
      { call: "listSubscriptions" },
      { call: "getSubscription" },
      { call: "listInvoices", keep: { invoiceId: "answer.data[0].id" } },
      { call: "getInvoice" },
      { call: "previewInvoice" },
      { call: "setSeats", body: { seats: 12 } },
      { call: "createPaymentMethodLink" },
      { call: "cancelSubscription", name: "Cancel the plan with seats" },
      {
        call: "createPaymentLink",
        name: "Create a link of a plan by usage",
        body: CONSUMPTION,
        keep: { planToken: "answer.data.application.token" },
      },
      {
        call: "createCheckoutSetup",
        name: "Save a card for the usage",
        path: { token: "planToken" },
        body: PAYMENT,
        keep: { subscriptionId: "answer.data.subscriptionId" },
      },
      { call: "recordUsage", body: { units: 3, reference: "job-8812" } },
      { call: "listUsage" },
      { call: "cancelSubscription", name: "Cancel the plan by usage" },
    ],
  },
  {
    name: "Events and deliveries",
    description: "What was sent to the endpoint of the business, and sending it again.",
    steps: [
      { call: "listEvents", keep: { eventId: "answer.data[0].id" } },
      { call: "getEvent" },
      { call: "listDeliveries", keep: { deliveryId: "answer.data[0].id" } },
      { call: "getDelivery" },
      // A delivery that is still being tried is not sent again.
      { call: "replayDelivery", orElse: [409] },
      { call: "replayDeliveries" },
    ],
  },
  {
    name: "The end",
    description: "What was made is ended, and the people are erased.",
    steps: [
      { call: "disablePaymentLink" },
      { call: "deleteLinkedAccount" },
      { call: "deleteWebhook" },
      { call: "exportCustomer", body: { email: "{{customerEmail}}" } },
      { call: "eraseCustomer", body: { email: "{{customerEmail}}" } },
      {
        call: "createEntity",
        name: "Create an end user without money",
        body: { email: "leaver-{{email}}" },
        keep: { leaverId: "answer.data.id" },
      },
      { call: "exportEntity", path: { entityId: "leaverId" } },
      { call: "eraseEntity", path: { entityId: "leaverId" } },
    ],
  },
];
