// A catalogue of damages to a database. Each changes one document or one index, can be undone, and
// lists the verification rules and the texts that must report it.

import type { mongo } from "mongoose";
import type { Rule } from "../../../tools/verify/findings.ts";
import type { Damage } from "../../support/damage.ts";
import type { Lived } from "../../support/lived.ts";
import type { Random } from "../../support/traffic.ts";
import { damagedIndexes } from "./damaged-indexes.ts";

type Filter = mongo.Filter<mongo.Document>;
type Update = Record<string, Record<string, unknown>>;

const YEAR_MS = 365 * 86_400_000;
const FAR_MS = 500 * YEAR_MS;

/** All damages, built from the documents of a database. */
export async function catalogue(lived: Lived, random: Random): Promise<Damage[]> {
  const all = [
    ...undriven(lived),
    ...ownership(lived),
    ...spentTokens(lived),
    ...destinations(lived),
    ...histories(lived),
    ...webhooks(lived),
    ...usage(lived),
    ...money(lived),
    ...limits(lived),
  ];
  return [...all, ...(await damagedIndexes(lived, random))];
}

/** A damage to the matching document; null as the update removes the document. */
function to(
  { db }: Lived,
  collection: string,
  filter: Filter,
  update: Update | null,
  rules: Rule | Rule[],
  ...words: string[]
): Damage {
  const documents = db.collection(collection);
  const change = update ? JSON.stringify(update, shown) : "gone";
  return {
    name: `${collection} ${JSON.stringify(filter)}: ${change}`,
    place: collection,
    rules: [rules].flat(),
    words,
    async make() {
      const before = await documents.findOne(filter);
      if (!before) throw new Error(`${collection} has no ${JSON.stringify(filter)}`);
      const own = { _id: before._id };
      if (update) await documents.updateOne(own, update);
      else await documents.deleteOne(own);
      return () => documents.replaceOne(own, before, { upsert: true });
    },
  };
}

function shown(_field: string, value: unknown): unknown {
  return typeof value === "number" && Number.isNaN(value) ? "NaN" : value;
}

const byId = (id: string): Filter => ({ _id: id as never });

type DrivenKind = [string, Filter, base: Record<string, unknown>, field: string, isDate?: boolean];

/**
 * Every kind of document that the service drives, with each due time at which it is never driven.
 */
function undriven(lived: Lived): Damage[] {
  const { id } = lived;
  const pending = { status: "PENDING" };
  const untold = { relayed: 0 };
  const begun = { step: "post", status: "PENDING", states: [], relayed: 0 };
  const asked = { step: "ask", status: "PENDING", states: [], relayed: 0 };
  const replay = { "replay.id": "replay", "replay.after": "0", "replay.until": "9" };
  const far = Date.now() + FAR_MS;
  const at = (isDate: boolean) => (isDate ? new Date(far) : far);
  const requests: [string, Filter][] = [
    ["ledger_transfers", byId(id("transfer"))],
    ["ledger_fundings", { walletId: id("wallet") }],
    ["ledger_adjustments", byId(id("adjustment"))],
    ["ledger_wallet_transfers", byId(id("wallet transfer"))],
  ];
  const kinds: DrivenKind[] = [
    ["payouts", byId(id("pending")), {}, "nextAttemptAt"],
    ["payments", byId(id("payment")), begun, "nextAttemptAt"],
    ["payment_refunds", byId(id("refund")), asked, "nextAttemptAt"],
    ["subscriptions", byId(id("trial")), {}, "nextAttemptAt"],
    ["subscriptions", byId(id("subscription")), {}, "dueAt"],
    ["subscriptions", byId(id("tried")), {}, "dueAt"],
    ["billing_clocks", byId(id("business")), { step: "run" }, "nextAttemptAt"],
    ["payouts", byId(id("paid")), untold, "relayAt"],
    ["payments", byId(id("payment")), untold, "relayAt"],
    ["payment_refunds", byId(id("refund")), untold, "relayAt"],
    ["subscriptions", byId(id("subscription")), untold, "relayAt"],
    ["invoices", { subscriptionId: id("subscription") }, untold, "relayAt"],
    ...requests.map((request): DrivenKind => [...request, begun, "nextAttemptAt"]),
    // An account's transfer has no events.
    ...requests.slice(1).map((request): DrivenKind => [...request, untold, "relayAt"]),
    ["webhook_deliveries", { ...pending, held: false }, {}, "nextAttemptAt", true],
    ["webhook_endpoints", byId(id("hook")), replay, "replay.due", true],
  ];
  const damages = kinds.flatMap(([collection, filter, base, field, isDate = false]) => {
    const rules: Rule[] = field === "dueAt" ? ["driven", "billing"] : ["driven"];
    // The `states` rule reports an outbox without a due time, not the `driven` rule.
    const unset: Rule[] = field === "relayAt" ? ["states"] : rules;
    const wrong = [Number.NaN, "soon", at(isDate)].map((value) => ({ ...base, [field]: value }));
    const named = idIn(filter);
    return [
      to(lived, collection, filter, { ...setting(base), $unset: { [field]: "" } }, unset, ...named),
      ...wrong.map((each) => to(lived, collection, filter, setting(each), rules, ...named)),
    ];
  });
  const invoices = [Number.NaN, "soon", far].map((nextAttemptAt) =>
    to(lived, "invoices", { subscriptionId: id("tried") }, setting({ nextAttemptAt }), "driven"),
  );
  const steps = [null, Number.NaN, "soon", far].map((stepAt) =>
    to(lived, "payouts", byId(id("pending")), setting({ stepAt }), "driven", id("pending")),
  );
  // The previous release stores no steps, and finds its own requests by their age.
  const earlier = requests
    .slice(0, 2)
    .flatMap(([collection, filter]) => [
      to(
        lived,
        collection,
        filter,
        { $set: pending, $unset: { step: "", createdAt: "" } },
        "driven",
      ),
      ...[Number.NaN, "soon", at(true)].map((createdAt) =>
        to(
          lived,
          collection,
          filter,
          { $set: { ...pending, createdAt }, $unset: { step: "" } },
          "driven",
        ),
      ),
    ]);
  return [
    ...damages,
    ...earlier,
    ...invoices,
    ...steps,
    to(
      lived,
      "billing_clocks",
      byId(id("business")),
      { $inc: { until: 1 } },
      "driven",
      id("business"),
    ),
  ];
}

function setting($set: Record<string, unknown>): Update {
  return Object.keys($set).length > 0 ? { $set } : {};
}

function idIn(filter: Filter): string[] {
  return typeof filter._id === "string" ? [filter._id] : [];
}

/** Damages to the owners in documents. */
function ownership(lived: Lived): Damage[] {
  const { id } = lived;
  const fields: [collection: string, filter: Filter, fields: string[], rule: Rule | Rule[]][] = [
    ["entities", byId(id("user")), ["businessId"], "owners"],
    ["entities", byId(id("business")), ["businessId"], "owners"],
    ["api_clients", { businessId: id("business") }, ["businessId"], "owners"],
    [
      "ledger_accounts",
      byId(id("wallet")),
      ["businessId", "entityId", "currency", "type"],
      ["owners", "accounts"],
    ],
    [
      "linked_accounts",
      byId(id("account of paid")),
      ["businessId", "entityId", "walletId", "currency", "entityType"],
      "owners",
    ],
    ["linked_accounts", byId(id("account of failed")), ["entityId", "walletId"], "owners"],
    [
      "application_tokens",
      { claimedFor: id("by token") },
      ["businessId", "entityId", "currency"],
      ["owners", "tokens"],
    ],
    [
      "payouts",
      byId(id("paid")),
      ["businessId", "entityId", "entityType", "walletId", "linkedAccountId"],
      ["owners"],
    ],
    ["payouts", byId(id("failed")), ["linkedAccountId", "entityId"], "owners"],
    ["payouts", byId(id("by token")), ["walletId"], ["owners", "tokens"]],
    [
      "payouts",
      byId(id("by merchant")),
      ["entityId", "walletId", "linkedAccountId", "payeeId"],
      "owners",
    ],
    ["ledger_fundings", { walletId: id("wallet") }, ["businessId", "entityId"], "owners"],
    [
      "ledger_adjustments",
      byId(id("adjustment")),
      ["businessId", "entityId", "walletId"],
      "owners",
    ],
    [
      "ledger_wallet_transfers",
      byId(id("wallet transfer")),
      ["businessId", "entityId", "walletId", "toWalletId"],
      ["owners", "transit"],
    ],
    [
      "ledger_transfers",
      byId(id("transfer")),
      ["businessId", "accountId", "walletId"],
      ["owners", "transit"],
    ],
    [
      "payment_links",
      byId(id("link of payment")),
      ["businessId", "collectionAccountId", "createdBy", "terms.currency"],
      "owners",
    ],
    ["payment_methods", { subscriptionId: id("subscription") }, ["businessId"], "owners"],
    ["webhook_endpoints", byId(id("hook")), ["businessId"], "owners"],
    ["billing_clocks", byId(id("business")), ["businessId"], "owners"],
    ["payments", byId(id("payment")), ["businessId", "collectionAccountId", "linkId"], "holds"],
    ["payment_refunds", byId(id("refund")), ["businessId", "paymentId"], "refunded"],
    ["subscriptions", byId(id("subscription")), ["businessId", "linkId"], "billing"],
    ["invoices", { subscriptionId: id("tried") }, ["businessId", "linkId"], "invoices"],
    ["usage_log", { subscriptionId: id("usage"), seq: 0 }, ["businessId"], "usage"],
  ];
  const payers = [
    ["by merchant", "wallet"],
    ["by merchant for user", "otherWallet"],
    ["by merchant for user", "own"],
  ] as const;
  return [
    ...fields.flatMap(([collection, filter, names, rule]) =>
      names.map((name) =>
        to(lived, collection, filter, { $set: { [name]: "another" } }, rule, "another"),
      ),
    ),
    ...payers.map(([name, wallet]) =>
      to(lived, "payouts", byId(id(name)), setting({ walletId: id(wallet) }), "owners", id(name)),
    ),
    to(lived, "payouts", byId(id("by merchant")), { $unset: { payeeId: "" } }, "owners"),
  ];
}

function spentTokens(lived: Lived): Damage[] {
  const { id } = lived;
  const spent = { claimedFor: id("by token") };
  const funded = { claimedFor: id("by merchant's token") };
  const tokens = (filter: Filter, update: Update | null, ...named: string[]) =>
    to(lived, "application_tokens", filter, update, "tokens", ...named);
  return [
    tokens(spent, { $set: { claimedFor: null } }, id("by token"), "again"),
    tokens(spent, { $set: { claimedFor: id("paid") } }, id("by token")),
    tokens(spent, { $set: { hash: "another" } }, id("by token"), "not there"),
    tokens(spent, null, id("by token"), "not there"),
    tokens(spent, { $set: { amountMinor: 1 } }, id("by token"), "amount"),
    tokens(funded, { $set: { merchantWalletId: null } }, id("by merchant's token"), "wallet"),
    tokens({ "releasedFor.0": { $exists: true } }, setting({ claimedFor: "nothing" }), "nothing"),
    {
      ...tokens({ "releasedFor.0": { $exists: true } }, {}, "declined"),
      name: "a token that is spent by the payout that gave it back",
      async make() {
        const documents = lived.db.collection("application_tokens");
        const token = await documents.findOne({ "releasedFor.0": { $exists: true } });
        const own = { _id: token?._id };
        await documents.updateOne(own, { $set: { claimedFor: token?.releasedFor[0] } });
        return () => documents.updateOne(own, { $set: { claimedFor: null } });
      },
    },
    to(
      lived,
      "payouts",
      byId(id("by token")),
      { $unset: { tokenHash: "" } },
      "tokens",
      "no payout",
    ),
    to(lived, "payouts", byId(id("by token")), setting({ tokenHash: "another" }), "tokens"),
    to(lived, "payouts", byId(id("paid")), setting({ tokenHash: "another" }), "tokens", id("paid")),
  ];
}

/** Damages to the destination of money, at the payout and at its linked account. */
function destinations(lived: Lived): Damage[] {
  const { id } = lived;
  return ["paid", "failed", "pending", "by token"].flatMap((name) => {
    const account = name === "by token" ? id("account") : id(`account of ${name}`);
    return [{ optionType: "card" }, { lastFour: "9999" }, { fingerprint: "another" }].flatMap(
      (set) => [
        to(lived, "payouts", byId(id(name)), { $set: set }, "owners", id(name)),
        to(lived, "linked_accounts", byId(account), { $set: set }, "owners", id(name)),
      ],
    );
  });
}

/** Seats, plans and due dates that contradict a subscription's history. */
function histories(lived: Lived): Damage[] {
  const { id } = lived;
  const day = 86_400_000;
  const of = (name: string, update: Update, ...named: string[]) =>
    to(lived, "subscriptions", byId(id(name)), update, "billing", id(name), ...named);
  return [
    of("seats", { $set: { seats: 9 } }, "seats"),
    of("seats", { $set: { changes: [] } }, "seats"),
    of("seats", { $set: { "changes.0.to": 5 } }, "seats"),
    of("seats", { $set: { "changes.0.from": 5 } }, "seats"),
    of("seats", { $set: { seats: 5, "changes.0.to": 5 } }),
    of("subscription", { $inc: { dueAt: 30 * day } }, "due"),
    of("subscription", { $inc: { dueAt: -1 } }, "due"),
    of("tried", { $inc: { dueAt: day } }, "due"),
    of("trial", { $inc: { dueAt: day } }, "due"),
    of("trial", { $inc: { anchorAt: day } }, "due"),
    of("usage", { $inc: { dueAt: YEAR_MS } }, "due"),
    of("subscription", { $inc: { boundary: 1 } }),
    of("subscription", { $inc: { anchorAt: -day } }),
    of("subscription", { $set: { "plan.amountMinor": 1 } }),
    of("subscription", { $set: { "plan.charge.interval.count": 2 } }),
    of("seats", { $set: { "plan.charge.seatDetails.costPerSeat": 1 } }),
    of("usage", { $set: { "plan.charge.consumptionDetails.costPerUnit": 1 } }),
    of("subscription", { $set: { methodId: "another" } }),
    of("tried", { $set: { "collecting.attempt": 5 } }),
    of("tried", { $set: { "collecting.invoiceId": "another" } }),
    to(lived, "invoices", { nextTryAt: { $exists: true } }, { $inc: { nextTryAt: 1 } }, ["states"]),
    to(
      lived,
      "invoices",
      { nextTryAt: { $exists: true } },
      { $unset: { nextTryAt: "" } },
      "states",
    ),
    to(lived, "invoices", { subscriptionId: id("subscription") }, null, "billing"),
    to(lived, "payment_methods", { subscriptionId: id("usage") }, null, "billing", id("usage")),
  ];
}

function webhooks(lived: Lived): Damage[] {
  const { id } = lived;
  const delivered = { status: "DELIVERED", endpointId: id("hook"), transactionId: id("paid") };
  const pending = { status: "PENDING", held: false, endpointId: id("failing hook") };
  const event = { transactionId: id("paid"), seq: 3 };
  const delivery = (filter: Filter, update: Update | null, ...named: string[]) =>
    to(lived, "webhook_deliveries", filter, update, "deliveries", ...named);
  const old = new Date(Date.now() - YEAR_MS);
  return [
    delivery(delivered, null, "no delivery"),
    delivery(pending, null, "no delivery"),
    delivery(delivered, { $set: { deadLetterReason: "exhausted" } }),
    delivery(delivered, { $set: { status: "DEAD_LETTER" } }),
    delivery(delivered, { $set: { status: "DONE" } }),
    delivery(delivered, { $set: { attempts: [] } }, "2xx"),
    delivery(delivered, { $set: { nextAttemptAt: new Date() } }, "next attempt"),
    delivery(delivered, { $set: { claim: "another" } }, "claimed"),
    delivery(delivered, { $set: { createdAt: old } }, "created"),
    delivery(delivered, { $set: { createdAt: "today" } }, "created"),
    delivery(delivered, { $set: { endpointId: "another" } }, "another"),
    delivery(delivered, { $set: { eventId: "another" } }, "another"),
    delivery(delivered, { $set: { businessId: "another" } }, "another"),
    delivery(delivered, { $set: { transactionId: "another" } }, "another"),
    delivery(delivered, { $set: { eventType: "another" } }, "another"),
    delivery(delivered, { $set: { seq: 9 } }, "seq"),
    delivery(pending, { $set: { status: "DELIVERED", nextAttemptAt: null } }, "2xx"),
    delivery(pending, { $set: { status: "DEAD_LETTER", nextAttemptAt: null } }, "no reason"),
    delivery(pending, { $set: { failures: 9 } }, "failed 9 times"),
    delivery(pending, { $set: { failures: -1 } }, "failed -1 times"),
    delivery(pending, { $set: { failingSince: null } }, "no time"),
    to(lived, "webhook_events", event, null, "events", id("paid")),
    to(lived, "webhook_events", event, { $set: { endpointIds: [] } }, "deliveries"),
    to(lived, "webhook_events", event, { $push: { endpointIds: "another" } }, "deliveries"),
    to(lived, "webhook_events", event, { $set: { at: old } }, "events", "time"),
    to(lived, "webhook_events", event, { $set: { at: "then" } }, "events", "time"),
    to(lived, "webhook_events", event, { $set: { body: "{}" } }, "events"),
  ];
}

function usage(lived: Lived): Damage[] {
  const open = { subscriptionId: lived.id("usage") };
  const entry = (reference: string) => ({ ...open, reference });
  const log = (filter: Filter, update: Update | null) =>
    to(lived, "usage_log", filter, update, "usage");
  return [
    log(entry("second"), null),
    log(entry("first"), null),
    log(entry("january"), null),
    log({ ...open, closes: 0 }, null),
    log(entry("second"), { $set: { units: "1" } }),
    log(entry("second"), { $set: { period: 9 } }),
    log(entry("second"), { $set: { open: 9 } }),
    log(entry("second"), { $set: { periods: {} } }),
    log({ ...open, closes: 0 }, { $set: { "closed.units": "1" } }),
    to(lived, "subscriptions", byId(lived.id("usage")), { $inc: { usageEntries: 1 } }, "usage"),
  ];
}

/** Damages to the counter of the business's limit, and to what its payouts say about it. */
function limits(lived: Lived): Damage[] {
  const [paid, failed, returned, pending] = ["paid", "failed", "returned", "pending"].map(lived.id);
  const counter = (update: Update | null, ...named: string[]) =>
    to(lived, "payout_limit_counters", {}, update, "limits", ...named);
  const payout = (id: string | undefined, update: Update) =>
    to(lived, "payouts", byId(id as string), update, "limits");
  return [
    counter({ $inc: { usedMinor: 1 } }),
    counter({ $inc: { count: -1 } }),
    counter({ $set: { [`marks.${pending}`]: "out" } }),
    counter({ $set: { [`marks.${failed}`]: "in" } }),
    counter(null, "not there"),
    payout(paid, { $unset: { isCounted: "" } }),
    payout(paid, { $set: { counted: [] } }),
    payout(returned, { $set: { "states.2.status": "FAILED" } }),
  ];
}

function money(lived: Lived): Damage[] {
  const { id } = lived;
  const payout = byId(id("paid"));
  /** Damages to a request of the ledger, and to one that was declined. */
  const moved = (collection: string, name: string, rule: Rule): Damage[] => {
    const declined = { status: "FAILED" };
    return [
      to(lived, collection, byId(id(name)), { $inc: { amountMinor: 1 } }, "postings"),
      to(lived, collection, byId(id(name)), null, "postings"),
      to(lived, collection, byId(id(name)), setting(declined), [rule, "states"], id(name)),
      to(lived, collection, byId(id(name)), { $unset: { balanceMinor: "" } }, "states", id(name)),
      to(lived, collection, declined, setting({ status: "SUCCESS" }), [rule, "states"]),
      to(lived, collection, declined, { $unset: { declined: "" } }, "states"),
    ];
  };
  return [
    to(lived, "payouts", payout, { $inc: { amountMinor: 1 } }, "postings", id("paid")),
    to(lived, "payouts", payout, { $set: { step: "submit" } }, "states", id("paid")),
    to(lived, "payouts", payout, null, "postings", id("paid")),
    to(lived, "payouts", byId(id("failed")), { $set: { status: "SUCCESS" } }, "states"),
    to(lived, "payments", byId(id("payment")), { $inc: { feesMinor: 1 } }, "postings"),
    to(lived, "payments", byId(id("payment")), { $unset: { holds: "" } }, "holds"),
    to(lived, "payments", byId(id("payment")), null, "postings"),
    to(lived, "payments", byId(id("refunded payment")), { $set: { refunds: [] } }, "refunded"),
    to(lived, "payment_refunds", byId(id("refund")), { $inc: { amountMinor: 1 } }, "refunded"),
    to(lived, "payment_refunds", byId(id("refund")), null, "refunded"),
    to(
      lived,
      "ledger_fundings",
      { walletId: id("wallet") },
      { $inc: { amountMinor: 1 } },
      "postings",
    ),
    to(lived, "ledger_fundings", { walletId: id("wallet") }, null, "postings"),
    to(lived, "ledger_transfers", byId(id("transfer")), null, "postings"),
    ...moved("ledger_adjustments", "adjustment", "adjustments"),
    ...moved("ledger_wallet_transfers", "wallet transfer", "transit"),
    to(lived, "ledger_adjustments", byId(id("adjustment")), setting({ direction: "CREDIT" }), [
      "postings",
      "adjustments",
    ]),
    to(lived, "ledger_accounts", byId(id("own")), { $inc: { "checkpoint.balance": 1 } }, [
      "checkpoints",
    ]),
    to(lived, "ledger_accounts", byId(id("own")), null, "accounts"),
    to(lived, "ledger_blocks", { "transfers.wallet": id("wallet") }, { $inc: { at: 1 } }, "hashes"),
    to(lived, "ledger_blocks", { n: 1 }, null, ["numbers", "links"]),
    to(lived, "ledger_watermarks", { _id: 0 as never }, null, "watermarks"),
    to(lived, "invoices", { subscriptionId: id("tried") }, { $inc: { totalMinor: 1 } }, "invoices"),
    to(lived, "invoices", { subscriptionId: id("tried") }, { $inc: { number: 99 } }, "invoices"),
    to(lived, "invoice_counts", byId(id("business")), { $set: { last: 0 } }, "invoices"),
    to(lived, "payment_links", byId(id("link of payment")), null, "holds"),
  ];
}
