// The head of the ledger of each hour, for businesses with an endpoint that names the type LEDGER.
// A process looks every minute whether a new hour has begun. The id of an event is made from the
// business and the hour, so the processes publish one event together; each begins at another
// business, so that they seldom make the same head twice. Hours without a process are not made up.

import type { mongo } from "mongoose";
import { type Clock, systemClock } from "../../shared/clock.ts";
import type { EventBody } from "../../shared/contracts/events.ts";
import { errorType } from "../../shared/errors.ts";
import { idOfName } from "../../shared/ids.ts";
import { type Repetition, repeat } from "../../shared/repeat.ts";
import type { Endpoint } from "./endpoint.model.ts";
import { completeEvent, type Publishing, publish } from "./events.ts";

const HOUR_MS = 3_600_000;

export interface Hours {
  clock: Clock;
  /** How often a process looks whether a new hour has begun. */
  lookEveryMs: number;
}

export const HOURS: Hours = { clock: systemClock, lookEveryMs: 60_000 };

/**
 * Publishes heads until it is stopped: of the present hour at once, then of each hour.
 * @param makeHead asks the ledger for a signed head
 */
export function createHeads({
  publishing,
  hours: { clock, lookEveryMs },
  makeHead,
  onError,
}: {
  publishing: Publishing;
  hours: Hours;
  makeHead: (businessId: string) => Promise<string>;
  onError: (error: unknown) => void;
}): Repetition {
  let isStopped = false;
  let doneHour = -1;

  async function publishHour(): Promise<void> {
    const hour = Math.floor(clock.now() / HOUR_MS);
    if (hour === doneHour) return;
    const businessIds = await findBusinesses(publishing.endpoints);
    let failure: unknown;
    const first = Math.floor(clock.random() * businessIds.length);
    for (const businessId of [...businessIds.slice(first), ...businessIds.slice(0, first)]) {
      if (isStopped) return;
      // A business whose head fails does not keep the others waiting.
      await publishHead(businessId, hour).catch((error) => {
        failure ??= error;
      });
    }
    // Without a key the ledger makes no heads, and says so when it starts.
    const isOff = failure !== undefined && errorType(failure) === "NOT_CONFIGURED";
    if (failure !== undefined && !isOff) throw failure;
    doneHour = hour;
  }

  async function publishHead(businessId: string, hour: number): Promise<void> {
    const id = idOfName("ledger-head", businessId, hour);
    if (await completeEvent(publishing, id)) return;
    const head = await makeHead(businessId);
    const at = clock.now();
    const payload = { head, timestamp: at };
    const body: EventBody<"LEDGER"> = { eventType: "LEDGER", status: "HEAD", payload };
    await publish(publishing, [{ id, businessId, transactionId: id, seq: 1, at, body }]);
  }

  const looks = repeat(lookEveryMs, publishHour, onError);
  looks.wake();
  return {
    wake: looks.wake,
    async stop() {
      isStopped = true;
      await looks.stop();
    },
  };
}

/** Reads all endpoints, once an hour: an index would cost each change of an endpoint more. */
async function findBusinesses(endpoints: mongo.Collection<Endpoint>): Promise<string[]> {
  const found = await endpoints
    .aggregate<{ _id: string }>([
      { $match: { eventTypes: "LEDGER", paymentLinkId: null, disabled: false } },
      { $group: { _id: "$businessId" } },
      { $sort: { _id: 1 } },
    ])
    .toArray();
  return found.map(({ _id }) => _id);
}
