// The head of the ledger of each hour, for businesses with an endpoint that names the type LEDGER.
// The id of an event is made from the business and the hour, so the processes publish one event
// together; each begins at a moment and a business of its own, so that they seldom make the same
// head twice. Hours without a process are not made up.

import type { mongo } from "mongoose";
import type { EventBody } from "../../../shared/contracts/events.ts";
import { errorType } from "../../../shared/errors.ts";
import { idOfName } from "../../../shared/ids.ts";
import { type Sweep, startSweep } from "../../../shared/resumable/sweeps.ts";
import type { Endpoint } from "../endpoints/endpoint.model.ts";
import { completeEvent, type Publishing, publish } from "./events.ts";

const HOUR_MS = 3_600_000;
/** Each process begins at a random moment of this time after the hour. */
const SPREAD_MS = 60_000;
const RETRY_AFTER_MS = 60_000;
/** Each process knows its next moment, and looks at no other. */
const NO_TURNS = { everyMs: HOUR_MS, isOwn: () => false };

/**
 * Publishes heads until it is stopped: of the present hour immediately, then of each hour.
 * @param makeHead asks the ledger for a signed head
 */
export function createHeads({
  publishing,
  makeHead,
  onError,
}: {
  publishing: Publishing;
  makeHead: (businessId: string) => Promise<string>;
  onError: (error: unknown) => void;
}): Pick<Sweep, "stop"> {
  const { clock } = publishing;

  /** @returns the moment of the next round */
  async function publishHour(isStopped: () => boolean): Promise<number> {
    const hour = Math.floor(clock.now() / HOUR_MS);
    const businessIds = await findBusinesses(publishing.endpoints);
    const failures: unknown[] = [];
    const first = Math.floor(clock.random() * businessIds.length);
    for (const businessId of [...businessIds.slice(first), ...businessIds.slice(0, first)]) {
      if (isStopped()) break;
      // The other businesses get their heads although the head of this one fails.
      await publishHead(businessId, hour).catch((error) => failures.push(error));
    }
    // Without a key the ledger makes no heads, and says so when it starts.
    const [failure] = failures.filter((error) => errorType(error) !== "NOT_CONFIGURED");
    if (failure === undefined) return (hour + 1) * HOUR_MS + clock.random() * SPREAD_MS;
    onError(failure);
    return clock.now() + RETRY_AFTER_MS;
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

  return startSweep({ clock, turns: NO_TURNS, round: publishHour, onError });
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
