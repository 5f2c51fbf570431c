// Nodes of the previous release and of this one call each other during a rolling update
// (docs/change/versions.md), so today's contracts must agree with the previous release's.

import { contracts } from "../../shared/contracts/contracts.ts";
import { refused } from "../support/accepted.ts";
import { contractsOfToday, previousRelease, type ReleasedContracts } from "../support/release.ts";

const kept = () => previousRelease().contracts;

/** The differences by which two versions that run beside each other would misunderstand a call. */
function misunderstood(before: ReleasedContracts, now: ReleasedContracts): string[] {
  const lines: string[] = [];
  for (const [name, old] of Object.entries(before.actions)) {
    const action = now.actions[name];
    if (!action) {
      lines.push(`${name} is gone`);
      continue;
    }
    const say = (what: string, found: string[]) =>
      lines.push(...found.map((line) => `${name} ${what}: ${line}`));
    say("is called by the previous release with", refused(old.params, action.params));
    say("answers the previous release with", refused(action.result, old.result));
    say("is answered by the previous release with", refused(old.result, action.result));
    const unknown = action.errors.filter((type) => !before.errorTypes.includes(type));
    say("answers the previous release with the error", unknown);
  }
  for (const [name, payload] of Object.entries(before.events)) {
    const event = now.events[name];
    lines.push(
      ...(event
        ? [...refused(payload, event), ...refused(event, payload)].map((line) => `${name}: ${line}`)
        : [`${name} is gone`]),
    );
  }
  return lines;
}

const LISTS_BY_NUMBER = Object.entries(contracts)
  .filter(([, { params }]) => "order" in params)
  .map(([name]) => name);

/** The types of events that the previous release does not have. */
const TYPES = "FUNDING, ADJUSTMENT, TRANSFER, BALANCE";

/** Differences of the schemas by which no call is misunderstood. */
const HARMLESS = [
  // The previous release's gateway passes the merchant's own agent back unread.
  ...["payment-links.link", "payment-links.disableLink"].flatMap((name) =>
    ["type", "email", "name"].map(
      (text) => `${name} answers the previous release with: agent.${text}: may be missing`,
    ),
  ),
  // The previous release checks the key in the same way, which its schema does not say.
  ...["payment-links.pay", "payment-links.setup"].flatMap((name) =>
    ["pattern any, not ^[\\x21-\\x7e]+$", "minLength none, not 1"].map(
      (bound) => `${name} is called by the previous release with: idempotencyKey: ${bound}`,
    ),
  ),
  // Only webhooks lists these kinds, and the previous release does not ask it.
  ...["payouts", "payment-links"].map(
    (service) =>
      `${service}.attention answers the previous release with: items[].kind: webhook, delivery is not allowed`,
  ),
  // The previous release does not ask for an order, and by number the page is as it was.
  ...LISTS_BY_NUMBER.flatMap((name) =>
    ["page", "pageSize", "pageCount", "total"].map(
      (field) => `${name} answers the previous release with: meta.${field}: may be missing`,
    ),
  ),
  // Only a call with `withAddresses` meets it, and the previous release's gateway asks for none.
  "accounts.tokensFrom answers the previous release with: []: object, not number",
  // Only a request with `once` meets it, and the previous release's gateway takes none.
  ...["payment-links.pay", "payment-links.setup"].map(
    (name) => `${name} answers the previous release with the error: USED_RECENTLY`,
  ),
  // Operators rely on stops and limits once no process of the previous release is left.
  ...["BUSINESS_FROZEN", "ENTITY_FROZEN", "WALLET_FROZEN", "PAYOUTS_PAUSED", "LIMIT_EXCEEDED"].map(
    (type) => `payouts.withdraw answers the previous release with the error: ${type}`,
  ),
  // The previous release passes reasons and phone numbers on without a look at their lengths.
  ...["payouts", "payment-links"].map(
    (service) =>
      `${service}.attention answers the previous release with: items[].reason: maxLength 500, not 256`,
  ),
  ...[
    ["payment-links.payments", "items[].customer"],
    ["payment-links.payment", "customer"],
    ["payment-links.subscriptions", "items[].customer"],
    ["payment-links.subscription", "customer"],
    ["payment-links.setSeats", "customer"],
    ["payment-links.cancelSubscription", "customer"],
    ...["accounts.exportEntity", "payment-links.exportCustomer"].flatMap((name) =>
      ["payments", "subscriptions"].map((data) => [name, `${data}[].customer`]),
    ),
  ].map(
    ([name, customer]) =>
      `${name} answers the previous release with: ${customer}.phone: maxLength 48, not 32`,
  ),
  // The previous release passes the metadata of transactions on unread.
  ...[
    ...["wallet-ledger.fund", "wallet-ledger.funding", "payouts.transaction", "payouts.cancel"],
    ...["payouts.resolve", "payouts.retry", "payment-links.transaction"],
    ...["payment-links.resolve", "payment-links.retry"],
    ...["wallet-ledger.fundings", "payouts.transactions", "payment-links.transactions"].map(
      (name) => `${name} items[]`,
    ),
    "accounts.exportEntity withdrawals[]",
  ].flatMap((transaction) => {
    const [name, path = ""] = transaction.split(" ");
    const field = `${path && `${path}.`}metadata`;
    return ["itemDeliveryAddress", "customData", "fields"].map(
      (text) => `${name} answers the previous release with: ${field}.${text}: may be missing`,
    );
  }),
  // The previous release passes flows of transactions and kinds of what is found on unread.
  ...[
    ...["wallet-ledger.fund", "wallet-ledger.funding", "payouts.transaction", "payouts.cancel"],
    ...["payouts.resolve", "payouts.retry", "payment-links.transaction"],
    ...["payment-links.resolve", "payment-links.retry"],
    ...["wallet-ledger.fundings", "payouts.transactions", "payment-links.transactions"].map(
      (name) => `${name} items[]`,
    ),
    "accounts.exportEntity withdrawals[]",
  ].map((transaction) => {
    const [name, path = ""] = transaction.split(" ");
    const field = `${path && `${path}.`}flow`;
    return `${name} answers the previous release with: ${field}: TRANSFER, ADJUSTMENT is not allowed`;
  }),
  ...["accounts", "wallet-ledger", "payouts", "payment-links", "webhooks"].map(
    (service) =>
      `${service}.whereIs answers the previous release with: kind: adjustment is not allowed`,
  ),
  // Operators pause no business while processes of the previous release run, which would not obey
  // (docs/change/versions.md).
  "payment-links.checkout answers the previous release with: status: PAUSED is not allowed",
  ...["payment-links.pay", "payment-links.setup"].map(
    (name) => `${name} answers the previous release with the error: COLLECTIONS_PAUSED`,
  ),
  // It comes as LINKED_ACCOUNT_NOT_FOUND, with the exact type beside it.
  "payouts.withdraw answers the previous release with the error: LINKED_ACCOUNT_NOT_YOURS",
  // The previous release passes the types of events on unread.
  ...[
    ...["createEndpoint", "createLinkEndpoint", "endpoint", "updateEndpoint", "enableEndpoint"],
    "rotateSecret",
  ].flatMap((name) => withTypes(name, "eventTypes")),
  ...withTypes("endpoints", "items[].eventTypes"),
  ...[
    ["deliveries", "items[].eventType"],
    ["delivery", "eventType"],
    ["replayDelivery", "eventType"],
    ["deliveriesOf", "[].eventType"],
    ["events", "items[].eventType"],
    ["event", "eventType"],
  ].map(
    ([name, field]) =>
      `webhooks.${name} answers the previous release with: ${field}: ${TYPES} is not allowed`,
  ),
];

/** The differences that more types make to a list of types. */
function withTypes(name: string, field: string): string[] {
  const answers = `webhooks.${name} answers the previous release with: ${field}`;
  return [`${answers}: maxItems 13, not 9`, `${answers}[]: ${TYPES} is not allowed`];
}

test("this release and the previous one understand each other's calls and events", () => {
  const found = misunderstood(kept(), contractsOfToday());
  expect(found.filter((line) => !HARMLESS.includes(line))).toEqual([]);
});

const withdraw = (all: ReleasedContracts) =>
  // biome-ignore lint/suspicious/noExplicitAny: the tests change schemas of every shape
  all.actions["payouts.withdraw"] as any;

test.each<[string, (now: ReleasedContracts) => void, string]>([
  [
    "a removed action",
    ({ actions }) => delete actions["payouts.withdraw"],
    "payouts.withdraw is gone",
  ],
  [
    "a parameter that is required from now on",
    (now) => withdraw(now).params.required.push("applicationToken"),
    "payouts.withdraw is called by the previous release with: applicationToken: may be missing",
  ],
  [
    "a field of an answer that may be missing from now on",
    (now) => withdraw(now).result.required.splice(0, 1),
    "payouts.withdraw answers the previous release with: message: may be missing",
  ],
  [
    "a field of an answer that the previous release does not send",
    (now) => withdraw(now).result.required.push("colour"),
    "payouts.withdraw is answered by the previous release with: colour: may be missing",
  ],
  [
    "an error that the previous release does not know",
    (now) => withdraw(now).errors.push("TOO_BLUE"),
    "payouts.withdraw answers the previous release with the error: TOO_BLUE",
  ],
  [
    "a removed event",
    ({ events }) => delete events["payout.status.changed"],
    "payout.status.changed is gone",
  ],
])("%s is named", (_, change, line) => {
  const now = kept();
  change(now);
  expect(misunderstood(kept(), now)).toEqual([line]);
});

test("a further optional parameter, field and action are understood", () => {
  const now = kept();
  withdraw(now).params.properties.colour = { type: "string" };
  withdraw(now).result.properties.colour = { type: "string" };
  now.actions["payouts.paint"] = withdraw(now);
  expect(misunderstood(kept(), now)).toEqual([]);
});
