// Lanes: bound the deliveries that run and that are held in memory, for the process, for each
// business and for each endpoint. An endpoint has one lane. Turns rotate over the businesses, then
// over the lanes of each business. Every held delivery has a reserved place.
//
// Quick and slow lanes have separate running places, so slow endpoints take none from quick ones. A
// delivery that turns slow while it runs is counted as slow from then on. A business may hold at
// most as many slow places as remain free, so one business never takes more than half of them. The
// same rule applies to the places that hold deliveries, and to the lanes of a business.

import { SLOW_MS } from "./circuits.ts";

export interface LaneBounds {
  /** Running at once: started in quick lanes, started in slow lanes, and in total. */
  running: { quick: number; slow: number; all: number };
  /** Running, waiting and reserved. */
  held: number;
}

export interface Lanes {
  /**
   * Reserves a place.
   * @param isNew true for new work, which does not overtake work that was refused a place
   * @returns false if the lane, its business or the process has no free place
   */
  reserve(lane: string, business: string, isNew?: boolean): boolean;
  /** Gives a reserved place back. */
  free(lane: string): void;
  /** The free places of the lane or the process; `onRoom` reports a full lane once it has room. */
  room(lane?: string): number;
  /**
   * Runs the work at its turn, in a reserved place; the place stays reserved.
   * @returns the work's result; null if its lane was emptied, or all stopped, before it started
   */
  run<T>(lane: string, work: () => Promise<T>): Promise<T | null>;
  /** Drops the waiting work of the lane. */
  empty(lane: string): void;
  /** Starts no work any more; running work goes on. */
  stop(): void;
}

type Pace = "quick" | "slow";

interface Waiting {
  /** Starts the work; resolves at its end, also after an error. */
  begin: () => Promise<void>;
  giveUp: () => void;
}

interface Lane {
  name: string;
  business: Business;
  held: number;
  running: number;
  waiting: Waiting[];
  /** In the turns of its business. */
  queued: boolean;
  /** Whether a place was refused since the lane last had room. */
  wanted: boolean;
}

interface Business {
  name: string;
  held: number;
  slow: number;
  /** Lanes with waiting work that may run, the next one first. */
  turns: Record<Pace, Lane[]>;
}

/**
 * How many deliveries a lane may hold, by how many it may run. A low limit holds few, because the
 * claims of waiting deliveries expire. A high limit holds enough until the next read of the
 * database.
 */
export function holdLimit(limit: number): number {
  return Math.ceil((limit * limit) / 2);
}

/**
 * @param limit how many may run in a lane at once now; 0 if its waiting work was given up
 * @param isQuick whether the lane's work ends quickly
 * @param onRoom called when a lane that refused a place has half of its places free again
 */
export function createLanes(options: {
  bounds: LaneBounds;
  limit: (lane: string) => number;
  isQuick: (lane: string) => boolean;
  onRoom: (lane: string) => void;
}): Lanes {
  const { bounds, limit, isQuick, onRoom } = options;
  const lanes = new Map<string, Lane>();
  const businesses = new Map<string, Business>();
  /** Businesses that have a turn, the next one first. */
  const turns: Record<Pace, Business[]> = { quick: [], slow: [] };
  const running = { quick: 0, slow: 0 };
  let held = 0;
  let last: Pace = "slow";
  let stopped = false;

  const lanePace = ({ name }: Lane): Pace => (isQuick(name) ? "quick" : "slow");
  const mayRun = (lane: Lane) => lane.waiting.length > 0 && lane.running < limit(lane.name);

  function getLane(name: string, businessName: string): Lane {
    const known = lanes.get(name);
    if (known) return known;
    const fresh = { name: businessName, held: 0, slow: 0, turns: { quick: [], slow: [] } };
    const business = businesses.get(businessName) ?? fresh;
    return { name, business, held: 0, running: 0, waiting: [], queued: false, wanted: false };
  }

  function queue(lane: Lane): void {
    if (lane.queued || !mayRun(lane)) return;
    lane.queued = true;
    const pace = lanePace(lane);
    const own = lane.business.turns[pace];
    if (own.length === 0) turns[pace].push(lane.business);
    own.push(lane);
  }

  /** The lane with the next turn; null if no work of that pace may start. */
  function next(pace: Pace): { lane: Lane; pace: Pace } | null {
    let passed = 0;
    while (turns[pace].length > passed && running[pace] < bounds.running[pace]) {
      const business = turns[pace].shift() as Business;
      if (pace === "slow" && business.slow >= bounds.running.slow - running.slow) {
        turns.slow.push(business);
        passed += 1;
        continue;
      }
      const lane = business.turns[pace].shift() as Lane;
      if (business.turns[pace].length > 0) turns[pace].push(business);
      lane.queued = false;
      // The lane's limit or pace may have changed since it was queued.
      if (mayRun(lane) && lanePace(lane) === pace) return { lane, pace };
      queue(lane);
      passed = 0;
    }
    return null;
  }

  function takeTurns(): void {
    while (running.quick + running.slow < bounds.running.all) {
      const turn = next(last === "quick" ? "slow" : "quick") ?? next(last);
      if (turn === null) return;
      last = turn.pace;
      begin(turn.lane, turn.pace);
      queue(turn.lane);
    }
  }

  function count(pace: Pace, business: Business, by: 1 | -1): void {
    running[pace] += by;
    if (pace === "slow") business.slow += by;
  }

  function begin(lane: Lane, begunAs: Pace): void {
    const { business } = lane;
    const { begin: work } = lane.waiting.shift() as Waiting;
    let pace = begunAs;
    lane.running += 1;
    count(pace, business, 1);
    const timer = setTimeout(() => {
      count(pace, business, -1);
      pace = "slow";
      count(pace, business, 1);
      takeTurns();
    }, SLOW_MS).unref();
    void work().then(() => {
      clearTimeout(timer);
      lane.running -= 1;
      count(pace, business, -1);
      queue(lane);
      takeTurns();
    });
  }

  function empty(name: string): void {
    for (const each of lanes.get(name)?.waiting.splice(0) ?? []) each.giveUp();
  }

  /** By the lane's limit and its share. */
  function mayHold({ name, business }: Lane): number {
    return Math.min(holdLimit(limit(name)), bounds.held - held - business.held);
  }

  return {
    reserve(name, businessName, isNew = false) {
      const lane = getLane(name, businessName);
      const { business } = lane;
      const fits = lane.held < mayHold(lane);
      if (!fits) lane.wanted = true;
      if (!fits || stopped || (isNew && lane.wanted)) return false;
      lanes.set(name, lane);
      businesses.set(business.name, business);
      lane.held += 1;
      business.held += 1;
      held += 1;
      return true;
    },

    free(name) {
      const lane = lanes.get(name) as Lane;
      const { business } = lane;
      lane.held -= 1;
      business.held -= 1;
      held -= 1;
      if (lane.held === 0) lanes.delete(name);
      if (business.held === 0) businesses.delete(business.name);
      const most = mayHold(lane);
      if (!lane.wanted || most <= 0 || lane.held > most / 2) return;
      lane.wanted = false;
      onRoom(name);
    },

    room(name) {
      const whole = stopped ? 0 : bounds.held - held;
      if (name === undefined) return whole;
      const lane = lanes.get(name);
      if (!lane) return Math.min(whole, holdLimit(limit(name)));
      // Each taken place counts for the lane, its business and the process.
      const share = Math.ceil((whole - lane.business.held - lane.held) / 3);
      const room = Math.max(Math.min(holdLimit(limit(name)) - lane.held, share), 0);
      if (room === 0) lane.wanted = true;
      return room;
    },

    async run<T>(name: string, work: () => Promise<T>) {
      const lane = lanes.get(name) as Lane;
      if (stopped || limit(name) === 0) return null;
      return new Promise<T | null>((resolve, reject) => {
        lane.waiting.push({
          begin: () => work().then(resolve, reject),
          giveUp: () => resolve(null),
        });
        queue(lane);
        takeTurns();
      });
    },

    empty,

    stop() {
      stopped = true;
      for (const name of lanes.keys()) empty(name);
    },
  };
}
