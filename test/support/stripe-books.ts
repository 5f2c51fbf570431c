// The objects of the stand-in for Stripe (stripe-server.ts): PaymentIntents with their states,
// refunds, cards, customers and SetupIntents, as docs.stripe.com describes them. It counts
// captures, so that a test sees whether money has moved twice.

import { randomUUID } from "node:crypto";

/** A refusal in the form of Stripe's errors. */
export class StripeRefusal extends Error {
  readonly status: number;
  readonly body: Record<string, unknown>;
  constructor(status: number, body: Record<string, unknown>) {
    super(String(body.code ?? body.type));
    this.status = status;
    this.body = body;
  }
}

/** What the issuer does with a card. */
export type CardKind = "visa" | "declined" | "poor" | "expired" | "secure" | "slow";

interface PaymentMethod {
  id: string;
  object: "payment_method";
  type: "card";
  customer: string | null;
  card: { brand: string; last4: string };
  kind: CardKind;
  isUsed: boolean;
}

type PaymentError = { type: string; code: string; decline_code?: string };

export interface StripeIntent {
  id: string;
  object: "payment_intent";
  amount: number;
  amount_received: number;
  currency: string;
  customer: string | null;
  created: number;
  status: string;
  metadata: Record<string, string>;
  client_secret: string;
  last_payment_error: PaymentError | null;
  payment_method: string | null;
  /** How often money has moved. Stripe has no such field. */
  captures: number;
}

export interface StripeRefund {
  id: string;
  object: "refund";
  amount: number;
  currency: string;
  created: number;
  payment_intent: string;
  status: string;
  failure_reason?: string;
  metadata: Record<string, string>;
}

/** The parameters of a request, by their names in the form, such as `metadata[payrail_id]`. */
export type Params = Map<string, string>;

const DECLINES: Partial<Record<CardKind, PaymentError>> = {
  declined: { type: "card_error", code: "card_declined", decline_code: "generic_decline" },
  poor: { type: "card_error", code: "card_declined", decline_code: "insufficient_funds" },
  expired: { type: "card_error", code: "expired_card" },
};

const invalid = (code: string, more = {}) =>
  new StripeRefusal(400, { type: "invalid_request_error", code, ...more });
const missing = (what: string) =>
  new StripeRefusal(404, {
    type: "invalid_request_error",
    code: "resource_missing",
    message: what,
  });

const newId = (start: string) => `${start}_${randomUUID().replaceAll("-", "")}`;

function metadataOf(params: Params): Record<string, string> {
  const entries = [...params].map(([name, value]) => [
    /^metadata\[(\w+)\]$/.exec(name)?.[1],
    value,
  ]);
  return Object.fromEntries(entries.filter(([name]) => name !== undefined));
}

/** @param now epoch milliseconds */
export function createStripeBooks(now: () => number) {
  const cards = new Map<string, PaymentMethod>();
  const customers = new Set<string>();
  const intents = new Map<string, StripeIntent>();
  const refunds = new Map<string, StripeRefund>();
  const seconds = () => Math.floor(now() / 1_000);
  const settings = {
    /** How far the search is behind. */
    searchLagMs: 60_000,
    /** The status of new refunds. */
    refundStatus: "succeeded",
  };

  function intentOf(id: string): StripeIntent {
    const found = intents.get(id);
    if (!found) throw missing(`No such payment_intent: '${id}'`);
    return found;
  }

  function refundedOf(intent: string): number {
    return [...refunds.values()]
      .filter(({ payment_intent: of, status }) => of === intent && status !== "failed")
      .reduce((sum, { amount }) => sum + amount, 0);
  }

  function capture(intent: StripeIntent): void {
    intent.status = "succeeded";
    intent.amount_received = intent.amount;
    intent.captures += 1;
  }

  function chargedCard(intent: StripeIntent, id: string): PaymentMethod {
    const found = cards.get(id);
    if (!found) throw missing(`No such PaymentMethod: '${id}'`);
    if (found.customer !== intent.customer) throw invalid("payment_method_unexpected_state");
    if (found.isUsed && !found.customer) throw invalid("payment_method_unexpected_state");
    found.isUsed = true;
    return found;
  }

  return {
    cards,
    customers,
    intents,
    refunds,
    settings,

    /** Adds a card. @returns its token, with the customer of a saved one */
    addCard(kind: CardKind, isSaved = false): string {
      const customer = isSaved ? newId("cus") : null;
      if (customer) customers.add(customer);
      const id = newId("pm");
      const card = { brand: "visa", last4: "4242" };
      const object = "payment_method";
      cards.set(id, { id, object, type: "card", customer, card, kind, isUsed: false });
      return customer ? `${id}.${customer}` : id;
    },

    createIntent(params: Params): StripeIntent {
      const amount = Number(params.get("amount"));
      if (!Number.isSafeInteger(amount) || amount < 1) throw invalid("parameter_invalid_integer");
      if (amount < 50) throw invalid("amount_too_small");
      const customer = params.get("customer") ?? null;
      if (customer && !customers.has(customer)) throw missing(`No such customer: '${customer}'`);
      const id = newId("pi");
      const intent: StripeIntent = {
        id,
        object: "payment_intent",
        amount,
        amount_received: 0,
        currency: params.get("currency") ?? "",
        customer,
        created: seconds(),
        status: "requires_payment_method",
        metadata: metadataOf(params),
        client_secret: `${id}_secret_${randomUUID()}`,
        last_payment_error: null,
        payment_method: null,
        captures: 0,
      };
      intents.set(id, intent);
      return intent;
    },

    confirmIntent(id: string, params: Params): StripeIntent {
      const intent = intentOf(id);
      if (["succeeded", "canceled", "processing"].includes(intent.status)) {
        throw invalid("payment_intent_unexpected_state", { payment_intent: intent });
      }
      const { kind, id: method } = chargedCard(intent, params.get("payment_method") ?? "");
      const isOffSession = params.get("off_session") === "true";
      const declined =
        kind === "secure" && isOffSession
          ? { type: "card_error", code: "authentication_required" }
          : DECLINES[kind];
      if (declined) {
        intent.status = "requires_payment_method";
        intent.last_payment_error = declined;
        throw new StripeRefusal(402, { ...declined, payment_intent: intent });
      }
      intent.payment_method = method;
      if (kind === "secure") intent.status = "requires_action";
      else if (kind === "slow") intent.status = "processing";
      else capture(intent);
      return intent;
    },

    /** What the card's holder does with the issuer's question, or a bank with a slow payment. */
    finish(id: string, isApproved: boolean): void {
      const intent = intentOf(id);
      if (!["requires_action", "processing"].includes(intent.status)) return;
      if (isApproved) {
        capture(intent);
        return;
      }
      intent.status = "requires_payment_method";
      const code = "payment_intent_authentication_failure";
      intent.last_payment_error = { type: "invalid_request_error", code };
    },

    cancelIntent(id: string): StripeIntent {
      const intent = intentOf(id);
      if (["succeeded", "canceled", "processing"].includes(intent.status)) {
        throw invalid("payment_intent_unexpected_state", { payment_intent: intent });
      }
      intent.status = "canceled";
      return intent;
    },

    retrieveIntent: intentOf,

    searchIntents(query: string): StripeIntent[] {
      const [, name = "", value] = /^metadata\['(\w+)'\]:"([\w-]+)"$/.exec(query) ?? [];
      const until = Math.floor((now() - settings.searchLagMs) / 1_000);
      return [...intents.values()].filter(
        ({ metadata, created }) => created <= until && metadata[name] === value,
      );
    },

    createRefund(params: Params): StripeRefund {
      const intent = intentOf(params.get("payment_intent") ?? "");
      const amount = Number(params.get("amount"));
      if (intent.captures === 0) throw invalid("charge_not_refundable");
      if (!Number.isSafeInteger(amount) || amount < 1) throw invalid("parameter_invalid_integer");
      const left = intent.amount - refundedOf(intent.id);
      if (left === 0) throw invalid("charge_already_refunded");
      if (amount > left) throw invalid("amount_too_large");
      const refund: StripeRefund = {
        id: newId("re"),
        object: "refund",
        amount,
        currency: intent.currency,
        created: seconds(),
        payment_intent: intent.id,
        status: settings.refundStatus,
        metadata: metadataOf(params),
      };
      refunds.set(refund.id, refund);
      return refund;
    },

    retrieveMethod(id: string) {
      const found = cards.get(id);
      if (!found) throw missing(`No such PaymentMethod: '${id}'`);
      const { kind: _, isUsed: __, ...method } = found;
      return method;
    },

    createCustomer() {
      const id = newId("cus");
      customers.add(id);
      return { id, object: "customer" };
    },

    createSetupIntent(params: Params) {
      const id = newId("seti");
      const customer = params.get("customer");
      return {
        id,
        object: "setup_intent",
        client_secret: `${id}_secret_${randomUUID()}`,
        customer,
      };
    },
  };
}
