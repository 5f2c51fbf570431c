// Disables an endpoint that answers 410 Gone, or if all its attempts have failed for five days, and
// sends an event to the business's other endpoints. The update that disables stores the event's id
// (the endpoint is the outbox), so the event is published once even if a process dies in between.
// An endpoint is written only if its state changes. Attempts know their endpoint as it was up to a
// second ago; a success, a change or a manual switch in between wins.

import type { mongo } from "mongoose";
import type { Clock } from "../../../shared/clock.ts";
import type { EventBody } from "../../../shared/contracts/events.ts";
import { gatherWrites } from "../../../shared/resumable/gather.ts";
import { startSweep, type Turns } from "../../../shared/resumable/sweeps.ts";
import { type Endpoint, type Notice, switchedOff } from "../endpoints/endpoint.model.ts";
import type { DeliveryAttempt } from "../queue/delivery.model.ts";
import type { UnstoredEvent } from "./events.ts";

/** Endpoints of an earlier version have no outbox. */
type Outbox = Pick<Endpoint, "_id" | "businessId"> & Partial<Pick<Endpoint, "notices">>;

export interface SwitchOff {
  /** Evaluates an attempt. Never throws: after an error the next attempt does the same. */
  note(endpoint: Endpoint, attempt: DeliveryAttempt): Promise<void>;
  /** Publishes the events in the endpoint's outbox. */
  publishNotices(endpoint: Outbox): Promise<void>;
  stop(): Promise<void>;
}

/** Why payrail disables an endpoint. A merchant's own request has another reason. */
export const DISABLE_REASONS = {
  gone: "Answered 410 Gone",
  failing: "Nothing but failures for five days",
} as const;

const FAILING_MS = 5 * 24 * 3_600_000;
const GONE = 410;
/** The interval of the turns. */
export const NOTICES_EVERY_MS = 60_000;
const MAX_BATCH = 500;

/**
 * Switches endpoints off. Until it is stopped it publishes the events that dead processes left: at
 * once, and every minute.
 */
export function createSwitchOff(options: {
  endpoints: mongo.Collection<Endpoint>;
  clock: Clock;
  newId(): string;
  turns: Turns;
  publish: (events: UnstoredEvent[]) => Promise<void>;
  /** Called for an endpoint that is disabled now, to end its pending deliveries. */
  onDisabled: (endpointId: string) => Promise<void>;
  onError: (error: unknown) => void;
}): SwitchOff {
  const { endpoints, clock, newId, turns, publish, onDisabled, onError } = options;

  const write = gatherWrites(
    (changes: mongo.AnyBulkWriteOperation<Endpoint>[]) => endpoints.bulkWrite(changes),
    { maxItems: MAX_BATCH },
  );

  /**
   * Stores when the failures began, or that they ended; attempts of this process know immediately.
   */
  async function setFailingSince(endpoint: Endpoint, since: Date | null): Promise<void> {
    endpoint.failingSince = since;
    const { _id, url } = endpoint;
    const filter = { _id, url, failingSince: since ? null : { $ne: null } };
    await write({ updateOne: { filter, update: { $set: { failingSince: since } } } });
  }

  /**
   * Disables the endpoint if it still is as the attempt read it. It may not have been failing before
   * the attempt.
   */
  async function disable(
    { _id, businessId, url, enabledAt }: Endpoint,
    reason: string,
    failingSince: Date,
    still: mongo.Filter<Endpoint>,
  ): Promise<void> {
    const at = new Date(clock.now());
    const notice: Notice = { id: newId(), at, url, reason };
    const { modifiedCount } = await endpoints.updateOne(
      { _id, url, enabledAt, disabled: false, ...still },
      { $set: { ...switchedOff(reason, at), failingSince }, $push: { notices: notice } },
    );
    if (modifiedCount > 0) {
      await Promise.all([onDisabled(_id), publishNotices({ _id, businessId, notices: [notice] })]);
    } else if (await endpoints.findOne({ _id, disabled: true }, { projection: { _id: 1 } })) {
      // Another attempt disabled the endpoint, and this delivery may have become pending after
      // that.
      await onDisabled(_id);
    }
  }

  async function publishNotices({ _id, businessId, notices = [] }: Outbox): Promise<void> {
    if (notices.length === 0) return;
    await publish(notices.map((notice) => noticeEvent(_id, businessId, notice)));
    const published = notices.map(({ id }) => id);
    await endpoints.updateOne({ _id }, { $pull: { notices: { id: { $in: published } } } });
  }

  async function publishAll(): Promise<undefined> {
    const left = endpoints.find({ "notices.id": { $exists: true } }).limit(MAX_BATCH);
    // Pending deliveries need no action here: each finds its endpoint disabled when it is due. An
    // error of one endpoint does not keep the others waiting.
    for (const endpoint of await left.toArray()) await publishNotices(endpoint).catch(onError);
  }

  async function judge(endpoint: Endpoint, attempt: DeliveryAttempt): Promise<void> {
    const { at, statusCode, errorClass } = attempt;
    const { failingSince } = endpoint;
    if (errorClass === null) {
      if (failingSince) await setFailingSince(endpoint, null);
      return;
    }
    // A missing secret is not the receiver's fault.
    if (errorClass === "secret") return;
    const longAgo = new Date(at.getTime() - FAILING_MS);
    if (statusCode === GONE) await disable(endpoint, DISABLE_REASONS.gone, failingSince ?? at, {});
    else if (!failingSince) await setFailingSince(endpoint, at);
    else if (failingSince <= longAgo) {
      const still = { failingSince: { $lte: longAgo } };
      await disable(endpoint, DISABLE_REASONS.failing, failingSince, still);
    }
  }

  const sweep = startSweep({ clock, turns, round: publishAll, onError });
  return {
    note: (endpoint, attempt) => judge(endpoint, attempt).catch(onError),
    publishNotices,
    stop: sweep.stop,
  };
}

function noticeEvent(endpointId: string, businessId: string, notice: Notice): UnstoredEvent {
  const { id, at, url, reason } = notice;
  const timestamp = at.getTime();
  return {
    id,
    businessId,
    transactionId: id,
    seq: 1,
    at: timestamp,
    about: endpointId,
    body: {
      eventType: "ENDPOINT",
      status: "disabled",
      payload: { endpointId, url, reason, timestamp },
    } satisfies EventBody<"ENDPOINT">,
  };
}
