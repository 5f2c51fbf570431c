// Replays: ended deliveries of an endpoint are sent again under the same webhook-id. A replayed
// delivery becomes pending and due with the whole retry schedule before it; the sweeper then takes
// it.
//
// A replay of many deliveries is a document in its endpoint, done in parts by any process. A part
// that is done twice, because a process died or was slow, sends no delivery twice, because each
// delivery stores the id of its last replay. Within a transaction an earlier delivery becomes
// pending before a later one, so that the order (order.ts) holds among replayed deliveries.

import type { mongo } from "mongoose";
import type { Clock } from "../../../shared/clock.ts";
import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { ENDED_STATUSES } from "../../../shared/contracts/deliveries.ts";
import { EVENT_TYPES } from "../../../shared/contracts/events.ts";
import { fail, failField } from "../../../shared/errors.ts";
import { creationTime, lowestIdAt } from "../../../shared/ids.ts";
import { type Sweep, startSweep, type Turns } from "../../../shared/resumable/sweeps.ts";
import type { Creation } from "../../../shared/rpc/actions.ts";
import type { Deps } from "../deps.ts";
import type { Endpoint, Replay } from "../endpoints/endpoint.model.ts";
import { findEndpoint } from "../endpoints/endpoints.ts";
import { deliveryView, findDelivery } from "../queue/deliveries.ts";
import {
  type Delivery,
  OF_ENDPOINT,
  OF_TRANSACTION,
  pendingFrom,
} from "../queue/delivery.model.ts";

type Stored = Pick<Deps, "models" | "clock">;

const MAX_BATCH = 500;
/** How long a process has for a part before another process may take it. */
const TAKEN_MS = 10_000;
/** The interval of the turns. */
export const REPLAYS_EVERY_MS = TAKEN_MS / 2;

/**
 * Sends one delivery again. A pending delivery is due now; one with a running attempt stays as it
 * is. Of concurrent requests, one has an effect.
 * @throws WEBHOOK_NOT_FOUND, WEBHOOK_DISABLED, DELIVERY_NOT_FOUND
 */
export async function replayDelivery(
  deps: Stored,
  { businessId, id: endpointId, deliveryId }: Params<"webhooks.replayDelivery">,
  { id: replayId, isRepeat }: Omit<Creation, "secret">,
): Promise<Result<"webhooks.replayDelivery">> {
  const { disabled } = await findEndpoint(deps, businessId, endpointId);
  const delivery = await findDelivery(deps, endpointId, deliveryId);
  if (isRepeat && delivery.replayId === replayId) return deliveryView(delivery);
  if (disabled) fail("WEBHOOK_DISABLED");
  const now = new Date(deps.clock.now());
  const isPending = delivery.status === "PENDING";
  // A newer attempt shows that another request has replayed the delivery meanwhile.
  const seen = delivery.attempts.at(-1)?.at ?? new Date(0);
  const asSeen = isPending ? { claim: null } : { "attempts.at": { $not: { $gt: seen } } };
  const changed = await deps.models.webhook_deliveries
    .findOneAndUpdate(
      { _id: deliveryId, endpointId, status: delivery.status, ...asSeen },
      { ...(isPending ? { nextAttemptAt: now } : pendingFrom(now)), replayId },
      { new: true },
    )
    .lean();
  return deliveryView(changed ?? (await findDelivery(deps, endpointId, deliveryId)));
}

/**
 * Starts a replay of the ended deliveries of an endpoint that were created since a time.
 * @returns the number of deliveries; of the rest if an earlier run of the request began the replay
 * @throws VALIDATION if the time is not in the past; WEBHOOK_NOT_FOUND, WEBHOOK_DISABLED,
 *   WEBHOOK_REPLAY_RUNNING
 */
export async function beginReplay(
  deps: Stored,
  { businessId, id: endpointId, since, status }: Params<"webhooks.replay">,
  { id, isRepeat }: Omit<Creation, "secret">,
): Promise<Result<"webhooks.replay">> {
  const now = new Date(deps.clock.now());
  if (new Date(since) > now) failField("since", "must lie in the past");
  refuse(await findEndpoint(deps, businessId, endpointId), id);
  const replay: Replay = {
    id,
    statuses: status ? [status] : [...ENDED_STATUSES],
    after: lowestIdAt(Date.parse(since)),
    // The id has the time of the first run, so a second run covers the same deliveries.
    until: lowestIdAt(creationTime(id)),
    due: now,
  };
  const left = { ...within(endpointId, replay), ...(isRepeat && { replayId: { $ne: id } }) };
  const count = await deps.models.webhook_deliveries.countDocuments(left).hint(OF_ENDPOINT);
  if (count === 0) return { id: endpointId, count };
  const begun = await deps.models.webhook_endpoints.change(
    { _id: endpointId, businessId, disabled: false, replay: { $exists: false } },
    { replay },
  );
  if (!begun) {
    const endpoint = await findEndpoint(deps, businessId, endpointId);
    refuse(endpoint, id);
    // Without one, the endpoint was enabled, or another replay ended, at this moment.
    if (!endpoint.replay) fail("WEBHOOK_REPLAY_RUNNING", undefined, { retryAfterS: 5 });
  }
  return { id: endpointId, count };
}

/** @param id of the replay that an earlier run of the request may have begun */
function refuse({ disabled, replay }: Endpoint, id: string): void {
  if (disabled) fail("WEBHOOK_DISABLED");
  if (replay && replay.id !== id) fail("WEBHOOK_REPLAY_RUNNING", undefined, { retryAfterS: 5 });
}

/** Matches the deliveries that a replay has not passed yet. */
function within(endpointId: string, { statuses, after, until }: Replay) {
  return {
    endpointId,
    status: { $in: statuses },
    eventType: { $in: [...EVENT_TYPES] },
    _id: { $gt: after, $lt: until },
  };
}

/**
 * Works on all replays, part by part in turn, together with the other processes, until it is
 * stopped. `wake` looks for replays immediately.
 * @param onDue called with endpoints with deliveries that became due
 */
export function createReplayer(options: {
  endpoints: mongo.Collection<Endpoint>;
  deliveries: mongo.Collection<Delivery>;
  clock: Clock;
  turns: Turns;
  onDue: (endpointIds: string[]) => void;
  onError: (error: unknown) => void;
}): Pick<Sweep, "wake" | "stop"> {
  const { endpoints, deliveries, clock, turns, onDue, onError } = options;

  /** Does the part that is due first, unless another process has taken it meanwhile. */
  async function doNextPart(): Promise<void> {
    const now = new Date(clock.now());
    const endpoint = await endpoints.findOneAndUpdate(
      { "replay.due": { $lte: now } },
      { $set: { "replay.due": new Date(now.getTime() + TAKEN_MS) } },
      { sort: { "replay.due": 1 } },
    );
    if (!endpoint?.replay) return;
    const { _id: endpointId, disabled, replay } = endpoint;
    const last = disabled ? null : await sendPart(endpointId, replay);
    // If another process has done this part meanwhile, its progress stands.
    await endpoints.updateOne(
      { _id: endpointId, "replay.id": replay.id, "replay.after": replay.after },
      last === null
        ? { $unset: { replay: true } }
        : { $set: { "replay.after": last, "replay.due": new Date(clock.now()) } },
    );
  }

  /** @returns the id up to which the replay is done; null at its end */
  async function sendPart(endpointId: string, replay: Replay): Promise<string | null> {
    const next = await deliveries
      .find({ ...within(endpointId, replay), replayId: { $ne: replay.id } })
      .project<Pick<Delivery, "_id" | "transactionId">>({ transactionId: 1 })
      .hint(OF_ENDPOINT)
      .sort({ _id: 1 })
      .limit(MAX_BATCH)
      .toArray();
    const last = next.at(-1);
    if (!last) return null;
    const transactionIds = [...new Set(next.map(({ transactionId }) => transactionId))];
    await sendTransactions(endpointId, replay, transactionIds);
    onDue([endpointId]);
    return next.length < MAX_BATCH ? null : last._id;
  }

  /**
   * Replays all matching deliveries of these transactions in the order of `seq`, because the order
   * of ids is only as good as the agreement of two processes' clocks.
   */
  async function sendTransactions(
    endpointId: string,
    replay: Replay,
    transactionIds: string[],
  ): Promise<void> {
    const due = {
      ...within(endpointId, replay),
      transactionId: { $in: transactionIds },
      replayId: { $ne: replay.id },
    };
    const found = await deliveries
      .find(due)
      .project<Pick<Delivery, "_id" | "seq">>({ seq: 1 })
      .hint(OF_TRANSACTION)
      .toArray();
    const bySeq = [...Map.groupBy(found, ({ seq }) => seq)].toSorted(([a], [b]) => a - b);
    if (bySeq.length === 0) return;
    const { status, replayId } = due;
    const update = { $set: { ...pendingFrom(new Date(clock.now())), replayId: replay.id } };
    await deliveries.bulkWrite(
      bySeq.map(([, list]) => ({
        updateMany: {
          filter: { _id: { $in: list.map(({ _id }) => _id) }, status, replayId },
          update,
        },
      })),
      { ordered: true },
    );
  }

  /**
   * Terminates, because each part advances its replay.
   * @returns the moment from which a part is to do
   */
  async function doAll(isStopped: () => boolean): Promise<number | undefined> {
    for (;;) {
      const at = await earliestPart(endpoints);
      if (at === undefined || at > clock.now() || isStopped()) return at;
      await doNextPart();
    }
  }

  return startSweep({ clock, turns, round: doAll, onError });
}

/** When a part of a replay is due first, epoch ms. */
async function earliestPart(endpoints: mongo.Collection<Endpoint>): Promise<number | undefined> {
  const first = await endpoints.findOne(
    { "replay.due": { $exists: true } },
    { sort: { "replay.due": 1 }, projection: { "replay.due": 1 } },
  );
  return first?.replay?.due.getTime();
}
