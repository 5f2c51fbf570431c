// How many deliveries an endpoint gets at once, by what came of those before; when it gets none, and
// how it is asked whether it is back.

import {
  createCircuits,
  MAX_LIMIT,
  SLOW_MS,
  START_LIMIT,
} from "../../services/webhooks/circuits.ts";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import { newId } from "../../shared/ids.ts";
import { type Received, type Receiver, startReceiver } from "../support/receiver.ts";
import { type System, startSystem, until } from "../support/system.ts";
import { anEvent, deliveriesOnce } from "../support/webhook-events.ts";

const QUICK = { durationMs: 20, answered: true, delivered: true };
const FAILED = { ...QUICK, delivered: false };
const SLOW = { ...QUICK, durationMs: SLOW_MS + 1 };
const SILENT = { durationMs: SLOW_MS * 10, answered: false, delivered: false };
const REFUSED = { ...SILENT, durationMs: 1 };

describe("an endpoint's circuit", () => {
  let now: number;
  let circuits: ReturnType<typeof createCircuits>;
  beforeEach(() => {
    now = 1_000_000;
    circuits = createCircuits(() => 0.5);
  });

  /** Exchanges that end now. @returns whether the last one left it open */
  function exchanges(count: number, kind: typeof QUICK, begunAt = now): boolean {
    let open = false;
    for (let i = 0; i < count; i++) open = circuits.ended("e", { ...kind, begunAt }, now);
    return open;
  }
  const limit = () => circuits.limit("e", now);

  test("begins with few, and has the most after a few round trips that went well", () => {
    expect(limit()).toBe(START_LIMIT);
    expect(circuits.isQuick("e")).toBe(false);
    let rounds = 0;
    for (; limit() < MAX_LIMIT; rounds++) {
      now += 50;
      exchanges(limit(), QUICK);
    }
    expect(rounds).toBeLessThanOrEqual(3);
    expect(circuits.isQuick("e")).toBe(true);
    exchanges(10, QUICK);
    expect(limit()).toBe(MAX_LIMIT);
  });

  test("halves once for all that fails in one round trip, not below few", () => {
    exchanges(MAX_LIMIT, QUICK);
    now += 50;
    exchanges(MAX_LIMIT, FAILED, now - 50);
    expect(limit()).toBe(MAX_LIMIT / 2);
    for (let i = 0; i < 10; i++) {
      now += 50;
      exchanges(1, FAILED);
    }
    expect(limit()).toBe(START_LIMIT);
    expect(circuits.isQuick("e")).toBe(true);
  });

  test("that is slow has few, that is silent for long has one", () => {
    exchanges(MAX_LIMIT, QUICK);
    exchanges(1, SLOW);
    expect([limit(), circuits.isQuick("e")]).toEqual([START_LIMIT, false]);
    exchanges(1, SILENT);
    expect([limit(), circuits.isQuick("e")]).toEqual([1, false]);
    exchanges(1, SLOW);
    expect(limit()).toBe(1);
    exchanges(1, QUICK);
    expect([limit(), circuits.isQuick("e")]).toEqual([2, true]);
  });

  test("never opens for answers, whatever they say", () => {
    for (let i = 0; i < 20; i++) {
      expect(exchanges(4, SILENT)).toBe(false);
      expect(exchanges(1, FAILED)).toBe(false);
    }
    expect(exchanges(100, FAILED)).toBe(false);
    expect(limit()).toBeGreaterThan(0);
  });

  test.each([
    ["times out", SILENT],
    ["refuses connections", REFUSED],
  ])(
    "opens after five in a row where it %s, and asks with one probe at a time, ever less often",
    (_, kind) => {
      expect(exchanges(4, kind)).toBe(false);
      expect(limit()).toBeGreaterThan(0);
      expect(exchanges(1, kind)).toBe(true);
      const pauses: number[] = [];
      for (let i = 0; i < 7; i++) {
        const opened = now;
        expect(limit()).toBe(0);
        while (limit() === 0 && now < opened + 120_000) now += 10;
        expect(limit()).toBe(1);
        pauses.push((now - opened) / 1_000);
        expect(exchanges(1, kind)).toBe(true);
      }
      expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30]);
    },
  );

  test("closes with an answer to the probe, to begin with little and a short pause", () => {
    exchanges(5, SILENT);
    now += 2_000;
    exchanges(1, SILENT);
    now += 3_000;
    expect(exchanges(1, FAILED)).toBe(false);
    expect(limit()).toBe(1);
    exchanges(1, QUICK);
    expect(limit()).toBe(2);
    exchanges(5, SILENT);
    now += 1_000;
    expect(limit()).toBe(1);
  });

  test("what was under way when it opened neither lengthens the pause nor counts as the probe", () => {
    const before = now;
    now += 10_000;
    exchanges(5, SILENT, before);
    exchanges(20, SILENT, before);
    now += 1_000;
    expect(limit()).toBe(1);
    exchanges(1, QUICK, before);
    expect(limit()).toBe(2);
  });

  test("is its own, and is new again where it is forgotten", () => {
    exchanges(5, SILENT);
    expect(circuits.limit("other", now)).toBe(START_LIMIT);
    circuits.forget("e");
    expect(limit()).toBe(START_LIMIT);
  });

  test("probes of many are not in step", () => {
    const random = [0, 0.999];
    const jittered = createCircuits(() => random.shift() as number);
    for (const id of ["a", "b"]) {
      for (let i = 0; i < 5; i++) jittered.ended(id, { ...SILENT, begunAt: now }, now);
    }
    expect(jittered.limit("a", now + 801)).toBe(1);
    expect(jittered.limit("b", now + 1_199)).toBe(0);
    expect(jittered.limit("b", now + 1_200)).toBe(1);
  });
});

describe("a receiver that is gone", () => {
  let system: System;
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
    system = await startSystem([webhooks], {
      WEBHOOK_RETRY_SCHEDULE: Array(50).fill("100ms").join(","),
      WEBHOOK_TIMEOUT: "5s",
    });
  });
  afterEach(async () => {
    await system.stop();
    await receiver.stop();
  });

  /** Waits until so many probes went, the first of them after so many requests. */
  function probed(count: number): Promise<number> {
    const waited = ({ at }: Received, i: number, all: Received[]) =>
      i > START_LIMIT && at - (all[i - 1] as Received).at > 500 ? [i] : [];
    return until(() => {
      const places = receiver.requests.flatMap(waited);
      return places.length >= count && places[0];
    });
  }

  test("is not tried sooner where it was changed, unless it is at another URL", async () => {
    const businessId = newId();
    const { id } = await system.call("webhooks.createEndpoint", {
      businessId,
      url: receiver.url("/first"),
    });
    const change = (changes: { url?: string; description?: string; disabled?: boolean }) =>
      system.call("webhooks.updateEndpoint", { businessId, id, ...changes });
    const publish = () =>
      system.call("webhooks.publish", {
        events: Array.from({ length: 10 }, () => anEvent({ businessId })),
      });
    receiver.behave(() => ({ drop: true }));
    await publish();
    // A pause of this machine may pass for the first.
    await probed(2);

    const { length } = receiver.requests;
    const { at: probedAt } = receiver.requests.at(-1) as Received;
    receiver.behave(() => ({ stall: "headers" }));
    await change({ description: "New", url: receiver.url("/first"), disabled: false });
    await system.call("webhooks.rotateSecret", { businessId, id });
    await until(() => receiver.requests.length > length);
    expect((receiver.requests[length] as Received).at - probedAt).toBeGreaterThan(1_000);

    // While nothing comes of that probe.
    await change({ url: receiver.url("/second") });
    const requestsAt = (at: string) => receiver.requests.filter(({ path }) => path === at);
    await until(() => requestsAt("/second").length === START_LIMIT - 1);
    expect(requestsAt("/first")).toHaveLength(length + 1);
  });

  test("is asked now and then, and then gets all that waited, little by little", async () => {
    const businessId = newId();
    await system.call("webhooks.createEndpoint", { businessId, url: receiver.url() });
    const events = Array.from({ length: 2_000 }, () => anEvent({ businessId }));
    receiver.behave(() => ({ drop: true }));
    for (let i = 0; i < events.length; i += 500) {
      await system.call("webhooks.publish", { events: events.slice(i, i + 500) });
    }
    expect(await probed(1)).toBeLessThanOrEqual(2 * START_LIMIT);
    // Nothing is recorded for those that wait, and none of their attempts is used up.
    for (const event of events.slice(-50)) {
      const [delivery] = await deliveriesOnce(system, event, () => true);
      expect(delivery).toMatchObject({ status: "PENDING", attempts: [] });
    }

    let open = 0;
    let answered = 0;
    const tooMany: number[] = [];
    receiver.behave(() => {
      open += 1;
      if (open > Math.min(answered + 1, MAX_LIMIT)) tooMany.push(open);
      const after = new Promise(setImmediate).then(() => {
        open -= 1;
        answered += 1;
      });
      return { after };
    });
    await until(() => new Set(receiver.accepted).size === events.length);
    expect(tooMany).toEqual([]);
    for (const event of events.slice(0, 50)) {
      await deliveriesOnce(system, event, ({ status }) => status === "DELIVERED");
    }
  });
});
