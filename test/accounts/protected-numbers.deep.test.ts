// Numbers and secrets go only to necessary places: to the service that stores them, encrypted or as
// a digest, and into the answers that the API documents. The test sends recognisable ones over HTTP
// to a whole system with a process for each service over a real NATS and the most verbose log.
// Payouts succeed and fail, webhooks are sent, errors are provoked; then the test searches the
// database, logs, NATS messages, webhooks and answers for them.

import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServiceBroker } from "moleculer";
import mongoose from "mongoose";
import { connect, type NatsConnection } from "nats";
import { routes } from "../../services/gateway/routes/routes.ts";
import { createBroker, natsOptions } from "../../shared/rpc/broker.ts";
import type { Replica } from "../../tools/platform/replica.ts";
import { type Cluster, startCluster } from "../support/cluster.ts";
import type { Answer } from "../support/http.ts";
import { type Kind, Planted } from "../support/planted.ts";
import { sendSample } from "../support/sampled-routes.ts";
import { makeThings, type Sample, samplesOf, type Things } from "../support/samples.ts";
import { served, until } from "../support/system.ts";
import { cardNumber, dataOf, linkBody, type TestAccount, type TestHook } from "../support/world.ts";

const { BSON } = mongoose.mongo;

/** Asks for the account's data, and fails like an HTTP client: the error holds the request. */
const RAIL = `
const sums = new Map();
export default () => ({
  name: "silent",
  test: true,
  returnWindowMs: 0,
  async submit(payment, instrument) {
    const { id, amountMinor, currency } = payment;
    sums.set(id, { amountMinor, currency });
    const { data } = await instrument();
    throw Object.assign(new Error("The bank did not answer"), { config: { data } });
  },
  query: async (id) => ({ kind: "settled", ...sums.get(id) }),
  cancel: async () => "no",
});
`;

/** The actions that may carry each kind, in the request (REQ) or the result (RES). */
const ON_NATS: Record<Kind, string[]> = {
  "account number": [
    "REQ accounts.linkAccount",
    "REQ accounts.linkInternational",
    "RES accounts.instrument",
    "RES accounts.exportEntity",
    "RES accounts.linkedAccounts",
  ],
  "account detail": [
    "REQ accounts.linkAccount",
    "REQ accounts.linkInternational",
    "RES accounts.instrument",
    "RES accounts.exportEntity",
    "RES accounts.linkedAccounts",
    "RES accounts.externalLinkedAccounts",
  ],
  "client secret": [
    "RES accounts.createBusiness",
    "RES accounts.createClient",
    "RES accounts.rotateClientSecret",
    "REQ accounts.issueToken",
  ],
  "access token": ["RES accounts.issueToken"],
  "application token": [
    "RES accounts.createApplicationToken",
    "REQ payouts.withdraw",
    "REQ accounts.linkInternational",
  ],
  "webhook secret": [
    "RES webhooks.createEndpoint",
    "RES webhooks.rotateSecret",
    "REQ payment-links.createLink",
    "REQ webhooks.createLinkEndpoint",
    "RES webhooks.createLinkEndpoint",
  ],
  "link token": [
    "RES payment-links.createLink",
    "RES payment-links.links",
    "RES payment-links.link",
    "RES payment-links.disableLink",
    "REQ payment-links.checkout",
    "REQ payment-links.pay",
    "REQ payment-links.continuePayment",
    "REQ payment-links.paymentState",
    "REQ payment-links.attempt",
    // A token of the wrong kind.
    "REQ accounts.linkInternational",
  ],
  "card number": ["REQ payment-links.createCardToken"],
};

/** The routes with answers that may carry each kind. */
const IN_ANSWERS: Record<Kind, string[]> = {
  "account number": ["exportEntity", "listLinkedAccounts"],
  "account detail": ["exportEntity", "listLinkedAccounts", "listExternalLinkedAccounts"],
  "client secret": [
    "createBusiness",
    "createApiClient",
    "createApiClientAsAdmin",
    "rotateApiClientSecret",
  ],
  "access token": ["createToken"],
  "application token": ["createApplicationToken"],
  "webhook secret": ["createWebhook", "rotateWebhookSecret"],
  "link token": ["createPaymentLink", "listPaymentLinks", "getPaymentLink", "disablePaymentLink"],
  "card number": [],
};

/** All stored fields of an account; the other data are in `sealed`. */
const STORED = [
  ...["_id", "businessId", "entityId", "entityType", "walletId", "applicationTokenId"],
  ...["currency", "optionType", "label", "nickName", "lastFour", "bankName"],
  ...["counterPartyName", "counterPartyEmail", "counterPublicPartyEmail"],
  ...["createdAt", "updatedAt", "unlinkedAt", "fingerprint", "sealed"],
  // Of these texts, for searches.
  ...["list", "keys", "folded"],
];

const planted = new Planted();
const digits = (length: number) =>
  Array.from(randomBytes(length), (byte) => String((byte % 9) + 1)).join("");

/** The search ignores the last four digits, because they may be shown. */
function plantNumber(lastFour: string): string {
  return planted.add("account number", digits(13)) + lastFour;
}

const plantText = (text: string) => planted.add("account detail", `${text} ${digits(9)}`);

/** The fields that the lists filter by and show stay readable: names, emails and bank names. */
const readable = {
  firstName: "Readablefirst",
  lastName: "Readablelast",
  email: "readable.private@example.com",
  publicEmail: "readable.public@example.com",
  bankName: "Readable Bank of Readers",
};
const { bankName: _, firstName, lastName, ...readableOfCard } = readable;

const bankData = (lastFour: string) => ({
  ...readable,
  accountNumber: plantNumber(lastFour),
  routingNumber: planted.add("account number", "322271627"),
  accountType: "CHECKING",
  recipientAddress: plantText("Secret Lane"),
  recipientCity: plantText("Secretville"),
  recipientState: plantText("Secretstate"),
  recipientPostalCode: plantText("SECRET"),
});

const cardData = (lastFourDigits: string) => ({
  ...readableOfCard,
  name: `${firstName} ${lastName}`,
  encryptedCardNumber: planted.add("account number", `vault_${digits(20)}`),
  lastFourDigits,
  cardBrand: "Visa",
  cardType: "debit",
  cardExpirationDate: "12/40",
});

/** Adds every secret of an answer to the searched ones. */
function plantSecretsOf({ body }: Answer): void {
  const { access_token: accessToken, data } = body ?? {};
  if (accessToken) planted.add("access token", accessToken);
  for (const [key, kind] of [
    ["clientSecret", "client secret"],
    ["secret", "webhook secret"],
  ] as const) {
    if (typeof data?.[key] === "string") planted.add(kind, data[key]);
  }
  if (data?.application?.token) planted.add("link token", data.application.token);
  // A card's token replaces its number in every place where the number is forbidden.
  const isCard = typeof data?.last4 === "string";
  const isWhole = typeof data?.token === "string" && !data.token.startsWith("****") && !isCard;
  if (isWhole) planted.add("application token", data.token);
}

let directory: string;
let cluster: Cluster;
let tap: NatsConnection;
let listener: ServiceBroker;
const messages: { subject: string; text: string }[] = [];
let things: Things;
let hook: TestHook;
const answers: { route: string; answer: Answer }[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "payrail-planted-"));
  const rail = join(directory, "rail.mjs");
  await writeFile(rail, RAIL);
  cluster = await startCluster({ LOG_LEVEL: "trace", RAILS: JSON.stringify({ RTP: rail }) });
  listener = createBroker(cluster.config, "listener");
  // NATS carries only events with a listener.
  listener.createService({ name: "listener", events: { "payout.status.changed"() {} } });
  await listener.start();
  tap = await connect(natsOptions(cluster.config));
  tap.subscribe(">", {
    callback: (_error, { subject, data }) =>
      messages.push({ subject, text: Buffer.from(data).toString("latin1") }),
  });
  await tap.flush();
  things = await makeThings(cluster);
  hook = await cluster.hook(things.business);
  plantTokens();
  await live();
});
afterAll(async () => {
  await tap?.close();
  await listener?.stop();
  await cluster?.stop();
  await rm(directory, { recursive: true, force: true });
});

function plantTokens(): void {
  const { business, user, linkToken } = things;
  planted.add("client secret", business.clientSecret);
  planted.add("link token", linkToken);
  planted.add("webhook secret", hook.secret);
  for (const token of [business.token, user.token]) plantAccessToken(token);
}

/** Without the signature the rest is no token, so only the signature is searched for. */
function plantAccessToken(token: string): string {
  planted.add("access token", token.split(".")[2] as string);
  return token;
}

const own = () => `/v1/business/${things.business.id}`;

async function post(route: string, path: string, body: unknown, token = things.business.token) {
  const answer = await cluster.http.post(path, body, { token });
  answers.push({ route, answer });
  plantSecretsOf(answer);
  return answer;
}

function link(optionType: string, data: Record<string, string>, more: object = {}) {
  const body = { optionType, walletId: things.wallet.id, data, ...more };
  return post("createLinkedAccount", `${own()}/linked-accounts/USD`, body);
}

async function linked(optionType: string, data: Record<string, string>): Promise<TestAccount> {
  return { id: dataOf(await link(optionType, data), 201).id, currency: "USD" };
}

/** An international account, after one that is refused for its BIC. */
async function linkedAbroad(): Promise<TestAccount> {
  const { publicEmail: _p, routingNumber: _r, accountType: _a, ...recipient } = bankData("6789");
  const swiftOrBic = planted.add("account detail", "WXYZUS3XABC");
  const kind = { recipientType: "personal", recipientCountry: "US" };
  const made = await post("createApplicationToken", `${own()}/application-tokens`, {
    tokenType: "ACCOUNT",
    entityId: things.user.id,
    currency: "USD",
  });
  const end = "linked-accounts/USD/link/international_bank/1";
  const path = `/v1/ext/application-token/${dataOf(made, 201).token}/${end}`;
  const linkAbroad = (bic: string, more: object = {}) => {
    const data = { ...recipient, ...kind, swiftOrBic: bic, ...more };
    return post("linkInternationalAccount", path, { label: "Abroad", data }, things.user.token);
  };
  const german = planted.add("account detail", "VWXYDEFXABC");
  expect((await linkAbroad(german)).status).toBe(400);
  const inGermany = { recipientCountry: "DE", accountNumber: iban("6789") };
  dataOf(await linkAbroad(german, inGermany), 200);
  return { id: dataOf(await linkAbroad(swiftOrBic), 200).id, currency: "USD" };
}

/** A German IBAN (ISO 13616), in groups of four. */
function iban(lastFour: string): string {
  const account = planted.add("account number", digits(14)) + lastFour;
  const check = 98n - (BigInt(`${account}131400`) % 97n);
  const whole = `de${String(check).padStart(2, "0")}${account}`;
  return whole.replaceAll(/.{4}(?=.)/g, "$& ");
}

/** The requests of a busy day. */
async function live(): Promise<void> {
  const bank = await linked("bank", bankData("6789"));
  const refused = await linked("bank", bankData("0004"));
  const card = await linked("card", cardData("4242"));
  const prepaid = await linked("prepaid_card", cardData("0005"));
  const wire = await linkedAbroad();
  hook.answerWith(500);
  const paidOut = cluster.withdraw(things.user, bank, { routingType: "RTP" });
  await until(() => hook.received.length > 0);
  hook.answerWith(200);
  await ends(paidOut, "SUCCESS");
  await ends(cluster.withdraw(things.user, bank), "SUCCESS");
  await ends(cluster.withdraw(things.user, refused), "FAILED");
  await ends(cluster.withdraw(things.user, card), "SUCCESS");
  await ends(cluster.withdraw(things.user, prepaid), "FAILED");
  await ends(cluster.withdraw(things.user, wire), "SUCCESS");
  await spendToken(bank);
  await useLinks();
  await provoke();
  await everyRoute();
  // Comes last, because each process needs a while to find the successor of the killed one.
  await outage();
}

async function ends(withdrawal: Promise<Answer>, status: string): Promise<void> {
  const answer = await withdrawal;
  answers.push({ route: "createWithdrawal", answer });
  const { id } = dataOf(answer, 200);
  await cluster.status(things.business, id, status);
  await until(() => hook.received.some(({ body }) => isEnd(body, id)), { awaited: "its webhook" });
}

function isEnd(
  { status, payload }: { status: string; payload: { transactionId?: string } },
  id: string,
): boolean {
  return payload.transactionId === id && ["SUCCESS", "FAILED"].includes(status);
}

async function spendToken(bank: TestAccount): Promise<void> {
  const fields = { tokenType: "PAYOUT", entityId: things.user.id, currency: "USD" };
  const answer = await post("createApplicationToken", `${own()}/application-tokens`, fields);
  const headers = { "x-application-token": dataOf(answer, 201).token as string };
  await ends(cluster.withdraw(things.user, bank, {}, headers), "SUCCESS");
  const again = await cluster.withdraw(things.user, bank, {}, headers);
  expect(again.status).toBe(400);
  answers.push({ route: "createWithdrawal", answer: again });
}

/** A link with its own webhook secret; its token is also sent in place of other kinds of tokens. */
async function useLinks(): Promise<void> {
  const webhookSecret = `whsec_${randomBytes(32).toString("base64")}`;
  planted.add("webhook secret", webhookSecret);
  const advancedConfig = { websiteUrl: "http://127.0.0.1:9", webhookPath: "/", webhookSecret };
  const fields = linkBody({ advancedConfig });
  const made = await post("createPaymentLink", "/v1/ext/collections/payment-link", fields);
  const { token } = dataOf(made, 200).application;
  const end = "linked-accounts/USD/link/international_bank/1";
  const path = `/v1/ext/application-token/${token}/${end}`;
  const linkedWith = await post("linkInternationalAccount", path, {}, things.user.token);
  expect(linkedWith.status).toBe(400);
  const number = cardNumber("4242");
  planted.add("card number", number);
  const card = { number, expMonth: 12, expYear: 2_099, cvc: "123" };
  dataOf(await post("createCardToken", "/v1/sandbox/card-tokens", card), 201);
}

/** Errors of every kind, with numbers and secrets in the wrong fields. */
async function provoke(): Promise<void> {
  const data = bankData("1111");
  const statuses: number[] = [];
  const took = ({ status }: Answer) => void statuses.push(status);
  took(await link("bank", { ...data, accountNumber: `${data.accountNumber}x` }));
  took(await link("bank", { ...data, routingNumber: data.accountNumber }));
  took(await link("card", { ...cardData("1111"), encryptedCardNumber: luhn(digits(15)) }));
  took(await link(data.accountNumber, data));
  took(await link("bank", data, { [data.accountNumber]: data.accountNumber }));
  took(await link("bank", data));
  const headers = { "x-application-token": planted.add("application token", secret()) };
  took(await cluster.withdraw(things.user, things.bank, {}, headers));
  const credentials = { grant_type: "client_credentials", client_id: things.business.clientId };
  const wrong = planted.add("client secret", secret());
  const asked = { ...credentials, client_secret: wrong };
  took(await post("createToken", "/v1/oauth/token", asked, ""));
  const forged = `${things.user.token.split(".").slice(0, 2).join(".")}.${secret()}`;
  took(await post("createLinkedAccount", `${own()}/linked-accounts/USD`, {}, forged));
  plantAccessToken(forged);
  const path = `/v1/ext/application-token/${headers["x-application-token"]}/nothing`;
  took(await cluster.http.get(path, { token: things.user.token }));
  const broken = `{"accountNumber": "${data.accountNumber}", `;
  const raw = { raw: broken, headers: { "content-type": "application/json" } };
  const place = `${own()}/linked-accounts/USD`;
  took(await cluster.http.request("POST", place, { token: things.business.token, ...raw }));
  expect(statuses).toEqual([400, 400, 400, 400, 201, 409, 400, 401, 401, 404, 400]);
}

/** A service that gets the request and answers too late; then one that dies of it. */
async function outage(): Promise<void> {
  const accounts = cluster.replicas.find(({ service }) => service === "accounts") as Replica;
  for (const end of ["SIGCONT", "SIGKILL"] as const) {
    const data = bankData("2222");
    // The gateway calls the process only after a recent heartbeat, and with a checked token.
    const { length } = messages;
    const isHeartbeat = ({ subject, text }: { subject: string; text: string }) =>
      subject.includes(".HEARTBEAT") && text.includes('"sender":"accounts.');
    await until(() => messages.slice(length).some(isHeartbeat), {
      awaited: "a heartbeat of accounts",
    });
    await until(async () => (await link("bank", {})).status === 400, {
      awaited: "a checked token",
    });
    accounts.signal("SIGSTOP");
    const unanswered = link("bank", data);
    await until(() => messages.some(({ text }) => text.includes(data.accountNumber)));
    if (end === "SIGKILL") accounts.signal("SIGKILL");
    expect((await unanswered).status).toBeGreaterThanOrEqual(500);
    if (end === "SIGCONT") accounts.signal("SIGCONT");
    await cluster.ready();
  }
}

const secret = () => randomBytes(32).toString("base64url");

/** The number with the check digit of cards. */
function luhn(number: string): string {
  planted.add("account number", number);
  const sum = Array.from(number, Number).reduce((total, digit, i) => {
    const doubled = i % 2 === 0 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return number + String((10 - (sum % 10)) % 10);
}

/** Calls every endpoint with its sample, the removing ones last. */
async function everyRoute(): Promise<void> {
  const samples = samplesOf(cluster, things);
  const table = routes(cluster.config);
  const last = ({ method }: { method: string }) => (method === "DELETE" ? 1 : 0);
  for (const route of table.toSorted((a, b) => last(a) - last(b))) {
    const { name, method } = route;
    const sample = samples[name] as Sample;
    if (sample.token) plantAccessToken(sample.token);
    const ask = () => sendSample(cluster, route, sample);
    // A service that answers slowly is unavailable for a moment.
    const answer = await (method === "GET" ? served(ask) : ask());
    expect([name, answer.status]).toEqual([name, sample.status]);
    answers.push({ route: name, answer });
    plantSecretsOf(answer);
  }
}

/** The kinds that were found in a forbidden place, without their values. */
function misplaced(place: string, text: string, allowed: (kind: Kind) => boolean = () => false) {
  const found = [...planted.in(text)].filter(([kind]) => !allowed(kind));
  return found.map(([kind, value]) => `${kind} ${value.slice(0, 4)}… in ${place}`);
}

test("the search finds every kind in every form", () => {
  const value = planted.add("account number", "7391826450913");
  for (const text of [
    value,
    "7391 8264-509.13",
    Buffer.from(value).toString("hex"),
    ...["", "x", "xy", "xyz"].flatMap((before) => [
      Buffer.from(before + value).toString("base64"),
      Buffer.from(`${before}${value}after`).toString("base64url"),
    ]),
  ]) {
    expect([...planted.in(`before${text}after`).values()]).toEqual([value]);
  }
});

test("the database has no planted text, and of accounts only the filter fields in the clear", async () => {
  const collections = await cluster.db.listCollections().toArray();
  const dumps = await Promise.all(
    collections.map(async ({ name }) => {
      const documents = await cluster.db.collection(name).find().toArray();
      const bytes = documents.map((document) => Buffer.from(BSON.serialize(document)));
      const text = `${BSON.EJSON.stringify(documents)}${Buffer.concat(bytes).toString("latin1")}`;
      return { name, text };
    }),
  );
  expect(dumps.flatMap(({ name, text }) => misplaced(`the collection ${name}`, text))).toEqual([]);
  const stored = await cluster.db.collection("linked_accounts").find().toArray();
  expect([...new Set(stored.flatMap(Object.keys))].toSorted()).toEqual(STORED.toSorted());
  const accounts = dumps.find(({ name }) => name === "linked_accounts")?.text ?? "";
  for (const clear of [
    `${readable.firstName} ${readable.lastName}`,
    readable.email,
    readable.publicEmail,
    readable.bankName,
    "6789",
    "4242",
  ]) {
    expect(accounts).toContain(clear);
  }
});

test("no process logs a planted text", () => {
  const logs = cluster.logs();
  for (const line of ["A rail failed", "request failed", "Call action on remote node"]) {
    expect(logs).toContain(line);
  }
  const wrong = logs.split("\n").flatMap((line) => misplaced(line.slice(0, 200), line));
  expect(wrong).toEqual([]);
});

/** The type of the packet on a subject, which may have the sender's two tokens before it. */
function packetType(subject: string): string {
  const [, first, , , type] = subject.split(".");
  return (first === "BY" ? type : first) as string;
}

test("on NATS only the necessary requests and results carry a planted text", () => {
  const actionOf = new Map<string, string>();
  const carriers = new Map<Kind, Set<string>>();
  const wrong: string[] = [];
  for (const { subject, text } of messages) {
    const type = packetType(subject);
    const kinds = [...planted.in(text).keys()];
    if (type !== "REQ" && type !== "RES") {
      wrong.push(...kinds.map((kind) => `${kind} in ${subject}`));
      continue;
    }
    const packet = JSON.parse(text) as { id: string; action?: string };
    if (packet.action) actionOf.set(packet.id, packet.action);
    const carrier = `${type} ${actionOf.get(packet.id)}`;
    for (const kind of kinds) {
      carriers.set(kind, (carriers.get(kind) ?? new Set()).add(carrier));
      if (!ON_NATS[kind].includes(carrier)) wrong.push(`${kind} in ${carrier}`);
    }
  }
  expect(wrong).toEqual([]);
  const types = new Set(messages.map(({ subject }) => packetType(subject)));
  expect([...types]).toEqual(expect.arrayContaining(["REQ", "RES", "EVENT", "INFO", "HEARTBEAT"]));
  // Every allowed action did carry its kind, so the list has no needless entry.
  for (const [kind, allowed] of Object.entries(ON_NATS) as [Kind, string[]][]) {
    expect([kind, [...(carriers.get(kind) ?? [])].toSorted()]).toEqual([kind, allowed.toSorted()]);
  }
});

test("no webhook carries a planted text", () => {
  expect(hook.received.length).toBeGreaterThan(10);
  for (const { text, headers } of hook.received) {
    expect(misplaced("a webhook", text + JSON.stringify(headers))).toEqual([]);
  }
});

test("only the documented answers carry whole numbers and secrets", () => {
  const carriers = new Map<Kind, Set<string>>();
  const wrong: string[] = [];
  for (const { route, answer } of answers) {
    const text = answer.text + JSON.stringify(answer.headers);
    wrong.push(...misplaced(route, text, (kind) => IN_ANSWERS[kind].includes(route)));
    for (const kind of planted.in(text).keys()) {
      carriers.set(kind, (carriers.get(kind) ?? new Set()).add(route));
    }
  }
  expect(wrong).toEqual([]);
  for (const [kind, allowed] of Object.entries(IN_ANSWERS) as [Kind, string[]][]) {
    expect([kind, [...(carriers.get(kind) ?? [])].toSorted()]).toEqual([kind, allowed.toSorted()]);
  }
});
