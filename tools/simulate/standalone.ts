// A simulated MongoDB for one caller with one request at a time: no message is lost or late.

import { createClient } from "./client.ts";
import { createCluster } from "./cluster.ts";
import { randomFrom } from "./random.ts";
import type { CollectionSetup } from "./replica-set.ts";
import { type Actor, createTimeline } from "./timeline.ts";
import { CALM } from "./weather.ts";

const EVENTS_AT_MOST = 100_000;

/**
 * Opens a client of a new simulated replica set, and a function that lets time pass until a promise
 * has settled.
 */
export function openStandalone(setups: CollectionSetup[]) {
  const timeline = createTimeline();
  const cluster = createCluster({
    timeline,
    random: randomFrom(1, "standalone"),
    weather: () => CALM,
    setups,
    onDurable: () => {},
  });
  const actor: Actor = { name: "caller", alive: true, pausedUntil: 0 };
  const client = createClient(
    (command) =>
      new Promise((resolve) => {
        cluster.receive(actor, command, (reply) => timeline.after(0, actor, () => resolve(reply)));
      }),
  );
  async function through<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    work.then(over, over);
    await timeline.drive(() => isOver, EVENTS_AT_MOST);
    return work;
  }
  return { client, through };
}
