// The number of concurrent deliveries to an endpoint, which depends on earlier exchanges, and the
// times without deliveries.

import {
  createCircuits,
  MAX_LIMIT,
  SLOW_MS,
  START_LIMIT,
} from "../../services/webhooks/queue/circuits.ts";

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

  /** Exchanges that end now. @returns whether the circuit is open after the last one */
  function exchanges(count: number, kind: typeof QUICK, begunAt = now): boolean {
    let open = false;
    for (let i = 0; i < count; i++) open = circuits.ended("e", { ...kind, begunAt }, now);
    return open;
  }
  const limit = () => circuits.limit("e", now);

  test("starts with a low limit and reaches the maximum after a few successful round trips", () => {
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

  test("halves the limit once per round trip with failures, down to the starting limit", () => {
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

  test("has a low limit for a slow endpoint, and a limit of one for a silent endpoint", () => {
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

  test("never opens because of an answer with an error status", () => {
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
    "opens after five exchanges in a row where the endpoint %s, and sends single probes at growing pauses",
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

  test("closes when a probe is answered, with a limit of one and a short next pause", () => {
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

  test("ignores exchanges from before it opened, for the pause and as the probe", () => {
    const before = now;
    now += 10_000;
    exchanges(5, SILENT, before);
    exchanges(20, SILENT, before);
    now += 1_000;
    expect(limit()).toBe(1);
    exchanges(1, QUICK, before);
    expect(limit()).toBe(2);
  });

  test("is separate for each endpoint, and starts anew after it is forgotten", () => {
    exchanges(5, SILENT);
    expect(circuits.limit("other", now)).toBe(START_LIMIT);
    circuits.forget("e");
    expect(limit()).toBe(START_LIMIT);
  });

  test("spreads the probes of several endpoints by jitter", () => {
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
