// A sample request for every route, with existing ids and a valid body, so that a refusal has only
// the one cause that a test adds. A route without a sample fails test/gateway/hostile.test.ts.

import { randomUUID } from "node:crypto";
import { until } from "./system.ts";
import {
  type Builders,
  cardNumber,
  dataOf,
  internationalBody,
  linkBody,
  paymentBody,
  type TestAccount,
  type TestBusiness,
  type TestUser,
  type TestWallet,
} from "./world.ts";

export interface Sample {
  path: Record<string, string>;
  /** The parameters without which the route refuses. */
  query?: string;
  body?: Record<string, unknown>;
  /** The owner of the token that opens the route. */
  token: string;
  /** The status for the right token. */
  status: number;
}

/** One object of each kind that routes use, all of one business. */
export interface Things {
  business: TestBusiness;
  user: TestUser;
  wallet: TestWallet;
  bank: TestAccount;
  spare: TestAccount;
  /** Of type ACCOUNT. */
  applicationToken: string;
  /** An API client that no other sample uses. */
  clientId: string;
  webhookId: string;
  payoutId: string;
  /** A delivery of a payout's event to the webhook. */
  deliveryId: string;
  eventId: string;
  linkId: string;
  linkToken: string;
  /** A link that no other sample uses. */
  spareLinkId: string;
  cardToken: string;
  paymentId: string;
  /** A recurring link. */
  planToken: string;
  /** Billed by seats, with one invoice. */
  subscriptionId: string;
  invoiceId: string;
  /** Billed by usage, in its first period. */
  meteredId: string;
  /** A subscription that no other sample uses. */
  spareSubscriptionId: string;
  /** An end user without money, whom one sample erases. */
  spareUserId: string;
  /** A funded wallet. */
  collectionAccountId: string;
  /** Of the end user's wallet. */
  adjustmentId: string;
  /** From the end user's wallet to the business's own. */
  transferId: string;
  /** An entity id: the business itself. */
  ownWalletId: string;
}

/** Under this Idempotency-Key the link was paid. */
const ATTEMPT_KEY = "attempt-5b0c7a1e9f3d4c2886aee0d1b7f49c35";

const LIMITS = [{ scope: "business", currency: "USD", per: "day", amount: "90000.00" }];

export async function makeThings(world: Builders): Promise<Things> {
  const externalIdentifier = randomUUID();
  const { business, user, wallet } = await world.payer(1_000, { externalIdentifier });
  const bank = await world.bank(business, wallet);
  const spare = await world.bank(business, wallet);
  const clients = `/v1/business/${business.id}/api-clients`;
  const client = await world.http.post(clients, {}, { token: business.token });
  const clientId = client.body.data.id as string;
  const applicationToken = await world.applicationToken(business, user);
  const { id: webhookId } = await world.hook(business);
  const paid = await world.withdraw(user, bank);
  const payoutId = paid.body.data.id as string;
  await world.status(business, payoutId, "SUCCESS");
  const { id: deliveryId, eventId } = await anEndedDelivery(world, business, webhookId);
  const collectionAccountId = await world.collectionAccount(business, 100);
  const { id: ownWalletId } = await world.wallet(business, business, 100);
  const link = await world.paymentLink(business);
  const cardToken = await world.cardToken();
  const payment = await world.pay(link, cardToken, {}, { "idempotency-key": ATTEMPT_KEY });
  const plan = await world.recurringLink(business);
  const seating = { type: "seating" };
  const subscriptionId = await world.subscription(business, { recurringCharge: seating });
  const consumption = { type: "consumption" };
  const meteredId = await world.subscription(business, { recurringCharge: consumption });
  const spareSubscriptionId = await world.subscription(business);
  await world.testClock(business, "2030-01-02T00:00:00.000Z");
  const [invoice] = await world.ofSubscription(business, subscriptionId, "/invoices");
  const paymentId = payment.body.data.id as string;
  // Every list of the business has an entry.
  const post = async (path: string, body: object) =>
    dataOf(
      await world.http.post(`/v1/business/${business.id}/${path}`, body, {
        token: business.token,
      }),
      201,
    );
  const once = { amount: 1, reference: randomUUID() };
  await post(`payments/${paymentId}/refunds`, once);
  await post(`collection-accounts/${collectionAccountId}/transfers`, {
    ...once,
    walletId: ownWalletId,
  });
  const transfer = await post("transfers", {
    ...once,
    fromWalletId: wallet.id,
    toWalletId: ownWalletId,
  });
  const adjusted = await world.http.post(
    `/v1/admin/businesses/${business.id}/wallets/${wallet.id}/adjustments`,
    { ...once, direction: "DEBIT", note: "Credited twice" },
    { token: world.tokens.admin(randomUUID()) },
  );
  const adjustment = dataOf(adjusted, 201);
  const limited = { token: business.token, body: { limits: LIMITS } };
  await world.http.request("PUT", `/v1/business/${business.id}/limits`, limited);
  await until(async () => {
    const { body } = await world.http.get("/v1/ext/withdrawal-limits", { token: user.token });
    return body.data.length > 0;
  });
  await post(`subscriptions/${meteredId}/usage`, { units: 1, reference: randomUUID() });
  return {
    business,
    user,
    wallet,
    bank,
    spare,
    applicationToken,
    clientId,
    webhookId,
    payoutId,
    deliveryId,
    eventId,
    collectionAccountId,
    ownWalletId,
    adjustmentId: adjustment.id,
    transferId: transfer.id,
    linkId: link.id,
    linkToken: link.token,
    spareLinkId: (await world.paymentLink(business)).id,
    cardToken,
    paymentId,
    planToken: plan.token,
    subscriptionId,
    invoiceId: invoice.id,
    meteredId,
    spareSubscriptionId,
    spareUserId: (await world.user(business)).id,
  };
}

function anEndedDelivery(
  { http }: Builders,
  { id, token }: TestBusiness,
  webhookId: string,
): Promise<{ id: string; eventId: string }> {
  const path = `/v1/business/${id}/webhooks/${webhookId}/deliveries?status=DELIVERED`;
  return until(async () => (await http.get(path, { token })).body.data[0]);
}

/** The samples by route name; the ones that remove an object come last. */
export function samplesOf(world: Builders, things: Things): Record<string, Sample> {
  const {
    business,
    user,
    wallet,
    bank,
    spare,
    applicationToken,
    clientId,
    webhookId,
    payoutId,
    deliveryId,
    eventId,
    collectionAccountId,
    ownWalletId,
    transferId,
    linkId,
    linkToken,
    spareLinkId,
    cardToken,
    paymentId,
    planToken,
    subscriptionId,
    invoiceId,
    meteredId,
    spareSubscriptionId,
    spareUserId,
  } = things;
  const admin = world.tokens.admin(randomUUID());
  const businessId = business.id;
  const of =
    (token: string) =>
    (path: Record<string, string>, status: number, body?: Sample["body"]): Sample => ({
      path: { businessId, ...path },
      token,
      status,
      ...(body && { body }),
    });
  const own = of(business.token);
  const asAdmin = of(admin);
  const note = "Asked the bank";
  const replay = { since: "2020-01-01T00:00:00.000Z", status: "DEAD_LETTER" };
  const ofMerchant = (path: Record<string, string>, status: number): Sample => ({
    path,
    token: business.token,
    status,
  });
  const walletId = wallet.id;

  return {
    createToken: {
      path: {},
      token: "",
      status: 200,
      body: {
        grant_type: "client_credentials",
        client_id: business.clientId,
        client_secret: business.clientSecret,
        scope: "external.apis",
        subject: user.id,
      },
    },
    createWithdrawal: {
      path: { currency: "USD", linkedAccountId: bank.id },
      token: user.token,
      status: 200,
      body: {
        amount: 25,
        walletType: "SPEND",
        reason: "Payout",
        routingType: "ACH",
        transactionType: "payout",
      },
    },
    createPayout: own({}, 201, {
      linkedAccountId: bank.id,
      walletId: ownWalletId,
      amount: 1,
      reason: "Payout",
      routingType: "ACH",
      reference: randomUUID(),
      metadata: { invoice: "1042" },
    }),
    listWithdrawals: { path: {}, token: user.token, status: 200 },
    listWithdrawalLimits: { path: {}, token: user.token, status: 200 },
    getLimits: own({}, 200),
    setLimits: own({}, 200, { limits: LIMITS }),
    getWithdrawal: { path: { id: payoutId }, token: user.token, status: 200 },
    listTransactions: own({}, 200),
    getStatistics: own({}, 200),
    getBalanceReport: {
      ...own({}, 200),
      query: "currency=USD&from=2020-01-01&to=2999-01-01",
    },
    listBalances: own({}, 200),
    getTransaction: ofMerchant({ id: payoutId }, 200),
    getTransactionTimeline: ofMerchant({ id: payoutId }, 200),
    getWebhookPayload: ofMerchant({ transactionId: payoutId }, 200),
    cancelTransaction: ofMerchant({ id: payoutId }, 409),
    listAttention: { path: {}, token: admin, status: 200 },
    listAuditLog: { path: {}, token: admin, status: 200 },
    listPartners: { path: {}, token: admin, status: 200 },
    getStatisticsOfAll: { path: {}, token: admin, status: 200 },
    getBooks: { path: {}, token: admin, status: 200 },
    find: { path: {}, query: `q=${payoutId}`, token: admin, status: 200 },
    findById: { path: { id: payoutId }, token: admin, status: 200 },
    listEntitiesAsAdmin: asAdmin({}, 200),
    getEntityAsAdmin: asAdmin({ entityId: user.id }, 200),
    listWalletsAsAdmin: asAdmin({}, 200),
    fundWalletAsAdmin: asAdmin({ walletId }, 201, { amount: 10, reference: randomUUID() }),
    adjustWalletAsAdmin: asAdmin({ walletId }, 201, {
      direction: "CREDIT",
      amount: 10,
      reference: randomUUID(),
      note,
    }),
    getLimitsAsAdmin: asAdmin({}, 200),
    setLimitsAsAdmin: asAdmin({}, 200, { limits: LIMITS, note }),
    listWithdrawalLimitsAsAdmin: asAdmin({}, 200),
    getControls: asAdmin({}, 200),
    setControls: asAdmin({}, 200, { status: "ACTIVE", note }),
    freezeWallet: asAdmin({ walletId }, 200, { frozen: false, note }),
    freezeEntity: asAdmin({ entityId: user.id }, 200, { frozen: false, note }),
    getVerification: { path: {}, token: admin, status: 200 },
    getWholeLedgerHead: { path: {}, token: admin, status: 200 },
    getTransactionAsAdmin: asAdmin({ id: payoutId }, 200),
    getTransactionTimelineAsAdmin: asAdmin({ id: payoutId }, 200),
    listTransactionsAsAdmin: asAdmin({}, 200),
    cancelTransactionAsAdmin: asAdmin({ id: payoutId }, 409, { note }),
    listWebhooksAsAdmin: asAdmin({}, 200),
    getWebhookAsAdmin: asAdmin({ id: webhookId }, 200),
    listDeliveriesAsAdmin: asAdmin({ id: webhookId }, 200),
    getDeliveryAsAdmin: asAdmin({ id: webhookId, deliveryId }, 200),
    getEventAsAdmin: asAdmin({ eventId }, 200),
    enableWebhookAsAdmin: asAdmin({ id: webhookId }, 200, { note }),
    replayDeliveryAsAdmin: asAdmin({ id: webhookId, deliveryId }, 202, { note }),
    replayDeliveriesAsAdmin: asAdmin({ id: webhookId }, 202, { ...replay, note }),
    // Only a payment is sure to have no next step: a rail may be asked about a payout after its
    // end.
    retryTransaction: { path: { id: paymentId }, token: admin, status: 409, body: { note } },
    listReviews: { path: {}, token: admin, status: 200 },
    reviewTransaction: {
      path: { id: payoutId },
      token: admin,
      status: 409,
      body: { decision: "ALLOW", note },
    },
    resolveTransaction: {
      path: { id: payoutId },
      token: admin,
      status: 409,
      body: { outcome: "FAILED", note },
    },
    releaseBilling: { path: {}, token: admin, status: 200, body: { businessId, note } },
    createBusiness: {
      path: {},
      token: admin,
      status: 201,
      body: { name: "Acme", email: "acme@example.com" },
    },
    listBusinesses: { path: {}, token: admin, status: 200 },
    getBusinessAsAdmin: asAdmin({}, 200),
    createApiClientAsAdmin: asAdmin({}, 201, { name: "Back office", scopes: ["external.apis"] }),
    getBusiness: own({}, 200),
    createApiClient: own({}, 201, {
      name: "Back office",
      scopes: ["external.apis"],
      allowedAddresses: ["203.0.113.0/24"],
    }),
    listApiClients: own({}, 200),
    getApiClient: own({ clientId }, 200),
    updateApiClient: own({ clientId }, 200, { disabled: true }),
    rotateApiClientSecret: own({ clientId }, 200),
    getEntity: own({ entityId: user.id }, 200),
    createEntity: own({}, 201, {
      email: "ada@example.com",
      externalIdentifier: randomUUID(),
    }),
    listEntities: own({}, 200),
    exportEntity: own({ entityId: user.id }, 200),
    eraseEntity: own({ entityId: spareUserId }, 200),
    exportCustomer: own({}, 200, { email: "nobody@example.com" }),
    eraseCustomer: own({}, 200, { email: "nobody@example.com" }),
    createWallet: own({}, 200, { entityId: user.id, currency: "USD" }),
    listWallets: own({}, 200),
    getWallet: own({ walletId }, 200),
    getLedgerHead: own({}, 200),
    getLedgerKeys: { path: {}, token: "", status: 200 },
    listWalletEntries: own({ walletId }, 200),
    fundWallet: own({ walletId }, 201, { amount: 10, reference: randomUUID() }),
    createCollectionAccount: own({}, 201, { currency: "EUR" }),
    listCollectionAccounts: own({}, 200),
    listCollectionAccountEntries: own({ id: collectionAccountId }, 200),
    createTransfer: own({ id: collectionAccountId }, 201, {
      walletId: ownWalletId,
      amount: 10,
      reference: randomUUID(),
    }),
    listTransfers: own({ id: collectionAccountId }, 200),
    createWalletTransfer: own({}, 201, {
      fromWalletId: walletId,
      toWalletId: ownWalletId,
      amount: 10,
      reference: randomUUID(),
    }),
    listWalletTransfers: own({}, 200),
    listOwnWallets: { path: {}, token: user.token, status: 200 },
    getWalletTransfer: own({ id: transferId }, 200),
    listLinkedAccounts: own({ currency: "USD" }, 200),
    listExternalLinkedAccounts: {
      path: { currency: "USD" },
      token: user.token,
      status: 200,
    },
    createLinkedAccount: own({ currency: "USD" }, 201, {
      optionType: "card",
      walletId,
      label: "Card",
      nickName: "Mine",
      data: {
        name: "Ada Lovelace",
        email: "ada@example.com",
        encryptedCardNumber: `vault_${randomUUID()}`,
        lastFourDigits: "4242",
        cardBrand: "Visa",
        cardType: "debit",
        cardExpirationDate: "12/40",
      },
    }),
    updateLinkedAccount: own({ currency: "USD", linkedAccountId: bank.id }, 200, {
      nickName: "Rent",
    }),
    linkInternationalAccount: {
      path: { token: applicationToken, currency: "USD", step: "1" },
      token: user.token,
      status: 200,
      body: internationalBody(),
    },
    createApplicationToken: own({}, 201, {
      tokenType: "PAYOUT",
      entityId: user.id,
      currency: "USD",
      amount: 25,
      expiredAt: "2999-01-01T00:00:00.000Z",
    }),
    listApplicationTokens: own({}, 200),
    createWebhook: own({}, 201, {
      url: "http://127.0.0.1:9/",
      description: "Ours",
      eventTypes: ["WITHDRAWAL"],
    }),
    listWebhooks: own({}, 200),
    getWebhook: own({ id: webhookId }, 200),
    updateWebhook: own({ id: webhookId }, 200, {
      url: "http://127.0.0.1:9/",
      description: "Ours",
      eventTypes: ["WITHDRAWAL"],
      disabled: false,
    }),
    rotateWebhookSecret: own({ id: webhookId }, 200),
    testWebhook: own({ id: webhookId }, 201),
    listEvents: own({}, 200),
    getEvent: own({ eventId }, 200),
    listDeliveries: own({ id: webhookId }, 200),
    getDelivery: own({ id: webhookId, deliveryId }, 200),
    replayDelivery: own({ id: webhookId, deliveryId }, 202),
    replayDeliveries: own({ id: webhookId }, 202, replay),
    createPaymentLink: {
      path: {},
      token: business.token,
      status: 200,
      body: wholeLink(),
    },
    listPaymentLinks: own({}, 200),
    getPaymentLink: own({ id: linkId }, 200),
    getCheckout: { path: { token: linkToken }, token: "", status: 200 },
    createCheckoutPayment: {
      path: { token: linkToken },
      token: "",
      status: 200,
      body: { ...paymentBody(cardToken), fields: { Company: "Acme" } },
    },
    getCheckoutPayment: {
      path: { token: linkToken, id: paymentId },
      token: "",
      status: 200,
    },
    continueCheckoutPayment: {
      path: { token: linkToken, id: paymentId },
      token: "",
      status: 200,
      body: {},
    },
    getCheckoutAttempt: { path: { token: linkToken, key: ATTEMPT_KEY }, token: "", status: 200 },
    // The sandbox's acquirer sends no webhooks.
    notifyOfAcquirer: { path: { acquirer: "sandbox" }, token: "", status: 404, body: {} },
    listPayments: own({}, 200),
    getPayment: own({ id: paymentId }, 200),
    refundPayment: own({ id: paymentId }, 201, { amount: 1, reference: randomUUID() }),
    listRefunds: own({ id: paymentId }, 200),
    createCheckoutSetup: {
      path: { token: planToken },
      token: "",
      status: 200,
      body: { ...paymentBody(cardToken), fields: { Company: "Acme" } },
    },
    listSubscriptions: own({}, 200),
    getSubscription: own({ id: subscriptionId }, 200),
    listInvoices: own({ id: subscriptionId }, 200),
    getInvoice: own({ id: subscriptionId, invoiceId }, 200),
    previewInvoice: own({ id: subscriptionId }, 200),
    recordUsage: own({ id: meteredId }, 201, {
      units: 12.5,
      reference: randomUUID(),
      at: "2030-01-01T12:00:00.000Z",
    }),
    listUsage: own({ id: meteredId }, 200),
    setSeats: own({ id: subscriptionId }, 200, { seats: 3 }),
    createPaymentMethodLink: own({ id: subscriptionId }, 201),
    setTestClock: own({}, 200, { now: "2030-01-03T00:00:00.000Z" }),
    createCardToken: {
      path: {},
      token: "",
      status: 201,
      body: { number: cardNumber("4242"), expMonth: 12, expYear: 2099, cvc: "123" },
    },
    getLiveness: { path: {}, token: "", status: 200 },
    getReadiness: { path: {}, token: "", status: 200 },
    updateWallet: own({ walletId }, 200, { disabled: false }),
    deleteLinkedAccount: own({ currency: "USD", linkedAccountId: spare.id }, 200),
    cancelSubscription: own({ id: spareSubscriptionId }, 200, { at: "now" }),
    disablePaymentLink: own({ id: spareLinkId }, 200),
    deleteWebhook: own({ id: webhookId }, 200),
  };
}

/** A request for a one-time link with every allowed field. */
function wholeLink() {
  return linkBody({
    name: "Spring sale",
    customUrlPath: "spring-sale",
    redirectTo: "https://shop.example.com/thanks",
    expiredAt: "2999-01-01T00:00:00.000Z",
    checkoutType: "ecommerce",
    isOpenLink: false,
    customerPays: false,
    orderId: "order-1",
    dataCollections: ["Company"],
    customFields: ["Gift note"],
    acceptedPaymentOptions: ["card"],
    notifyPayee: true,
    agent: { type: "sales", email: "agent@example.com", name: "Grace", desk: "7" },
    brandingConfig: {
      logo: "https://shop.example.com/logo.png",
      primaryColor: "#1A2B3C",
      backgroundColor: "#ffffff",
    },
    advancedConfig: { websiteUrl: "http://127.0.0.1:9", webhookPath: "/hooks" },
    customData: { campaign: "spring" },
    cartItems: [
      {
        name: "Tulips",
        description: "A dozen, red",
        qty: 2,
        price: 12.5,
        currency: "USD",
        productId: "tulip-12",
        imageUrl: "https://shop.example.com/tulips.png",
      },
    ],
    externalId: "external-1",
  });
}
