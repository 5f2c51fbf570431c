// payrail trigger: makes events happen in the sandbox, with a new end user, link or plan.

import { randomInt, randomUUID } from "node:crypto";
import type { Payrail } from "../payrail.ts";
import { type Command, type Given, UsageError } from "./command.ts";

/** Makes events happen. @returns the ids of the new resources, by name */
type Trigger = (payrail: Payrail) => Promise<object>;

/** In the sandbox the last four digits of an account or a card decide the outcome. */
const TRIGGERS: Record<string, Trigger> = {
  "payout.succeeded": (payrail) => payout(payrail, "6789"),
  "payout.failed": (payrail) => payout(payrail, "0002"),
  "payout.returned": (payrail) => payout(payrail, "0007"),
  "payment.succeeded": (payrail) => payment(payrail, "4242424242424242"),
  "payment.failed": (payrail) => payment(payrail, "4000000000000002"),
  "refund.succeeded": refund,
  "subscription.created": subscription,
  "subscription.cancelled": cancellation,
};

export const trigger: Command = {
  summary: "Make events happen, in the sandbox",
  help: `payrail trigger <name>

Makes the events happen for real, in the sandbox: a payout, a payment or a subscription of its own.

  ${Object.keys(TRIGGERS).join("\n  ")}

  --json  what was made, as JSON
`,
  options: {},

  async run({ positionals, print, payrail }: Given): Promise<void> {
    const [name = "", ...more] = positionals;
    const run = Object.hasOwn(TRIGGERS, name) ? TRIGGERS[name] : undefined;
    if (!run || more.length > 0) {
      throw new UsageError(`Name one of ${Object.keys(TRIGGERS).join(", ")}`);
    }
    const made = await run(payrail());
    const said = Object.entries(made).map(([key, value]) => `${key} ${String(value)}`);
    print(`${name}: ${said.join(", ")}`, { trigger: name, ...made });
  },
};

async function payout(payrail: Payrail, lastFour: string): Promise<object> {
  const email = `trigger-${randomUUID()}@example.com`;
  const user = await payrail.entities.create({ email });
  const wallet = await payrail.wallets.open({ entityId: user.id, currency: "USD" });
  await payrail.sandbox.fund({ walletId: wallet.id, amount: 100 });
  const account = await payrail.linkedAccounts.link({
    currency: "USD",
    optionType: "bank",
    walletId: wallet.id,
    data: {
      firstName: "Ada",
      lastName: "Lovelace",
      email,
      bankName: "First Bank",
      accountNumber: `${randomInt(10 ** 8, 10 ** 9)}${lastFour}`,
      routingNumber: "021000021",
      accountType: "CHECKING",
      recipientAddress: "1 Main St",
      recipientCity: "New York",
      recipientState: "NY",
      recipientPostalCode: "10001",
    },
  });
  const { id: transactionId } = await payrail.as(user.id).withdrawals.create({
    currency: "USD",
    linkedAccountId: account.id,
    amount: 25,
    reason: "Triggered",
    routingType: "RTP",
  });
  return { transactionId };
}

const CUSTOMER = {
  email: "grace@example.com",
  firstName: "Grace",
  lastName: "Hopper",
  phone: "+1 555 0100",
};
const OF_LINK = {
  currency: "USD" as const,
  amount: 25,
  itemDeliveryAddress: "1 Main St, New York",
  cartItems: [{ name: "Tulips", description: "A dozen, red" }],
} satisfies Parameters<Payrail["paymentLinks"]["create"]>[0];

async function payment(payrail: Payrail, number: string): Promise<{ paymentId: string }> {
  await payrail.collectionAccounts.open({ currency: "USD" });
  const { application } = await payrail.paymentLinks.create({ ...OF_LINK, name: "Triggered" });
  const { token } = await payrail.sandbox.cardToken({ number });
  const paid = await payrail.checkout.pay({
    token: application.token,
    customer: CUSTOMER,
    paymentMethod: { type: "card", token },
  });
  return { paymentId: paid.id };
}

async function refund(payrail: Payrail): Promise<object> {
  const { paymentId } = await payment(payrail, "4242424242424242");
  const reference = randomUUID();
  const { id } = await payrail.payments.refund({ id: paymentId, amount: 5, reference });
  return { paymentId, refundId: id };
}

async function subscription(payrail: Payrail): Promise<{ subscriptionId: string }> {
  await payrail.collectionAccounts.open({ currency: "USD" });
  const startDate = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const { application } = await payrail.paymentLinks.create({
    ...OF_LINK,
    name: "Triggered",
    checkoutType: "recurring",
    recurringCharge: { type: "subscription", startDate, interval: { type: "month", count: 1 } },
  });
  const { token } = await payrail.sandbox.cardToken();
  const { subscriptionId } = await payrail.checkout.setup({
    token: application.token,
    customer: CUSTOMER,
    paymentMethod: { type: "card", token },
  });
  return { subscriptionId };
}

async function cancellation(payrail: Payrail): Promise<object> {
  const { subscriptionId } = await subscription(payrail);
  await payrail.subscriptions.cancel({ id: subscriptionId, at: "now" });
  return { subscriptionId };
}
