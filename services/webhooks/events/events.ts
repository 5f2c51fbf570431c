// Publishes events: stores them with the endpoints that get them, then stores a delivery for each
// of these endpoints, then acknowledges. A repeated call keeps the stored documents and adds the
// missing ones, so a repeat after a crash at any point has the same result. An endpoint that is
// created after the first call for an event never gets that event.

import type { mongo } from "mongoose";
import { CLOCKS_DIFFER_BY_MS, type Clock } from "../../../shared/clock.ts";
import type { Params } from "../../../shared/contracts/contracts.ts";
import { DEFAULT_EVENT_TYPES, type EventBody } from "../../../shared/contracts/events.ts";
import { currentOrigin, type Origin } from "../../../shared/rpc/origin.ts";
import { runInsert } from "../../../shared/storage/commands.ts";
import { isDuplicate, MAJORITY } from "../../../shared/storage/database.ts";
import type { Endpoint } from "../endpoints/endpoint.model.ts";
import { carried } from "../queue/bodies.ts";
import { type Delivery, pendingFrom } from "../queue/delivery.model.ts";
import type { Deliverer } from "../queue/delivery.ts";
import type { Event } from "../queue/event.model.ts";
import type { Sweeper } from "../queue/sweeper.ts";

/** An event before it is stored. It is not sent to the endpoint that it is about. */
export type UnstoredEvent = Params<"webhooks.publish">["events"][number] & { about?: string };

type Candidate = Pick<Endpoint, "_id" | keyof typeof CANDIDATE>;

export interface Publishing {
  endpoints: mongo.Collection<Endpoint>;
  events: mongo.Collection<Event>;
  deliveries: mongo.Collection<Delivery>;
  deliverer: Pick<Deliverer, "reserve" | "free" | "leaseEnd" | "take">;
  sweeper: Pick<Sweeper, "wake">;
  clock: Clock;
  newId(): string;
}

/**
 * Stores events for the endpoints of their businesses and of their payment links. An endpoint gets
 * an event if it wants the type, and if it existed and was enabled at the event's time, as far as
 * clocks show. Resolves once all is stored for good; delivery begins then.
 */
export async function publish(to: Publishing, handed: UnstoredEvent[]): Promise<void> {
  const endpoints = await findEndpoints(to, handed);
  const events = handed.map((event) => {
    const wanting = endpoints.get(event.businessId)?.filter((each) => wants(each, event)) ?? [];
    return newEvent(event, wanting);
  });
  await store(to, events);
}

/**
 * Sends a test event to one endpoint, regardless of its event types.
 * @param id the event's; payrail sends one event for each id
 */
export async function publishTest(to: Publishing, endpoint: Endpoint, id: string): Promise<void> {
  const { businessId } = endpoint;
  const body: EventBody<"TEST"> = { eventType: "TEST", status: "TEST", payload: {} };
  const origin = currentOrigin();
  const event = { id, businessId, transactionId: id, seq: 1, at: to.clock.now(), origin, body };
  await store(to, [newEvent(event, [endpoint])]);
}

/**
 * Stores the missing deliveries of an event, which a process that died may have left.
 * @returns whether the event is stored
 */
export async function completeEvent(to: Publishing, id: string): Promise<boolean> {
  const event = await to.events.findOne({ _id: id }, MAJORITY);
  if (event) await store(to, [event]);
  return event !== null;
}

export async function hasEvent({ events }: Publishing, id: string): Promise<boolean> {
  return (await events.findOne({ _id: id }, { ...MAJORITY, projection: { _id: 1 } })) !== null;
}

function newEvent(
  { id, businessId, transactionId, seq, at, origin, body }: UnstoredEvent,
  endpoints: Pick<Endpoint, "_id">[],
): Event {
  const { eventType, status, payload } = body;
  return {
    _id: id,
    businessId,
    transactionId,
    seq,
    at: new Date(at),
    eventType,
    body: JSON.stringify({ eventType, status, payload }),
    endpointIds: endpoints.map(({ _id }) => _id),
    ...(origin && { origin: compact(origin) }),
  };
}

/** Without an absent span, which the check leaves as undefined and the database stores as null. */
function compact({ requestId, traceId, spanId }: Origin): Origin {
  return { requestId, traceId, ...(spanId && { spanId }) };
}

/** The endpoints that may want the events, by business. */
async function findEndpoints(
  { endpoints }: Publishing,
  handed: UnstoredEvent[],
): Promise<Map<string, Candidate[]>> {
  const businessIds = new Set(handed.map(({ businessId }) => businessId));
  // Null stands for the businesses' own endpoints.
  const linkIds = new Set([null, ...handed.map(({ paymentLinkId = null }) => paymentLinkId)]);
  const found = await endpoints
    .find<Candidate>(
      { businessId: { $in: [...businessIds] }, paymentLinkId: { $in: [...linkIds] } },
      { projection: CANDIDATE },
    )
    .toArray();
  return Map.groupBy(found, ({ businessId }) => businessId);
}

/** The fields of an endpoint that decide whether it gets an event. */
const CANDIDATE = {
  businessId: 1,
  paymentLinkId: 1,
  eventTypes: 1,
  createdAt: 1,
  disabledAt: 1,
  enabledAt: 1,
};

/**
 * Whether an endpoint gets the event: it wants the type, and it existed and was enabled at the
 * time. The clocks of the node that made the event and of the one that made or switched on the
 * endpoint may differ. If the order is uncertain, the endpoint gets the event, because an event
 * that is not stored for it now can never be sent to it. No new event is stored for an endpoint
 * that is switched off.
 */
function wants(endpoint: Candidate, { about, paymentLinkId, at, body }: UnstoredEvent): boolean {
  const { _id, eventTypes, createdAt, disabledAt, enabledAt } = endpoint;
  if (_id === about) return false;
  if (endpoint.paymentLinkId && endpoint.paymentLinkId !== paymentLinkId) return false;
  if (!(eventTypes ?? DEFAULT_EVENT_TYPES).includes(body.eventType)) return false;
  const wasOff =
    disabledAt !== null &&
    at >= disabledAt.getTime() &&
    (enabledAt === null || isSurelyBefore(at, enabledAt));
  return !isSurelyBefore(at, createdAt) && !wasOff;
}

/** Whether an event (epoch ms) surely came before a time, although two nodes' clocks may differ. */
function isSurelyBefore(at: number, moment: Date): boolean {
  return at + CLOCKS_DIFFER_BY_MS < moment.getTime();
}

async function store(to: Publishing, list: Event[]): Promise<void> {
  const { events, deliveries, deliverer, sweeper } = to;
  const known = await insertNew(events, list);
  const stored = known.size === 0 ? list : await asStored(events, list, known);
  const claim = to.newId();
  const until = deliverer.leaseEnd();
  const plans = stored.flatMap((event) =>
    event.endpointIds.map((endpointId) => {
      // If there is room, it is claimed from the start, so that its delivery needs no further round
      // trip.
      const claimed = deliverer.reserve(endpointId, event.businessId, true);
      const due = claimed ? { claim, nextAttemptAt: until } : {};
      return { event, claimed, delivery: { ...newDelivery(to, event, endpointId), ...due } };
    }),
  );
  if (plans.length === 0) return;
  const placed = new Set(plans.filter(({ claimed }) => claimed));
  try {
    const there = await insertNew(
      deliveries,
      plans.map(({ delivery }) => delivery),
    );
    plans.forEach((plan, i) => {
      if (there.has(i) || !placed.delete(plan)) return;
      const body = carried(plan.event.body);
      deliverer.take({ ...plan.delivery, claim, claimedUntil: until.getTime(), body });
    });
  } finally {
    for (const { delivery } of placed) deliverer.free(delivery.endpointId);
  }
  const left = plans.filter(({ claimed }) => !claimed);
  if (left.length > 0) sweeper.wake([...new Set(left.map(({ delivery }) => delivery.endpointId))]);
}

export function newDelivery(
  { clock, newId }: Pick<Publishing, "clock" | "newId">,
  event: Pick<Event, "_id" | "businessId" | "transactionId" | "seq" | "eventType" | "origin">,
  endpointId: string,
): Delivery {
  const now = new Date(clock.now());
  return {
    _id: newId(),
    eventId: event._id,
    endpointId,
    businessId: event.businessId,
    transactionId: event.transactionId,
    seq: event.seq,
    eventType: event.eventType,
    createdAt: now,
    ...pendingFrom(now),
    attempts: [],
    ...(event.origin && { origin: event.origin }),
  };
}

/** The events; those that existed before are read as they were stored then. */
async function asStored(
  events: mongo.Collection<Event>,
  list: Event[],
  known: Set<number>,
): Promise<Event[]> {
  const ids = [...known].map((i) => (list[i] as Event)._id);
  const before = await events.find({ _id: { $in: ids } }).toArray();
  const byId = new Map(before.map((event) => [event._id, event]));
  return list.map((event) => byId.get(event._id) ?? event);
}

/**
 * Inserts the documents that do not exist yet.
 * @returns the indexes of the documents that existed before
 * @throws if not all of it is stored for good
 */
async function insertNew<T extends mongo.BSON.Document>(
  collection: mongo.Collection<T>,
  documents: T[],
): Promise<Set<number>> {
  const refused = await runInsert(collection, documents);
  for (const refusal of refused) if (!isDuplicate(refusal)) throw refusal;
  return new Set(refused.map(({ index }) => index));
}
