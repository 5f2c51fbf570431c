// Simulated time: one queue of events. The events of a crashed actor never happen, those of a
// paused actor happen late. Everything that a simulated process awaits is an event here, so a seed
// decides every interleaving.

import { isEndAwaited } from "../../shared/observability/event-loop.ts";

/** A process as the timeline sees it. */
export interface Actor {
  name: string;
  alive: boolean;
  /** Events of this actor before this time happen at this time. */
  pausedUntil: number;
}

interface Event {
  time: number;
  /** Events of one moment happen in the order in which they were added. */
  order: number;
  /** Null for an event outside of all processes: in the network or the database. */
  actor: Actor | null;
  /** It was due while its actor was paused. */
  isLate: boolean;
  run: () => void;
}

export interface Timeline {
  now(): number;
  /** Adds an event after so many ms. An event of an actor happens only while the actor lives. */
  after(ms: number, actor: Actor | null, run: () => void): void;
  /** Ends the pause of an actor: its late events happen now. */
  resume(actor: Actor): void;
  /**
   * Runs events until `isOver`. Returns false if `maxEvents` were not enough or no event is left.
   */
  drive(isOver: () => boolean, maxEvents: number): Promise<boolean>;
  events(): number;
}

export function createTimeline(): Timeline {
  const heap: Event[] = [];
  let now = 0;
  let order = 0;
  let events = 0;

  /**
   * Runs the next event. The result tells whether a process ran, because its promises must settle.
   */
  function step(): "quiet" | "outside" | "process" {
    const event = pop(heap);
    if (!event) return "quiet";
    now = Math.max(now, event.time);
    const { actor } = event;
    if (!actor) {
      event.run();
      return "outside";
    }
    if (!actor.alive) return "outside";
    if (actor.pausedUntil > now) {
      push(heap, { ...event, time: actor.pausedUntil, isLate: true });
      return "outside";
    }
    event.run();
    return "process";
  }

  return {
    now: () => now,
    after(ms, actor, run) {
      push(heap, { time: now + ms, order: order++, actor, isLate: false, run });
    },
    resume(actor) {
      actor.pausedUntil = now;
      for (const event of heap.splice(0)) {
        const isDue = event.actor === actor && event.isLate;
        push(heap, isDue ? { ...event, time: now, isLate: false } : event);
      }
    },
    events: () => events,
    drive: (isOver, maxEvents) =>
      new Promise((resolve) => {
        // Waits one turn of the event loop: by then all microtasks and the batches of gathers have
        // run.
        const afterProcess = () => (isEndAwaited() ? setImmediate(afterProcess) : turn());
        const turn = () => {
          for (;;) {
            if (isOver()) return resolve(true);
            const happened = events < maxEvents ? step() : "quiet";
            if (happened === "quiet") return resolve(false);
            events += 1;
            if (happened === "process") return setImmediate(afterProcess);
          }
        };
        // Promises from before this call settle first.
        setImmediate(afterProcess);
      }),
  };
}

function isBefore(a: Event, b: Event): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order);
}

function push(heap: Event[], event: Event): void {
  let at = heap.push(event) - 1;
  while (at > 0) {
    const above = (at - 1) >> 1;
    if (!isBefore(event, heap[above] as Event)) break;
    heap[at] = heap[above] as Event;
    at = above;
  }
  heap[at] = event;
}

function pop(heap: Event[]): Event | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (heap.length === 0 || !last) return first;
  let at = 0;
  for (;;) {
    let below = 2 * at + 1;
    if (below >= heap.length) break;
    if (below + 1 < heap.length && isBefore(heap[below + 1] as Event, heap[below] as Event)) {
      below += 1;
    }
    if (!isBefore(heap[below] as Event, last)) break;
    heap[at] = heap[below] as Event;
    at = below;
  }
  heap[at] = last;
  return first;
}
