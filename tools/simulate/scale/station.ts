// A station: processors that serve work in the order of its arrival, in simulated time.

import type { Actor, Timeline } from "../timeline.ts";

export interface Station {
  /** Runs `go` when a processor has spent the time on it, for an actor if one is given. */
  serve(us: number, actor: Actor | null, go: () => void): void;
  /** The share of its time that the station has worked. */
  load(): number;
}

export function createStation(timeline: Timeline, processors: number): Station {
  /** When each processor is free; ms. */
  const freeAt = Array.from({ length: processors }, () => 0);
  let busyMs = 0;
  return {
    serve(us, actor, go) {
      const first = freeAt.indexOf(Math.min(...freeAt));
      const end = Math.max(timeline.now(), freeAt[first] as number) + us / 1_000;
      freeAt[first] = end;
      busyMs += us / 1_000;
      timeline.after(end - timeline.now(), actor, go);
    },
    load: () => busyMs / (processors * timeline.now()),
  };
}
