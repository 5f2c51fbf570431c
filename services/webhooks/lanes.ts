// Lanes: how much is done at once and held ready, in whole, for each business and for each endpoint.
// A lane is an endpoint's. Turns go round over the businesses that have something to do, then over
// the lanes of each. Nothing is held without a place that was reserved for it.
//
// Quick and slow have running places of their own, so that the slow ones take nothing from the quick
// ones. What turns out to be slow while it runs is moved to their account. Of slow places, and of those
// to hold something in, a business gets at most as many as are still free, and a lane at most as many
// as its business could still get: so there always are some, and those who want many share evenly.

import { SLOW_MS } from "./circuits.ts";

export interface LaneBounds {
  /** At once: begun in quick lanes and in slow ones, and all that has not ended yet. */
  running: { quick: number; slow: number; all: number };
  /** Running, waiting and reserved. */
  held: number;
}

export interface Lanes {
  /**
   * Reserves a place; false where there is none for the lane, for its business or in whole.
   * @param isNew so that it does not overtake what has asked for a place in vain
   */
  reserve(lane: string, business: string, isNew?: boolean): boolean;
  /** Gives a reserved place back. */
  free(lane: string): void;
  /** Places left for the lane, or in whole where none is named. Whoever finds none is told of room. */
  room(lane?: string): number;
  /**
   * Does the work when it is its turn, in a place that was reserved and that stays so.
   * @returns what the work does; null where it was not begun: the lane was emptied or all stopped
   */
  run<T>(lane: string, work: () => Promise<T>): Promise<T | null>;
  /** Begins nothing of what waits in the lane. */
  empty(lane: string): void;
  /** Begins nothing any more; what runs goes on. */
  stop(): void;
}

type Pace = "quick" | "slow";

interface Waiting {
  /** Begins the work; settles when it is over, however it went. */
  begin: () => Promise<void>;
  giveUp: () => void;
}

interface Lane {
  name: string;
  business: Business;
  held: number;
  running: number;
  waiting: Waiting[];
  /** Whether it stands in the turns of its business. */
  queued: boolean;
  /** Whether somebody has asked for a place in vain. */
  wanted: boolean;
}

interface Business {
  name: string;
  held: number;
  /** Slow places that it has. */
  slow: number;
  /** Lanes that have both something waiting and leave to run it, the next one first. */
  turns: Record<Pace, Lane[]>;
}

/**
 * How much a lane may hold that runs so many at once: what runs now, and next to nothing beside it
 * where it is slow, because claims lapse; a full one has enough ready for the next look at the database.
 */
export function placesFor(limit: number): number {
  return Math.ceil((limit * limit) / 2);
}

/**
 * @param limit how many may run in a lane at once, now; none: what waits there has been given up
 * @param isQuick whether a lane's work is over in good time
 * @param onRoom called when a lane that had no place for somebody is down to half
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

  const paceOf = ({ name }: Lane): Pace => (isQuick(name) ? "quick" : "slow");
  const mayRun = (lane: Lane) => lane.waiting.length > 0 && lane.running < limit(lane.name);

  function laneOf(name: string, businessName: string): Lane {
    const known = lanes.get(name);
    if (known) return known;
    const business = businesses.get(businessName) ?? {
      name: businessName,
      held: 0,
      slow: 0,
      turns: { quick: [], slow: [] },
    };
    const rest = { held: 0, running: 0, waiting: [], queued: false, wanted: false };
    return { name, business, ...rest };
  }

  function queue(lane: Lane): void {
    if (lane.queued || !mayRun(lane)) return;
    lane.queued = true;
    const pace = paceOf(lane);
    const own = lane.business.turns[pace];
    if (own.length === 0) turns[pace].push(lane.business);
    own.push(lane);
  }

  /** The lane whose turn it is; null where nothing of that pace may begin. */
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
      // What changed since it was queued: how many may run, or its pace.
      if (mayRun(lane) && paceOf(lane) === pace) return { lane, pace };
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

  function giveUp(lane: Lane): void {
    for (const each of lane.waiting.splice(0)) each.giveUp();
  }

  /** How many a lane may hold, by what it may run and by its share. */
  function mayHold({ name, business }: Lane): number {
    return Math.min(placesFor(limit(name)), bounds.held - held - business.held);
  }

  return {
    reserve(name, businessName, isNew = false) {
      const lane = laneOf(name, businessName);
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
      if (!lane) return Math.min(whole, placesFor(limit(name)));
      // Each one that is taken counts for the lane, its business and the whole.
      const share = Math.ceil((whole - lane.business.held - lane.held) / 3);
      const room = Math.max(Math.min(placesFor(limit(name)) - lane.held, share), 0);
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

    empty(name) {
      const lane = lanes.get(name);
      if (lane) giveUp(lane);
    },

    stop() {
      stopped = true;
      for (const lane of lanes.values()) giveUp(lane);
    },
  };
}
