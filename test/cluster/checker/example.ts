// The evidence of a small run without a violation, made by hand, for the tests of the checker: a
// wallet is funded with 100.00, pays out 10.00 and, in vain, 20.00; a customer pays 25.00 and gets
// 5.00 back; a subscription is renewed once. Two transfers of 60.00 race for 100.00, and an operator
// corrects their wallet by 10.00, freezes the first wallet's owner, and limits what is paid out.

import type { Arrival } from "../outside/books.ts";
import type { Entry } from "../workload/history.ts";
import type { Evidence } from "./evidence.ts";

export const WALLET = "wallet";
export const COLLECTION = "collection";
const RACED = "raced";
const SELLER = "seller";

type Asked = Pick<Entry, "kind" | "op" | "about" | "from"> & Partial<Entry>;

/** A request that was answered in a millisecond. */
export function entry(asked: Asked): Entry {
  const at = { client: "ann", gateway: "gateway-0", method: "POST", path: "/" };
  return { ...at, until: asked.from + 1, status: 200, ...asked };
}

export function arrival(
  at: number,
  id: string,
  event: { eventType: string; status: string; payload: object },
): Arrival {
  const text = JSON.stringify(event);
  return { at, receiver: "shop", id, isSigned: true, text, answered: 200 };
}

const ofPayout = (at: number, transactionId: string, status: string) =>
  arrival(at, `${transactionId} ${status}`, {
    ...{ eventType: "WITHDRAWAL", status, payload: { transactionId } },
  });

const ofLedger = (at: number, transactionId: string, eventType: string) =>
  arrival(at, transactionId, { eventType, status: "SUCCEEDED", payload: { transactionId } });

const posted = (
  id: string,
  kind: string,
  account: string,
  amountMinor: number,
  balance: number,
) => ({
  ...{ id, kind, wallet: account, balance, outcome: "committed" as const },
  legs: [
    [account, amountMinor],
    ["0:outside:USD", -amountMinor],
  ] as [string, number][],
});

const line = (transactionId: string, kind: string, amountMinor: number, balanceMinor: number) => ({
  ...{ id: `${transactionId} ${kind}`, transactionId, kind },
  entry: amountMinor < 0 ? "DEBIT" : "CREDIT",
  amount: (Math.abs(amountMinor) / 100).toFixed(2),
  balance: (balanceMinor / 100).toFixed(2),
});

const withdrawal = (op: string, amountMinor: number) => ({
  ...{ kind: "withdraw" as const, op, key: op },
  about: { account: WALLET, amountMinor, method: "ACH" },
});

/** A withdrawal without a key. */
const unpaid = (op: string) => ({ ...withdrawal(op, 2_000), key: undefined as never });

const raced = (op: string) => ({
  ...{ kind: "move" as const, op, from: 2_100, status: 201 },
  about: { account: RACED, to: SELLER, amountMinor: 6_000, race: "r1" },
});

const frozen = (from: number, what: string) =>
  entry({
    ...{ kind: "control", op: `frozen ${what}`, about: { business: "shop", subject: "ann", what } },
    from,
  });

const limited = (from: number, limits: object[]) =>
  entry({
    ...{ kind: "limits", op: `limits ${from}`, about: { business: "shop", by: "operator" } },
    ...{ from, request: { limits } },
  });

const balance = (from: number, id: string, decimal: string) =>
  entry({
    kind: "balance",
    op: id,
    about: { account: id },
    from,
    body: { data: { id, balance: decimal } },
  });

export function makeEvidence(): Evidence {
  const card = "card_pay_good";
  const payAbout = {
    account: COLLECTION,
    link: "l1",
    card,
    amountMinor: 2_500,
    customerPays: 0,
    isOnce: 1,
  };
  const accepted = (id: string, amount: string) => ({
    data: { id, status: "PENDING", fees: "0.25", amount },
  });
  return {
    history: [
      limited(-20_000, []),
      entry({
        ...{ kind: "fund", op: "f1", about: { account: WALLET, amountMinor: 10_000 }, from: 100 },
        ...{ status: 201, body: { data: { id: "f1", status: "SUCCESS" } } },
      }),
      entry({ ...withdrawal("w1", 1_000), from: 200, status: 0, error: "ECONNRESET" }),
      entry({ ...withdrawal("w1", 1_000), from: 210, body: accepted("p1", "10.25") }),
      balance(220, WALLET, "89.75"),
      entry({ ...withdrawal("w2", 2_000), from: 300, body: accepted("p2", "20.25") }),
      balance(310, WALLET, "69.50"),
      entry({
        ...{ ...withdrawal("w3", 7_000), from: 320, status: 400 },
        body: { code: "insufficient_funds" },
      }),
      entry({
        ...{ kind: "transaction", op: "p1", about: { transaction: "p1" }, from: 500 },
        body: { data: { id: "p1", status: "SUCCESS" } },
      }),
      balance(600, WALLET, "89.75"),
      entry({
        ...{ kind: "statement", op: WALLET, about: { account: WALLET }, from: 610 },
        body: {
          data: [line("p2", "payout-reversal", 2_025, 8_975), line("p2", "payout", -2_025, 6_950)],
        },
      }),
      entry({
        ...{ kind: "pay", op: "pay1", about: payAbout, from: 700 },
        body: { data: { id: "c1", status: "SUCCEEDED" } },
      }),
      entry({
        ...{ kind: "refund", op: "r1", from: 800, status: 201 },
        about: { account: COLLECTION, payment: "c1", amountMinor: 500 },
        body: { data: { id: "rf1", status: "SUCCEEDED" } },
      }),
      entry({
        ...{ kind: "setup", op: "s1", from: 900, client: "bill" },
        about: { account: COLLECTION, link: "l2", card: "card_sub_good" },
        body: { data: { subscriptionId: "sub1", status: "trialing" } },
      }),
      entry({
        ...{ kind: "clock", op: "k1", about: { now: "2030" }, from: 1_000, client: "bill" },
        ...{ until: 1_050, body: { data: {} } },
      }),
      balance(1_100, COLLECTION, "43.15"),
      entry({
        ...{ kind: "fund", op: "f2", about: { account: RACED, amountMinor: 10_000 }, from: 2_000 },
        ...{ status: 201, body: { data: { id: "f2", status: "SUCCESS" } } },
      }),
      entry({ ...raced("m1"), body: { data: { id: "m1", status: "SUCCEEDED" } } }),
      entry({ ...raced("m2"), status: 400, body: { code: "insufficient_funds" } }),
      entry({
        ...{ kind: "adjust", op: "a1", about: { account: SELLER, amountMinor: -1_000 } },
        ...{ from: 2_200, status: 201, body: { data: { id: "a1", status: "SUCCESS" } } },
      }),
      frozen(20_000, "true"),
      entry({ ...unpaid("w6"), from: 26_000, status: 400, body: { code: "entity_frozen" } }),
      frozen(30_000, "false"),
      limited(40_000, [{ scope: "business", per: "month", amount: "30.00", count: 5 }]),
      entry({
        ...{ ...unpaid("w7"), from: 50_000, status: 400 },
        body: { code: "limit_exceeded", limit: { scope: "business", per: "month", max: "30.00" } },
      }),
      limited(60_000, []),
    ],
    accounts: [
      { id: WALLET, kind: "wallet", businessId: "shop", entityId: "ann", owner: "ann" },
      { id: COLLECTION, kind: "collection", businessId: "shop", entityId: "shop", owner: "bob" },
      { id: RACED, kind: "wallet", businessId: "shop", entityId: "bea", owner: "bea" },
      { id: SELLER, kind: "wallet", businessId: "shop", entityId: "carl", owner: "bea" },
    ],
    told: {
      transactions: [
        { id: "p1", flow: "PAYOUT", status: "SUCCESS", method: "BANK_TRANSFER_ACH" },
        { id: "p2", flow: "PAYOUT", status: "FAILED", method: "BANK_TRANSFER_ACH" },
        { id: "f1", flow: "FUNDING", status: "SUCCESS" },
        { id: "c1", flow: "COLLECTION", status: "SUCCESS" },
        { id: "f2", flow: "FUNDING", status: "SUCCESS" },
        { id: "m1", flow: "TRANSFER", status: "SUCCESS" },
        { id: "a1", flow: "ADJUSTMENT", status: "SUCCESS" },
      ],
      payments: [
        { id: "c1", subscriptionId: null, status: "SUCCEEDED", collectionAccountId: COLLECTION },
      ],
      refunds: [
        {
          ...{ id: "rf1", paymentId: "c1", reference: "r1", status: "SUCCEEDED" },
          ...{ amount: "5.00", feesReturned: "0.21" },
        },
      ],
      subscriptions: [{ id: "sub1", paymentLinkId: "l2" }],
      invoices: [
        { id: "i1", subscriptionId: "sub1", periodStart: "2030", status: "paid", charged: "25.00" },
      ],
      used: { shop: ["10.00", 1] },
      balances: {
        ...{ [WALLET]: "89.75", [COLLECTION]: "43.15" },
        ...{ [RACED]: "40.00", [SELLER]: "50.00" },
      },
      statements: {
        [WALLET]: [
          line("p2", "payout-reversal", 2_025, 8_975),
          line("p2", "payout", -2_025, 6_950),
          line("p1", "payout", -1_025, 8_975),
          line("f1", "funding", 10_000, 10_000),
        ],
        [COLLECTION]: [
          line("c2", "collection", 2_397, 4_315),
          line("rf1", "refund", -479, 1_918),
          line("c1", "collection", 2_397, 2_397),
        ],
        [RACED]: [line("m1", "out", -6_000, 4_000), line("f2", "funding", 10_000, 10_000)],
        [SELLER]: [line("a1", "adjustment", -1_000, 5_000), line("m1", "in", 6_000, 6_000)],
      },
    },
    payments: [
      {
        ...{ id: "p1", reference: "w1", amountMinor: 1_000, method: "ACH", state: "settled" },
        currency: "USD",
        submits: 2,
        notes: [
          { at: 230, what: "accepted" },
          { at: 400, what: "settled" },
          { at: 401, what: "told" },
        ],
      },
      {
        ...{ id: "p2", reference: "w2", amountMinor: 2_000, method: "ACH", state: "rejected" },
        currency: "USD",
        submits: 1,
        notes: [
          { at: 330, what: "accepted" },
          { at: 410, what: "rejected" },
        ],
      },
    ],
    heard: { p1: 229, p2: 329 },
    charges: [
      {
        ...{ id: "c1", card, amountMinor: 2_500, state: "captured", asked: 1 },
        notes: [{ at: 700, what: "captured" }],
      },
      {
        ...{ id: "c2", card: "card_sub_good", amountMinor: 2_500, state: "captured", asked: 1 },
        notes: [{ at: 1_010, what: "captured" }],
      },
    ],
    refunds: [
      {
        ...{ id: "rk1", chargeId: "c1", amountMinor: 500, state: "refunded", asked: 1 },
        notes: [{ at: 800, what: "refunded" }],
      },
    ],
    arrivals: [
      ofLedger(110, "f1", "FUNDING"),
      ofPayout(240, "p1", "PENDING"),
      ofPayout(250, "p1", "PROCESSING_PAY_OUT"),
      ofPayout(330, "p2", "PENDING"),
      ofPayout(420, "p1", "SUCCESS"),
      ofPayout(430, "p2", "FAILED"),
      arrival(720, "e1", {
        ...{ eventType: "COLLECTION", status: "SUCCEEDED", payload: { transactionId: "c1" } },
      }),
      arrival(820, "e2", {
        ...{ eventType: "REFUND", status: "SUCCEEDED" },
        payload: { transactionId: "c1", refundId: "rf1" },
      }),
      arrival(910, "e3", {
        ...{ eventType: "SUBSCRIPTION", status: "created", payload: { transactionId: "sub1" } },
      }),
      arrival(1_020, "e4", {
        ...{ eventType: "INVOICE", status: "paid", payload: { transactionId: "i1" } },
      }),
      ofLedger(2_010, "f2", "FUNDING"),
      ofLedger(2_110, "m1", "TRANSFER"),
      ofLedger(2_210, "a1", "ADJUSTMENT"),
    ],
    stored: {
      journal: [
        posted("f1", "funding", WALLET, 10_000, 10_000),
        posted("p1", "payout", WALLET, -1_025, 8_975),
        posted("p2", "payout", WALLET, -2_025, 6_950),
        posted("p2:reversal", "payout-reversal", WALLET, 2_025, 8_975),
        posted("c1", "collection", COLLECTION, 2_397, 2_397),
        posted("rf1", "refund", COLLECTION, -479, 1_918),
        posted("c2", "collection", COLLECTION, 2_397, 4_315),
        posted("f2", "funding", RACED, 10_000, 10_000),
        posted("m1:out", "wallet-transfer-out", RACED, -6_000, 4_000),
        posted("m1:in", "wallet-transfer-in", SELLER, 6_000, 6_000),
        posted("a1", "adjustment-debit", SELLER, -1_000, 5_000),
      ],
      payouts: [
        { id: "p1", reason: "w1" },
        { id: "p2", reason: "w2" },
        { id: "p3", reason: "w3" },
      ],
    },
    incidents: [],
  };
}

/** The item of a list that has these fields. */
export function find<T extends object>(items: T[], fields: Partial<T>): T {
  const found = items.find((item) =>
    Object.entries(fields).every(([name, value]) => item[name as keyof T] === value),
  );
  if (!found) throw new Error(`The example has nothing with ${JSON.stringify(fields)}`);
  return found;
}

/** An answer of an operation. */
export const answer = ({ history }: Evidence, op: string, status = 200): Entry =>
  find(history, { op, status });

/** A violation, and the rules that name it; the first must. */
export type Violations = Record<string, { rules: string[]; damage(evidence: Evidence): void }>;
