// The estimated size of a document's events is at least their size in JSON, because batches of
// events are bounded by it and a message of NATS has at most a megabyte.

import {
  invoiceEvent,
  invoiceEventBytes,
  subscriptionEvent,
  subscriptionEventBytes,
} from "../../services/payment-links/billing/billing-events.ts";
import {
  estimatePaymentBytes,
  toPaymentEvent,
} from "../../services/payment-links/payments/payment-views.ts";
import {
  estimateRefundBytes,
  toRefundEvent,
} from "../../services/payment-links/refunds/refund-views.ts";
import { estimatePayoutBytes, toWebhookPayload } from "../../services/payouts/payload.ts";
import { newId } from "../../shared/ids.ts";
import type { Resumable } from "../../shared/resumable/document.ts";
import { type Outlet, toEvents } from "../../shared/resumable/relay.ts";
import { seeded } from "../support/traffic.ts";

const { below, oneOf } = seeded();

/** Characters that take one to four bytes in UTF-8, or two in JSON. */
const CHARACTERS = ["a", '"', "\\", "é", "€", "字", "😀"];
const TEXT = 256;

/** A text of up to `max` characters, often of as many. */
function text(max = TEXT): string {
  const length = oneOf([max, max, below(max + 1)]);
  const character = oneOf([() => oneOf(CHARACTERS), () => "€", () => "😀"]);
  return Array.from({ length }, character).join("");
}
const maybe = <T>(value: T) => oneOf([value, undefined]);
const texts = (entries: number) =>
  Object.fromEntries(Array.from({ length: below(entries) }, () => [newId(), text()]));

const MONEY = {
  currency: "USD",
  amountMinor: Number.MAX_SAFE_INTEGER,
  feesMinor: Number.MAX_SAFE_INTEGER,
  totalMinor: Number.MAX_SAFE_INTEGER,
  chargeMinor: Number.MAX_SAFE_INTEGER,
};
const AT = 4_102_444_800_000;

/** The fields of every document, with these states. */
function base(states: string[]) {
  return {
    _id: newId(),
    ...MONEY,
    businessId: newId(),
    entityId: newId(),
    walletId: newId(),
    linkId: newId(),
    collectionAccountId: newId(),
    paymentId: newId(),
    subscriptionId: newId(),
    orderId: maybe(text()),
    externalId: maybe(text()),
    states: states.map((status) => ({ status, at: AT })),
    origin: { requestId: "x".repeat(64), traceId: "f".repeat(32), spanId: "f".repeat(16) },
  };
}

const person = () => ({ email: text(254), firstName: text(), lastName: text(), phone: text(32) });

interface Kind {
  // biome-ignore lint/suspicious/noExplicitAny: documents of every kind
  outlet: Pick<Outlet<any>, "toEvent" | "estimateBytes">;
  make(): object;
}

const KINDS: Record<string, Kind> = {
  payout: {
    outlet: {
      toEvent: (payout, status, at) => ({ body: toWebhookPayload(payout, status, at) }),
      estimateBytes: estimatePayoutBytes,
    },
    make: () => ({
      ...base(["PENDING", "PROCESSING_PAY_OUT", "SUCCESS", "FAILED"]),
      optionType: "international_bank",
      entityType: "BUSINESS",
      method: "ACH",
      lastFour: "0000",
      reason: text(512),
      failureReason: "ACCOUNT_CLOSED",
    }),
  },
  payment: {
    outlet: { toEvent: toPaymentEvent, estimateBytes: estimatePaymentBytes },
    make: () => ({
      ...base(oneOf([["FAILED"], ["SUCCEEDED"], ["SUCCEEDED", "SUCCEEDED"]])),
      customer: person(),
      fields: texts(20),
      customData: maybe(texts(20)),
      itemDeliveryAddress: text(512),
      notifyPayee: true,
      payee: maybe({ email: text(254), name: text() }),
      agent: maybe(texts(20)),
      failureReason: "r".repeat(200),
    }),
  },
  refund: {
    outlet: { toEvent: toRefundEvent, estimateBytes: estimateRefundBytes },
    make: () => ({ ...base(["FAILED"]), reference: text() }),
  },
  subscription: {
    outlet: { toEvent: subscriptionEvent, estimateBytes: subscriptionEventBytes },
    make: () => ({
      ...base(["trialing", "past_due", "cancelled"]),
      plan: { ...MONEY, charge: { type: "consumption" } },
      anchorAt: AT,
      cancelledAt: AT,
      isUnpaid: true,
    }),
  },
  invoice: {
    outlet: { toEvent: invoiceEvent, estimateBytes: invoiceEventBytes },
    make: () => ({
      ...base(["failed", "failed", "paid"]),
      number: "INV-000000000001",
      periodStart: AT,
      periodEnd: AT,
      nextTryAt: AT,
      attempts: Array.from({ length: 3 }, () => ({
        at: AT,
        paymentId: newId(),
        reason: "r".repeat(200),
      })),
    }),
  },
};

test.each(Object.entries(KINDS))("%s: the estimate is not too low", (_name, { outlet, make }) => {
  for (let i = 0; i < 100; i++) {
    const document = make() as Resumable;
    const events = toEvents(outlet, document, 0);
    expect(events).not.toEqual([]);
    const bytes = Buffer.byteLength(JSON.stringify(events));
    expect(outlet.estimateBytes(document)).toBeGreaterThanOrEqual(bytes);
  }
});
