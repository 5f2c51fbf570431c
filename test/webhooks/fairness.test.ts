// One endpoint or business does not delay the others.

import { type AddressInfo, createServer, type Socket } from "node:net";
import { START_LIMIT } from "../../services/webhooks/queue/endpoint.ts";
import {
  type EndpointTurns,
  endTurn,
  type Pace,
  pick,
  queue,
} from "../../services/webhooks/queue/fairness.ts";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import { newId } from "../../shared/ids.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { type System, startSystem, until } from "../support/system.ts";
import { seeded } from "../support/traffic.ts";
import { anEvent } from "../support/webhook-events.ts";

test("a free place is used, shares are kept, and every endpoint has its turn", () => {
  const { below, oneOf } = seeded();
  const bounds = { quick: 3, slow: 6, all: 8 };
  const paces: Pace[] = ["quick", "slow"];
  const businesses = Array.from({ length: 4 }, (_, i) => ({ id: `${i}`, held: 0, slow: 0 }));
  const endpoints = Array.from({ length: 12 }, () => {
    const counts = { held: 0, running: 0, waiting: [] as null[], passedOver: 0 };
    return { business: oneOf(businesses), pace: oneOf(paces), limit: 1 + below(4), ...counts };
  });
  type Load = (typeof endpoints)[number];
  const turns: EndpointTurns<Load> = { quick: new Map(), slow: new Map() };
  const running = { quick: 0, slow: 0 };
  const under: { endpoint: Load; pace: Pace }[] = [];

  const mayBegin = ({ waiting, running: own, limit, pace, business }: Load) =>
    waiting.length > 0 &&
    own < limit &&
    running.quick + running.slow < bounds.all &&
    running[pace] < bounds[pace] &&
    (pace === "quick" || business.slow < bounds.slow - running.slow);

  function count(endpoint: Load, pace: Pace, by: number): void {
    running[pace] += by;
    endpoint.running += by;
    if (pace === "slow") endpoint.business.slow += by;
    queue(turns, endpoint);
  }

  function begin(): void {
    const able = endpoints.filter(mayBegin);
    const endpoint = pick(turns, running, bounds);
    if (!endpoint) {
      expect(able).toEqual([]);
      return;
    }
    expect(able).toContain(endpoint);
    const { business, pace } = endpoint;
    for (const each of endpoints) {
      if (each === endpoint || !able.includes(each)) each.passedOver = 0;
      else if (each.business === business && each.pace === pace) each.passedOver += 1;
      expect(each.passedOver).toBeLessThan(endpoints.length);
    }
    endTurn(turns, endpoint);
    endpoint.waiting.pop();
    under.push({ endpoint, pace });
    count(endpoint, pace, 1);
  }

  function end(): void {
    const [ended] = under.splice(below(under.length), 1);
    if (!ended) return;
    if (below(4) === 0) ended.endpoint.pace = oneOf(paces);
    count(ended.endpoint, ended.pace, -1);
  }

  for (let step = 0; step < 20_000; step++) {
    const endpoint = oneOf(endpoints);
    if (endpoint.waiting.length < 5) endpoint.waiting.push(null);
    queue(turns, endpoint);
    oneOf([begin, begin, end])();
  }
  while (under.length > 0 || endpoints.some(mayBegin)) {
    begin();
    end();
  }
  expect(endpoints.filter(({ waiting }) => waiting.length > 0)).toEqual([]);
});

describe("the service", () => {
  let system: System;
  let receiver: Receiver;
  let blackHole: Awaited<ReturnType<typeof startBlackHole>>;

  beforeEach(async () => {
    receiver = await startReceiver();
    blackHole = await startBlackHole();
    // Longer than the test, so silent endpoints keep their places.
    const settings = { WEBHOOK_TIMEOUT: "90s", LOG_LEVEL: "fatal" };
    system = await startSystem([webhooks, webhooks], settings, { overNats: true });
  });
  afterEach(async () => {
    blackHole.stop();
    await receiver.stop();
    await system.stop();
  });

  const endpoint = (businessId: string, url: string) =>
    system.call("webhooks.createEndpoint", { businessId, url });

  test("delivers to an answering endpoint while a hundred are silent and others are slow", async () => {
    const slow = Promise.withResolvers<void>();
    receiver.behave(({ path }) => (path === "/slow" ? { after: slow.promise } : {}));
    const [crowded, ...dead] = Array.from({ length: 51 }, () => newId()) as [string, ...string[]];
    const silent = [...Array.from({ length: 50 }, () => crowded), ...dead];
    await Promise.all(silent.map((businessId) => endpoint(businessId, blackHole.url)));
    const slowOne = newId();
    await endpoint(slowOne, receiver.url("/slow"));
    const healthy = [crowded, ...Array.from({ length: 5 }, () => newId())];
    await Promise.all(healthy.map((each) => endpoint(each, receiver.url("/healthy"))));

    const publish = async (businessIds: string[], count: number) => {
      const events = businessIds.flatMap((businessId) =>
        Array.from({ length: count }, () => anEvent({ businessId })),
      );
      await system.call("webhooks.publish", { events });
      return events.map(({ id }) => id);
    };
    await publish([...dead, slowOne], 10);
    const expected = [...(await publish(healthy, 20)), ...(await publish(healthy, 20))];
    await until(() => new Set(receiver.accepted).size === expected.length);

    expect(receiver.accepted.toSorted()).toEqual(expected.toSorted());
    expect(blackHole.most()).toBeLessThanOrEqual(100 * START_LIMIT * 2);
    expect(blackHole.most()).toBeGreaterThan(50);
    expect(receiver.requests.filter(({ path }) => path === "/slow").length).toBeLessThanOrEqual(
      START_LIMIT * 2,
    );
    slow.resolve();
    await until(() => receiver.accepted.length >= expected.length + 10);
  });
});

/** Accepts connections and never answers. */
async function startBlackHole() {
  const sockets = new Set<Socket>();
  let most = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    most = Math.max(most, sockets.size);
    socket.on("close", () => sockets.delete(socket)).on("error", () => {});
    socket.resume();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    most: () => most,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
