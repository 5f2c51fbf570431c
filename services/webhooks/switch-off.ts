// Switching off: what attempts say of their endpoint. One that answers 410 Gone, or nothing but
// failures for five days, is disabled, and the business's other endpoints are told of it. The event's
// id is stored in the update that disables (the endpoint is the outbox), so that the event is told once,
// whoever dies in between. An endpoint that just works, or just fails, is not written to. What attempts
// know of their endpoint is a second old; a success, a change or a switch by hand in between wins.

import type { mongo } from "mongoose";
import type { EventBody } from "../../shared/contracts/events.ts";
import { gather } from "../../shared/gather.ts";
import { newId } from "../../shared/ids.ts";
import type { Attempt } from "./delivery.model.ts";
import type { Endpoint, Notice } from "./endpoint.model.ts";
import { switchedOff } from "./endpoints.ts";
import type { Happened } from "./events.ts";

/** Endpoints of an earlier version have no outbox. */
type Telling = Pick<Endpoint, "_id" | "businessId"> & Partial<Pick<Endpoint, "notices">>;

export interface SwitchOff {
  /** Takes note of an attempt at an endpoint as it was then. Where that fails, a later one does it. */
  note(endpoint: Endpoint, attempt: Attempt): Promise<void>;
  /** Tells what an endpoint still has to tell. */
  tell(endpoint: Telling): Promise<void>;
  /** Tells what processes that died left untold, now and from time to time. */
  start(): void;
  stop(): Promise<void>;
}

const FAILING_MS = 5 * 24 * 3_600_000;
const GONE = 410;
const TELL_EVERY_MS = 60_000;
const MAX_BATCH = 500;

export function createSwitchOff(options: {
  endpoints: mongo.Collection<Endpoint>;
  publish: (events: Happened[]) => Promise<void>;
  /** The endpoint is not to be tried any more; what is pending for it ends. */
  onDisabled: (endpointId: string) => Promise<void>;
  onError: (error: unknown) => void;
}): SwitchOff {
  const { endpoints, publish, onDisabled, onError } = options;
  let timer: NodeJS.Timeout;
  let telling: Promise<void> | null = null;

  const write = gather(
    async (changes: mongo.AnyBulkWriteOperation<Endpoint>[]) => {
      await endpoints.bulkWrite(changes);
      return changes.map(() => undefined);
    },
    { maxItems: MAX_BATCH },
  );

  /** Stores since when it fails, or that it does no more; attempts in this process know at once. */
  async function setFailingSince(endpoint: Endpoint, since: Date | null): Promise<void> {
    endpoint.failingSince = since;
    const { _id, url } = endpoint;
    const filter = { _id, url, failingSince: since ? null : { $ne: null } };
    await write({ updateOne: { filter, update: { $set: { failingSince: since } } } });
  }

  /** Disables it, where it still is as the attempt knew it. */
  async function disable(
    { _id, businessId, url, enabledAt }: Endpoint,
    reason: string,
    still: mongo.Filter<Endpoint>,
  ): Promise<void> {
    const at = new Date();
    const notice: Notice = { id: newId(), at, url, reason };
    const { modifiedCount } = await endpoints.updateOne(
      { _id, url, enabledAt, disabled: false, ...still },
      { $set: switchedOff(reason, at), $push: { notices: notice } },
    );
    if (modifiedCount > 0) {
      await Promise.all([onDisabled(_id), tell({ _id, businessId, notices: [notice] })]);
    } else if (await endpoints.findOne({ _id, disabled: true }, { projection: { _id: 1 } })) {
      // Another attempt was first, and this one may have been recorded after that.
      await onDisabled(_id);
    }
  }

  async function tell({ _id, businessId, notices = [] }: Telling): Promise<void> {
    if (notices.length === 0) return;
    await publish(notices.map((notice) => eventOf(_id, businessId, notice)));
    const told = notices.map(({ id }) => id);
    await endpoints.updateOne({ _id }, { $pull: { notices: { id: { $in: told } } } });
  }

  async function tellAll(): Promise<void> {
    const untold = endpoints.find({ "notices.id": { $exists: true } }).limit(MAX_BATCH);
    // What is still pending for them finds them disabled, where they still are, when it is due.
    // One that cannot be told of holds up no other.
    for (const endpoint of await untold.toArray()) await tell(endpoint).catch(onError);
  }

  function tellLeftOvers(): void {
    telling ??= tellAll()
      .catch(onError)
      .finally(() => {
        telling = null;
      });
  }

  async function judge(endpoint: Endpoint, attempt: Attempt): Promise<void> {
    const { at, statusCode, errorClass } = attempt;
    const { failingSince } = endpoint;
    if (errorClass === null) {
      if (failingSince) await setFailingSince(endpoint, null);
      return;
    }
    // That nothing could be signed is no fault of the receiver's.
    if (errorClass === "secret") return;
    const longAgo = new Date(at.getTime() - FAILING_MS);
    if (statusCode === GONE) await disable(endpoint, "Answered 410 Gone", {});
    else if (!failingSince) await setFailingSince(endpoint, at);
    else if (failingSince <= longAgo) {
      const still = { failingSince: { $lte: longAgo } };
      await disable(endpoint, "Nothing but failures for five days", still);
    }
  }

  return {
    note: (endpoint, attempt) => judge(endpoint, attempt).catch(onError),

    tell,

    start() {
      timer = setInterval(tellLeftOvers, TELL_EVERY_MS);
      tellLeftOvers();
    },

    async stop() {
      clearInterval(timer);
      await telling;
    },
  };
}

function eventOf(endpointId: string, businessId: string, notice: Notice): Happened {
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
