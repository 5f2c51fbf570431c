// Simulated time: one queue of events, and actors whose events never come (crashed) or come late
// (paused). Everything that a simulated process awaits is an event here, so a seed decides every
// interleaving.

/** A process as time sees it. */
export interface Actor {
  name: string;
  alive: boolean;
  /** Until then nothing reaches it; what came meanwhile reaches it then. */
  pausedUntil: number;
}

interface Event {
  time: number;
  /** Events of one moment keep the order in which they were asked for. */
  order: number;
  /** Null for what happens outside of all processes: the network, the database. */
  actor: Actor | null;
  run: () => void;
}

export interface Timeline {
  now(): number;
  /** Something happens after so many ms; to an actor only while it lives. */
  after(ms: number, actor: Actor | null, run: () => void): void;
  /** Lets events happen until `isOver`; false where `maxEvents` were not enough or none are left. */
  drive(isOver: () => boolean, maxEvents: number): Promise<boolean>;
  events(): number;
}

export function createTimeline(): Timeline {
  const heap: Event[] = [];
  let now = 0;
  let order = 0;
  let events = 0;

  /** The next event happens; whether a process ran, whose promises have to come to rest. */
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
      push(heap, { ...event, time: actor.pausedUntil });
      return "outside";
    }
    event.run();
    return "process";
  }

  return {
    now: () => now,
    after(ms, actor, run) {
      push(heap, { time: now + ms, order: order++, actor, run });
    },
    events: () => events,
    drive: (isOver, maxEvents) =>
      new Promise((resolve) => {
        const turn = () => {
          for (;;) {
            if (isOver()) return resolve(true);
            const happened = events < maxEvents ? step() : "quiet";
            if (happened === "quiet") return resolve(false);
            events += 1;
            // All that the process does next is microtasks: they are through at the next turn.
            if (happened === "process") return setImmediate(turn);
          }
        };
        // What was begun before comes to rest first.
        setImmediate(turn);
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
