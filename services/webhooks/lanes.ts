// Lanes: how much is done at once, per endpoint and in whole, and how much more this process may hold
// ready. Every lane that has something to do gets its turn. Nothing is held without a place that was
// reserved for it.

export interface LaneBounds {
  /** At once, in one lane and in whole. */
  running: { lane: number; all: number };
  /** Running, waiting and reserved, in one lane and in whole. */
  held: { lane: number; all: number };
}

export interface Lanes {
  /** Reserves a place; false where none is left. */
  reserve(lane: string): boolean;
  /** Gives a reserved place back. */
  free(lane: string): void;
  /**
   * Does the work when it is its turn, in a place that was reserved and that stays so.
   * @returns what the work does; null where it was not begun, because the lanes were stopped
   */
  run<T>(lane: string, work: () => Promise<T>): Promise<T | null>;
  /** Lanes without a place left. */
  full(): string[];
  /** Places left in whole. */
  room(): number;
  /** Begins nothing any more; what runs goes on. */
  stop(): void;
}

interface Waiting {
  /** Begins the work; settles when it is over, however it went. */
  begin: () => Promise<void>;
  giveUp: () => void;
}

interface Lane {
  held: number;
  running: number;
  waiting: Waiting[];
  wasFull: boolean;
}

/** @param onRoom called when a lane, or the whole, that was full is down to half */
export function createLanes(bounds: LaneBounds, onRoom: () => void): Lanes {
  const lanes = new Map<string, Lane>();
  /** Lanes that have both something waiting and leave to run it, the next one first. */
  const turns: Lane[] = [];
  const whole = { held: 0, running: 0, wasFull: false };
  let stopped = false;

  function free(name: string): void {
    const lane = lanes.get(name) as Lane;
    lane.held -= 1;
    whole.held -= 1;
    if (lane.held === 0) lanes.delete(name);
    const laneHasRoom = lane.wasFull && lane.held <= bounds.held.lane / 2;
    const wholeHasRoom = whole.wasFull && whole.held <= bounds.held.all / 2;
    if (laneHasRoom) lane.wasFull = false;
    if (wholeHasRoom) whole.wasFull = false;
    if (laneHasRoom || wholeHasRoom) onRoom();
  }

  function takeTurns(): void {
    while (turns.length > 0 && whole.running < bounds.running.all) {
      const lane = turns.shift() as Lane;
      const next = lane.waiting.shift() as Waiting;
      lane.running += 1;
      whole.running += 1;
      if (lane.waiting.length > 0 && lane.running < bounds.running.lane) turns.push(lane);
      void next.begin().then(() => over(lane));
    }
  }

  function over(lane: Lane): void {
    if (lane.waiting.length > 0 && lane.running === bounds.running.lane) turns.push(lane);
    lane.running -= 1;
    whole.running -= 1;
    takeTurns();
  }

  return {
    reserve(name) {
      const lane = lanes.get(name) ?? { held: 0, running: 0, waiting: [], wasFull: false };
      const fits = lane.held < bounds.held.lane && whole.held < bounds.held.all;
      if (!fits || stopped) return false;
      lanes.set(name, lane);
      lane.held += 1;
      whole.held += 1;
      if (lane.held === bounds.held.lane) lane.wasFull = true;
      if (whole.held === bounds.held.all) whole.wasFull = true;
      return true;
    },

    free,

    async run<T>(name: string, work: () => Promise<T>) {
      const lane = lanes.get(name) as Lane;
      if (stopped) return null;
      return new Promise<T | null>((resolve, reject) => {
        lane.waiting.push({
          begin: () => work().then(resolve, reject),
          giveUp: () => resolve(null),
        });
        const isFirst = lane.waiting.length === 1;
        if (isFirst && lane.running < bounds.running.lane) turns.push(lane);
        takeTurns();
      });
    },

    full: () =>
      [...lanes].filter(([, lane]) => lane.held === bounds.held.lane).map(([name]) => name),

    room: () => bounds.held.all - whole.held,

    stop() {
      stopped = true;
      turns.length = 0;
      for (const lane of lanes.values()) {
        for (const { giveUp } of lane.waiting.splice(0)) giveUp();
      }
    },
  };
}
