// Seeds many subscriptions in a short time, all with the same beginning. Each is stored as its
// set-up stores it, with its saved method and its event, but in large batches. No driver takes them
// until they are made due.

import type { mongo } from "mongoose";
import { subscriptionEvent } from "../../../services/payment-links/billing/billing-events.ts";
import type { Subscription } from "../../../services/payment-links/billing/subscription.model.ts";
import { newSubscription } from "../../../services/payment-links/billing/subscription-request.ts";
import type { PaymentLink } from "../../../services/payment-links/links/link.model.ts";
import {
  methodPlace,
  type SavedMethod,
} from "../../../services/payment-links/payments/saved-method.model.ts";
import type { Event } from "../../../services/webhooks/queue/event.model.ts";
import type { Config } from "../../../shared/config/config.ts";
import { idAfter, newId } from "../../../shared/ids.ts";
import { seal } from "../../../shared/security/seal.ts";

const PER_INSERT = 2_000;
const CARD = { brand: "Visa", last4: "4242" };
const CUSTOMER = {
  email: "ada@example.com",
  firstName: "Ada",
  lastName: "Bench",
  phone: "+1 555 0100",
};

/** The common input of the seeded subscriptions. */
export interface Soil {
  db: mongo.Db;
  config: Config;
  links: PaymentLink[];
  /** A card token of the sandbox's vault; all charges use it. */
  cardToken: string;
}

/** Inserts subscriptions, distributed over the links. */
export async function seedSubscriptions(soil: Soil, count: number): Promise<void> {
  const { db } = soil;
  for (let from = 0; from < count; from += PER_INSERT) {
    const size = Math.min(PER_INSERT, count - from);
    const batch = Array.from({ length: size }, (_, i) => madeOf(soil, from + i));
    const insert = <T extends { _id: string }>(name: string, documents: T[]) =>
      db.collection<{ _id: string }>(name).insertMany(documents, { ordered: false });
    await Promise.all([
      insert(
        "payment_methods",
        batch.map(({ method }) => method),
      ),
      insert(
        "webhook_events",
        batch.map(({ event }) => event),
      ),
      insert(
        "subscriptions",
        batch.map(({ subscription }) => subscription),
      ),
    ]);
  }
}

/** Makes the seeded subscriptions due. @param at epoch ms */
export async function makeDue(db: mongo.Db, at: number): Promise<void> {
  const isNew = { v: 0, nextAttemptAt: { $exists: false } };
  await db
    .collection<Subscription>("subscriptions")
    .updateMany(isNew, { $set: { nextAttemptAt: at } });
}

/** A subscription after its set-up, with its events relayed. */
function madeOf({ config, links, cardToken }: Soil, i: number) {
  const id = newId();
  const link = links[i % links.length] as PaymentLink;
  const { businessId } = link;
  const methodId = newId();
  const method: SavedMethod = {
    _id: methodId,
    subscriptionId: id,
    businessId,
    acquirer: "sandbox",
    token: seal(config, methodPlace(methodId), cardToken),
    card: CARD,
  };
  const now = Date.now();
  const set = { id, setUpAt: now, now, customer: CUSTOMER, fields: {}, method };
  const marks = { address: "", requestHash: "" };
  const { nextAttemptAt: _later, ...whole } = newSubscription(link, { ...set, marks });
  const subscription: Subscription = { ...whole, relayed: 1 };
  return { method, subscription, event: createdOf(subscription, now) };
}

function createdOf(subscription: Subscription, at: number): Event {
  const { _id, businessId, status } = subscription;
  const created = subscriptionEvent(subscription, status, at, 1);
  if (!created) throw new Error("Of a new subscription every endpoint gets an event");
  return {
    _id: idAfter(_id, 1),
    businessId,
    transactionId: _id,
    seq: 1,
    at: new Date(at),
    eventType: created.body.eventType,
    body: JSON.stringify(created.body),
    endpointIds: [],
  };
}
