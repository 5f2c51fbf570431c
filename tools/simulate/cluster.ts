// The simulated replica set in time: commands arrive late or never, writes wait for their majority,
// reads wait for their operationTime, and elections end the waits.

import { aggregated, type Doc, type Filter, matcher, sorted } from "./query.ts";
import type { Random } from "./random.ts";
import {
  type CollectionSetup,
  createReplicaSet,
  documentsFor,
  type Entry,
  type ReplicaSet,
  type View,
  type Write,
  type Written,
} from "./replica-set.ts";
import type { Actor, Timeline } from "./timeline.ts";
import type { Weather } from "./weather.ts";

export interface Read {
  collection: string;
  filter?: Filter;
  sort?: Record<string, 1>;
  limit?: number;
  pipeline?: Record<string, unknown>[];
  /** For majority reads: the operationTime that the read must show. */
  majority: boolean;
  after: number;
}

export interface WriteConcern {
  w?: number | "majority";
  wtimeout?: number;
}

export type Reply =
  | { docs: Doc[]; time: number }
  | { written: Written; concernFailed: boolean; time: number }
  | { broken: true };

export type Command = { read: Read } | { write: Write; concern: WriteConcern };

/** Safeguards of the server that a schedule removes. */
export interface ServerFaults {
  /** Majority reads show writes that a majority does not have yet. */
  localReads?: boolean;
  /** Writes are acknowledged before a majority has them. */
  earlyAcknowledge?: boolean;
}

interface Waiting {
  /** The number of entries that must be known durable, or the time that must be visible. */
  entries: number;
  time: number;
  isWrite: boolean;
  go: (met: boolean) => void;
}

/** More members than a replica set may have. */
const MEMBERS_AT_MOST = 50;

export type Cluster = ReturnType<typeof createCluster>;

export function createCluster(options: {
  timeline: Timeline;
  random: Random;
  weather: () => Weather;
  setups: CollectionSetup[];
  onDurable: (entry: Entry) => void;
  faults?: ServerFaults;
}) {
  const { timeline, random, weather, faults = {} } = options;
  const set: ReplicaSet = createReplicaSet(options.setups, options.onDurable);
  let waiting: Waiting[] = [];
  /** Replication stands still until this time. */
  let stalledUntil = 0;
  /** The previous primary, while some clients still talk to it. */
  let old: { view: View; time: number; until: number; clients: Set<Actor> } | null = null;

  function release(): void {
    const [entries, time] = [set.known(), set.visibleTime()];
    const due = waiting.filter((each) => each.entries <= entries && each.time <= time);
    if (due.length === 0) return;
    waiting = waiting.filter((each) => !due.includes(each));
    for (const { go } of due) go(true);
  }

  /** After a delay a majority has the present entries of the primary. */
  function replicate(): void {
    const [entries, elections] = [set.entries(), set.elections()];
    const stall = Math.max(0, stalledUntil - timeline.now());
    const delay = stall + random.next() * weather().replicationMs;
    timeline.after(delay, null, () => {
      if (elections !== set.elections()) return;
      set.commit(entries);
      release();
    });
  }

  function answerRead({ read }: { read: Read }, reply: (reply: Reply) => void): void {
    const { majority, after } = read;
    if (!majority || faults.localReads) {
      reply({ docs: findDocuments(set.newest, read), time: set.newestTime() });
      return;
    }
    const go = (met: boolean) =>
      reply(
        met
          ? { docs: findDocuments(set.visible, read), time: set.visibleTime() }
          : { broken: true },
      );
    if (set.visibleTime() >= after) go(true);
    else waiting.push({ entries: 0, time: after, isWrite: false, go });
  }

  function answerWrite(
    { write, concern }: { write: Write; concern: WriteConcern },
    reply: (reply: Reply) => void,
  ): void {
    const before = set.entries();
    const written = set.write(write);
    if (set.entries() > before) replicate();
    const answer = (concernFailed: boolean) =>
      reply({ written, concernFailed, time: written.time });
    if (typeof concern.w === "number" && concern.w >= MEMBERS_AT_MOST) {
      answer(true);
      return;
    }
    const isMet = set.known() >= written.needs || concern.w !== "majority";
    if (isMet || faults.earlyAcknowledge) {
      answer(false);
      return;
    }
    // After an election the outcome is unknown: some clients get an error, others lose the
    // connection.
    const isErrorSent = random.chance(0.5);
    const go = (met: boolean) => (met || isErrorSent ? answer(!met) : reply({ broken: true }));
    const each: Waiting = { entries: written.needs, time: 0, isWrite: true, go };
    waiting.push(each);
    const { wtimeout } = concern;
    if (!wtimeout || stalledUntil - timeline.now() < wtimeout) return;
    timeline.after(wtimeout, null, () => {
      if (!waiting.includes(each)) return;
      waiting = waiting.filter((other) => other !== each);
      answer(true);
    });
  }

  /**
   * The answers of the old primary: it serves reads of its old state, and never answers a read of
   * newer data.
   */
  function atOldPrimary(command: Command, reply: (reply: Reply) => void): void {
    const { view, time, until } = old as NonNullable<typeof old>;
    const read = "read" in command ? command.read : null;
    if (read && read.after <= time) reply({ docs: findDocuments(view, read), time });
    else timeline.after(until - timeline.now(), null, () => reply({ broken: true }));
  }

  return {
    set,

    /** Receives a command; `reply` gets the server's answer. */
    receive(client: Actor | null, command: Command, reply: (reply: Reply) => void): void {
      if (old && old.until <= timeline.now()) old = null;
      if (client && old?.clients.has(client)) atOldPrimary(command, reply);
      else if ("read" in command) answerRead(command, reply);
      else answerWrite(command, reply);
    },

    stall(ms: number): void {
      stalledUntil = Math.max(stalledUntil, timeline.now() + ms);
    },

    /**
     * Holds an election.
     * @param surviving the share of the entries above the commit point that are kept
     * @param lag the entries by which the known commit point is too old, and for how many ms
     * @param left the clients that go on talking to the old primary, and for how many ms
     */
    elect(surviving: number, lag: { entries: number; ms: number }, left: [Actor[], number]): void {
      const above = set.entries() - set.durable();
      const [clients, ms] = left;
      const until = timeline.now() + ms;
      old = { view: set.frozen(), time: set.visibleTime(), until, clients: new Set(clients) };
      set.elect(set.durable() + Math.round(surviving * above), lag.entries);
      stalledUntil = timeline.now() + lag.ms;
      replicate();
      const ended = waiting.filter(({ isWrite }) => isWrite);
      waiting = waiting.filter(({ isWrite }) => !isWrite);
      for (const { go } of ended) go(false);
    },

    heal(): void {
      stalledUntil = 0;
      old = null;
      replicate();
    },

    /** Whether majority reads of every client show all acknowledged writes. */
    isSettled: () => set.known() === set.durable() && (!old || old.until <= timeline.now()),
  };
}

/** Without a sort MongoDB promises no order; here the newest documents come first. */
function findDocuments(
  view: View,
  { collection, filter = {}, sort, limit, pipeline }: Read,
): Doc[] {
  const documents = view.get(collection) as Map<string | number, Doc>;
  if (pipeline) return aggregated([...documents.values()].toReversed(), pipeline);
  const found = documentsFor(documents, filter).filter(matcher(filter));
  const ordered = sort ? sorted(found, sort) : found.toReversed();
  return limit ? ordered.slice(0, limit) : ordered;
}
