// A person with data in every place where payrail stores personal data, each value recognisable,
// for tests of its export and its erasure.

import { randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  dataOf,
  internationalBody,
  linkBody,
  type TestBusiness,
  type World,
} from "../support/world.ts";

export type Person = Awaited<ReturnType<typeof makePerson>>;

/** Values of fifteen random characters behind a readable beginning. */
export class Plants {
  readonly all: string[] = [];
  /** Those that are stored only encrypted. */
  readonly sealed = new Set<string>();

  text(what: string): string {
    const planted = `${what}${randomBytes(8).toString("hex").slice(0, 15)}`;
    this.all.push(planted);
    return planted;
  }

  email(what: string): string {
    return `${this.text(what)}@plant.example`;
  }

  digits(length: number, end = ""): string {
    const planted = randomBytes(length).join("").slice(0, length) + end;
    this.all.push(planted);
    return planted;
  }

  hidden(planted: string): string {
    this.sealed.add(planted);
    return planted;
  }
}

/**
 * A receiver that answers with the body that it received, as careless ones do. It fails every
 * second time.
 */
export async function echoingHook(world: World, business: TestBusiness) {
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    response.statusCode = count % 2 === 0 ? 500 : 200;
    request.pipe(response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const path = `/v1/business/${business.id}/webhooks`;
  const { id } = dataOf(await world.http.post(path, { url }, { token: business.token }), 201);
  return {
    id,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A person without money under way: an end user that also paid and subscribed at checkout. */
export async function makePerson(world: World, business: TestBusiness, plants = new Plants()) {
  const { http } = world;
  const { id: businessId, token } = business;
  const base = `/v1/business/${businessId}`;
  const email = plants.email("mail");
  const externalIdentifier = plants.text("external");
  const user = await world.user(business, { email, externalIdentifier });
  const wallet = await world.wallet(business, user, 100);

  const address = () => ({
    recipientAddress: plants.hidden(plants.text("street")),
    recipientCity: plants.hidden(plants.text("city")),
    recipientState: plants.hidden(plants.text("state")),
    recipientPostalCode: plants.hidden(plants.text("zip")),
  });
  const person = () => ({ firstName: plants.text("first"), lastName: plants.text("last") });
  const link = async (optionType: string, data: object): Promise<string> => {
    const body = {
      walletId: wallet.id,
      optionType,
      label: plants.text("label"),
      nickName: plants.text("nick"),
      data,
    };
    return dataOf(await http.post(`${base}/linked-accounts/USD`, body, { token }), 201).id;
  };
  const bankData = (end: string) => ({
    ...person(),
    ...address(),
    email: plants.email("bankmail"),
    publicEmail: plants.email("public"),
    bankName: plants.text("bank"),
    accountNumber: plants.hidden(plants.digits(12, end)),
    routingNumber: "021000021",
    accountType: "CHECKING",
  });
  const bank = await link("bank", bankData("6789"));
  const failing = await link("bank", bankData("0004"));
  await link("card", {
    name: plants.text("holder"),
    email: plants.email("cardmail"),
    encryptedCardNumber: plants.hidden(plants.text("vault")),
    lastFourDigits: "4242",
    cardBrand: "Visa",
    cardType: "debit",
    cardExpirationDate: "12/40",
  });
  const international = internationalBody({
    ...person(),
    ...address(),
    email: plants.email("abroad"),
    bankName: plants.text("foreign"),
    accountNumber: plants.hidden(plants.digits(14)),
  });
  const applicationToken = await world.applicationToken(business, user);
  dataOf(await world.linkInternational(user, applicationToken, international), 200);

  const withdraw = async (linkedAccountId: string, amount: number, status: number) => {
    const account = { id: linkedAccountId, currency: "USD" };
    const body = { amount, routingType: "RTP", reason: plants.text("reason") };
    const key = { "idempotency-key": plants.text("key") };
    const answer = await world.withdraw(user, account, body, key);
    if (answer.status !== status) throw new Error(answer.text);
    return answer.body.data?.id as string;
  };
  const settled = await withdraw(bank, 99.5, 200);
  await world.status(business, settled, "SUCCESS");
  await withdraw(bank, 99.5, 400);
  const received = {
    linkedAccountId: bank,
    walletId: (await world.wallet(business, business, 100)).id,
    amount: 25,
    reason: plants.text("sales"),
    metadata: { note: plants.text("metadata") },
  };
  const { id: sent } = dataOf(await http.post(`${base}/payouts`, received, { token }), 201);
  await world.status(business, sent, "SUCCESS");
  dataOf(await http.delete(`${base}/linked-accounts/USD/${bank}`, { token }), 200);

  const customer = {
    email: email.toUpperCase(),
    ...person(),
    phone: `+1 ${plants.digits(14)}`,
  };
  const pay = async (fields: Record<string, unknown>, card = "4242") => {
    const made = await world.paymentLink(business, { customFields: ["Company"], ...fields });
    const body = { customer, fields: { Company: plants.text("company") } };
    const paid = await world.pay(made, await world.cardToken(card), body);
    return { link: made, payment: dataOf(paid, 200) };
  };
  // Only this customer uses the first link; the second one is open for others.
  const paid = await pay({
    notifyPayee: true,
    isOpenLink: false,
    itemDeliveryAddress: plants.text("delivery"),
    customData: { note: plants.text("custom") },
  });
  await pay({ itemDeliveryAddress: "A shop" }, "0002");
  const refund = { amount: 5, reference: randomUUID() };
  const refunds = `${base}/payments/${paid.payment.id}/refunds`;
  dataOf(await http.post(refunds, refund, { token }), 201);

  const recurring = await world.recurringLink(business, {
    itemDeliveryAddress: plants.text("recurring"),
    customFields: ["Company"],
    isOpenLink: false,
  });
  const setUp = await world.setup(recurring, await world.cardToken(), {
    customer,
    fields: { Company: plants.text("employer") },
  });
  const { subscriptionId } = dataOf(setUp, 200);

  const createOwn = async (fields: Record<string, unknown>) => {
    const agent = { type: "agent", email: plants.email("agent"), name: plants.text("agentname") };
    const body = linkBody({ agent, ...fields });
    const path = "/v1/ext/collections/payment-link";
    return dataOf(await http.post(path, body, { token: user.token }), 200).application;
  };
  const own = await createOwn({});
  await createOwn({
    itemDeliveryAddress: plants.text("own"),
    customData: { note: plants.text("owndata") },
  });

  return {
    plants,
    email,
    externalIdentifier,
    user,
    wallet,
    failing: { id: failing, currency: "USD" },
    paid: paid.payment.id as string,
    subscriptionId: subscriptionId as string,
    ownLink: { id: own.id as string, token: own.token as string, url: "" },
    async endSubscription() {
      const answer = await world.toSubscription(business, subscriptionId, "cancel", { at: "now" });
      dataOf(answer, 200);
    },
  };
}
