// Assembles the webhooks' domain, once for each process: makes the parts that work by themselves,
// starts them, and stops them.

import type { Deps, Environment } from "./deps.ts";
import { publish } from "./events/events.ts";
import { createHeads } from "./events/heads.ts";
import { createReplayer, REPLAYS_EVERY_MS } from "./events/replay.ts";
import { createSwitchOff, NOTICES_EVERY_MS } from "./events/switch-off.ts";
import { createClaims } from "./queue/claims.ts";
import { endPending } from "./queue/deliveries.ts";
import { createDeliverer } from "./queue/delivery.ts";
import { readHealth } from "./queue/endpoint-health.ts";
import { createSweeper, DELIVERIES_EVERY_MS } from "./queue/sweeper.ts";

/** Makes and starts the parts. */
export function createDeps(environment: Environment): Deps {
  const { log, turns, makeHead } = environment;
  const triedAgain = (work: string) => (error: unknown) =>
    log.warn(`${work} failed and is tried again`, error);
  const onDue = (endpointIds: string[]) => sweeper.wake(endpointIds);

  const claims = createClaims({ ...environment, onDue });
  const deliverer = createDeliverer({
    ...environment,
    claims,
    onDue,
    onDueLater: (at) => sweeper.noticeDue(at),
    onAttempt: async (endpoint, attempt) => switchOff.note(endpoint, attempt),
  });
  const sweeper = createSweeper({
    ...environment,
    claims,
    deliverer,
    turns: turns(DELIVERIES_EVERY_MS),
    onError: triedAgain("A sweep of due webhooks"),
  });
  sweeper.start();
  const publishing = { ...environment, deliverer, sweeper };
  const heads = createHeads({
    publishing,
    makeHead,
    onError: triedAgain("A head of the ledger"),
  });
  const switchOff = createSwitchOff({
    ...environment,
    turns: turns(NOTICES_EVERY_MS),
    publish: (events) => publish(publishing, events),
    async onDisabled(id) {
      deliverer.forget(id);
      await endPending(environment, id, "disabled");
    },
    onError: triedAgain("Switching off an endpoint"),
  });
  const replayer = createReplayer({
    ...environment,
    turns: turns(REPLAYS_EVERY_MS),
    onDue,
    onError: triedAgain("A part of a replay"),
  });
  return {
    ...publishing,
    readHealth: (endpoint) => readHealth(environment.models, endpoint),
    switchOff,
    replayer,
    heads,
  };
}

/** Controls the parts, each before those that it hands work to. */
export async function stopDeps({ heads, replayer, sweeper, switchOff, deliverer }: Deps) {
  await heads.stop();
  await replayer.stop();
  await sweeper.stop();
  await switchOff.stop();
  await deliverer.stop();
}
