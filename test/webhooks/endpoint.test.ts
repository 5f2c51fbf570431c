// How many deliveries a process holds and runs at each endpoint: places and turns, limits that
// depend on earlier exchanges, and the pauses of silent endpoints.

import { mock } from "node:test";
import {
  createEndpoints,
  MAX_LIMIT,
  SLOW_MS,
  START_LIMIT,
} from "../../services/webhooks/queue/endpoint.ts";
import { holdLimit } from "../../services/webhooks/queue/fairness.ts";
import { systemClock } from "../../shared/clock.ts";

const QUICK = { durationMs: 20, errorClass: null };
const FAILED = { durationMs: 20, errorClass: "status" } as const;
const SLOW = { durationMs: SLOW_MS + 1, errorClass: null };
const SILENT = { durationMs: SLOW_MS * 10, errorClass: "timeout" } as const;
const REFUSED = { durationMs: 1, errorClass: "connection" } as const;
type Kind = typeof QUICK | typeof FAILED | typeof SILENT | typeof REFUSED;

const settled = () => new Promise((resolve) => void setImmediate(resolve));

/** Endpoints at a settable time, and the deliveries that run at them. */
function someEndpoints({ running = { quick: 99, slow: 99, all: 198 }, held = 9_000 } = {}) {
  const clock = { ...systemClock, at: 1_000_000, now: () => clock.at, random: () => 0.5 };
  const endpoints = createEndpoints(clock, { running, held });
  const begun: string[] = [];
  const under: { id: string; end: (kind: Kind | null) => void }[] = [];
  const roomIn: string[] = [];

  /** Hands a delivery over, as the deliverer does. @returns its result when it has ended */
  async function hand(id = "e", business = id): Promise<string> {
    if (!endpoints.reserve(id, business)) return "refused";
    const done = await endpoints.run(id, () => {
      const at = new Date(clock.at);
      begun.push(id);
      return new Promise<{ attempt: null | (Kind & { at: Date }) }>((resolve) => {
        under.push({ id, end: (kind) => resolve({ attempt: kind && { ...kind, at } }) });
      });
    });
    if (endpoints.free(id)) roomIn.push(id);
    return done === null ? "given up" : "done";
  }
  async function hands(count: number, id = "e", business = id): Promise<string[]> {
    const handed = Array.from({ length: count }, () => hand(id, business));
    await settled();
    return Promise.all(handed.map((each) => Promise.race([each, Promise.resolve("held")])));
  }
  /** Ends running deliveries, the oldest ones first. */
  async function end(kind: Kind | null = null, count = 1, id?: string): Promise<void> {
    for (let i = 0; i < count; i++) {
      const at = under.findIndex((each) => id === undefined || each.id === id);
      under.splice(at, 1)[0]?.end(kind);
    }
    await settled();
  }
  /** Deliveries that begin now, one after another, and end so. */
  async function exchanges(count: number, kind: Kind, id = "e"): Promise<void> {
    for (let i = 0; i < count; i++) {
      await hands(1, id);
      await end(kind, 1, id);
    }
  }
  /** As many deliveries as may run at once, which end so. */
  async function roundTrip(kind: Kind): Promise<void> {
    const count = limit();
    await hands(count);
    clock.at += 50;
    await end(kind, count);
  }
  /** How many deliveries may run at an endpoint without any; 0 during a pause. */
  function limit(id = "e"): number {
    const room = endpoints.room(id);
    return Array.from({ length: MAX_LIMIT + 1 }, (_, i) => holdLimit(i)).indexOf(room);
  }
  const runningAt = (prefix: string) => under.filter(({ id }) => id.startsWith(prefix)).length;
  const parts = { endpoints, clock, begun, under, roomIn };
  return { ...parts, hand, hands, end, exchanges, roundTrip, limit, runningAt };
}

describe("turns and places", () => {
  test("businesses take turns, and then the endpoints of each", async () => {
    const { hands, begun, end } = someEndpoints({ running: { quick: 1, slow: 1, all: 1 } });
    for (const id of ["a1", "a2", "a3"]) await hands(2, id, "a");
    await hands(3, "b1", "b");
    await hands(1, "c1", "c");
    for (let i = 0; i < 10; i++) await end();
    expect(begun.join(" ")).toBe("a1 a1 b1 c1 a2 b1 a3 b1 a2 a3");
  });

  test("slow and quick endpoints have separate places and do not take each other's", async () => {
    const { hands, exchanges, runningAt } = someEndpoints({
      running: { quick: 4, slow: 4, all: 12 },
    });
    await exchanges(10, QUICK, "quick");
    for (let i = 0; i < 10; i++) await hands(1, `slow${i}`);
    expect(runningAt("slow")).toBe(4);
    await hands(10, "quick");
    expect(runningAt("quick")).toBe(4);
  });

  test("an endpoint that becomes slow frees its quick places", async () => {
    const { hands, exchanges, end, runningAt } = someEndpoints({
      running: { quick: 4, slow: 4, all: 12 },
    });
    const quick = ["dying0", "dying1", "dying2", "dying3", "healthy"];
    for (const id of quick) await exchanges(1, QUICK, id);
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      for (const id of quick) await hands(1, id);
      expect([runningAt("dying"), runningAt("healthy")]).toEqual([4, 0]);
      mock.timers.tick(SLOW_MS + 1);
      await settled();
      expect(runningAt("healthy")).toBe(1);
      await hands(1, "new");
      expect(runningAt("new")).toBe(0);
      await end(null, 1, "dying0");
      expect(runningAt("new")).toBe(1);
    } finally {
      mock.timers.reset();
    }
  });

  test("an endpoint holds only deliveries that begin soon, and names itself when it has room", async () => {
    const { hands, endpoints, under, roomIn, end } = someEndpoints();
    const places = holdLimit(START_LIMIT);
    const handed = await hands(places + 3);
    expect(under).toHaveLength(START_LIMIT);
    expect(handed.filter((each) => each === "refused")).toHaveLength(3);
    expect(endpoints.room("e")).toBe(0);
    await end(null, places / 2);
    expect(roomIn).toEqual(["e"]);
  });

  test("a new delivery does not overtake one that was refused a place before", async () => {
    const { endpoints, hands, roomIn, end } = someEndpoints();
    await hands(holdLimit(START_LIMIT));
    expect(endpoints.reserve("e", "e")).toBe(false);
    await end();
    expect(endpoints.reserve("e", "e", true)).toBe(false);
    while (roomIn.length === 0) await end();
    expect(endpoints.reserve("e", "e")).toBe(true);
    expect(endpoints.reserve("e", "e", true)).toBe(true);
  });

  test("a business takes at most half of the free slow places", async () => {
    const { hands, end, runningAt } = someEndpoints({ running: { quick: 4, slow: 8, all: 12 } });
    for (const business of ["a", "b", "c"]) {
      for (let i = 0; i < 20; i++) await hands(1, `${business}${i}`, business);
    }
    expect(["a", "b", "c"].map(runningAt)).toEqual([4, 2, 1]);
    for (let i = 0; i < 4; i++) await end(null, 1, `a${i}`);
    expect(runningAt("b") + runningAt("c")).toBeGreaterThan(3);
  });

  test("a business holds at most as many places as are free, and its endpoints share them", () => {
    const { endpoints } = someEndpoints({ held: 300 });
    /** Reserves as many places as possible for each endpoint in turn. @returns their number */
    const taken = (business: string, count: number) => {
      let sum = 0;
      for (let i = 0; i < count; i++) while (endpoints.reserve(business + i, business)) sum += 1;
      return sum;
    };
    for (const [business, count] of Object.entries({ a: 300, b: 300, c: 1, d: 300 })) {
      const sum = taken(business, count);
      expect(sum).toBeGreaterThan(0);
      expect(sum).toBeLessThanOrEqual(endpoints.room() + 1);
    }
    // A business that had all its places frees some, but not for the same endpoint.
    expect(endpoints.room("a0")).toBe(0);
    for (let i = 0; i < 7; i++) endpoints.free("a0");
    expect(endpoints.reserve("a299", "a") || endpoints.reserve("e0", "e")).toBe(true);
  });

  test("a stop begins no delivery any more, and running ones continue", async () => {
    const { endpoints, hand, hands, end } = someEndpoints();
    const handed = Array.from({ length: START_LIMIT + 2 }, () => hand());
    await settled();
    endpoints.stop();
    await end(null, START_LIMIT);
    const ends = [...Array(START_LIMIT).fill("done"), "given up", "given up"];
    expect(await Promise.all(handed)).toEqual(ends);
    expect(await hands(1)).toEqual(["refused"]);
  });
});

describe("the limit of an endpoint", () => {
  test("starts low and reaches the maximum after a few successful round trips", async () => {
    const { limit, roundTrip } = someEndpoints();
    expect(limit()).toBe(START_LIMIT);
    let rounds = 0;
    for (; limit() < MAX_LIMIT; rounds++) await roundTrip(QUICK);
    expect(rounds).toBeLessThanOrEqual(3);
    await roundTrip(QUICK);
    expect(limit()).toBe(MAX_LIMIT);
  });

  test("halves once per round trip with failures, down to the starting limit", async () => {
    const { limit, exchanges, roundTrip } = someEndpoints();
    await exchanges(MAX_LIMIT, QUICK);
    await roundTrip(FAILED);
    expect(limit()).toBe(MAX_LIMIT / 2);
    for (let i = 0; i < 10; i++) await roundTrip(FAILED);
    expect(limit()).toBe(START_LIMIT);
  });

  test("is low for a slow endpoint, and one for a silent endpoint", async () => {
    const { limit, exchanges } = someEndpoints();
    await exchanges(MAX_LIMIT, QUICK);
    await exchanges(1, SLOW);
    expect(limit()).toBe(START_LIMIT);
    await exchanges(1, SILENT);
    expect(limit()).toBe(1);
    await exchanges(1, SLOW);
    expect(limit()).toBe(1);
    await exchanges(1, QUICK);
    expect(limit()).toBe(2);
  });
});

describe("a silent endpoint", () => {
  test("is not one that answers with an error status", async () => {
    const { limit, exchanges } = someEndpoints();
    for (let i = 0; i < 20; i++) {
      await exchanges(4, SILENT);
      await exchanges(1, FAILED);
    }
    await exchanges(100, FAILED);
    expect(limit()).toBeGreaterThan(0);
  });

  test.each([
    ["times out", SILENT],
    ["refuses connections", REFUSED],
  ])(
    "is paused after five exchanges in a row where it %s, and gets single probes at growing distances",
    async (_, kind) => {
      const { limit, exchanges, clock } = someEndpoints();
      await exchanges(4, kind);
      expect(limit()).toBeGreaterThan(0);
      await exchanges(1, kind);
      const pauses: number[] = [];
      for (let i = 0; i < 7; i++) {
        const opened = clock.at;
        expect(limit()).toBe(0);
        while (limit() === 0 && clock.at < opened + 120_000) clock.at += 10;
        expect(limit()).toBe(1);
        pauses.push((clock.at - opened) / 1_000);
        await exchanges(1, kind);
      }
      expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30]);
    },
  );

  test("gives up its waiting deliveries, and running ones continue", async () => {
    const { hand, end, exchanges, under } = someEndpoints();
    await exchanges(4, REFUSED);
    const handed = Array.from({ length: 8 }, () => hand());
    await settled();
    expect(under).toHaveLength(START_LIMIT);
    await end(REFUSED);
    expect(await Promise.all(handed.slice(4))).toEqual(Array(4).fill("given up"));
    await end(null, 3);
    expect(await Promise.all(handed.slice(0, 4))).toEqual(Array(4).fill("done"));
    expect(await hand()).toBe("refused");
  });

  test("begins with a limit of one and a short next pause once a probe is answered", async () => {
    const { limit, exchanges, clock } = someEndpoints();
    await exchanges(5, SILENT);
    clock.at += 2_000;
    await exchanges(1, SILENT);
    clock.at += 3_000;
    await exchanges(1, FAILED);
    expect(limit()).toBe(1);
    await exchanges(1, QUICK);
    expect(limit()).toBe(2);
    await exchanges(5, SILENT);
    clock.at += 1_000;
    expect(limit()).toBe(1);
  });

  test("is not paused for longer by exchanges from before, and an answer to one ends the pause", async () => {
    const { limit, hands, end, exchanges, clock } = someEndpoints();
    await exchanges(10, QUICK);
    await hands(10);
    await end(SILENT, 7);
    clock.at += 1_000;
    await end(SILENT);
    expect(await hands(1)).toEqual(["refused"]);
    await end(SILENT);
    await end(QUICK);
    expect(limit()).toBe(2);
  });

  test("is probed by the next delivery if the probe's ended without an exchange", async () => {
    const { limit, hands, end, exchanges, clock } = someEndpoints();
    await exchanges(5, SILENT);
    clock.at += 1_000;
    for (let i = 0; i < 2; i++) {
      await hands(1);
      await end(null);
      expect(limit()).toBe(1);
    }
    await exchanges(1, SILENT);
    clock.at += 1_999;
    expect(limit()).toBe(0);
  });

  test("is another one than its neighbour, and starts anew after it is forgotten", async () => {
    const { endpoints, limit, hands, end, exchanges, clock } = someEndpoints();
    await exchanges(5, SILENT);
    expect(limit("other")).toBe(START_LIMIT);
    endpoints.forget("e");
    expect(limit()).toBe(START_LIMIT);
    await exchanges(5, SILENT);
    clock.at += 1_000;
    await hands(1);
    // While the probe runs.
    endpoints.forget("e");
    await end(SILENT);
    expect(limit()).toBe(1);
    await exchanges(3, SILENT);
    expect(limit()).toBe(1);
    await exchanges(1, SILENT);
    expect(limit()).toBe(0);
  });

  test("is not probed in step with others", async () => {
    const { limit, exchanges, clock } = someEndpoints();
    for (const [id, random] of [["a", 0] as const, ["b", 0.999] as const]) {
      clock.random = () => random;
      await exchanges(5, SILENT, id);
    }
    clock.at += 801;
    expect(limit("a")).toBe(1);
    clock.at += 1_199 - 801;
    expect(limit("b")).toBe(0);
    clock.at += 1;
    expect(limit("b")).toBe(1);
  });
});
