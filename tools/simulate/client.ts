// MongoDB's driver in one process: the part of its API that the products use, over a network that
// loses, delays and repeats messages. Errors have the driver's shapes.

import type { Cluster, Command, Reply, WriteConcern } from "./cluster.ts";
import type { Doc, Filter } from "./query.ts";
import type { Random } from "./random.ts";
import type { Update, Write } from "./replica-set.ts";
import type { Actor, Timeline } from "./timeline.ts";
import type { Weather } from "./weather.ts";

export interface Session {
  operationTime?: number;
  clusterTime?: number;
  advanceOperationTime(time: number): void;
  advanceClusterTime(time: number): void;
  endSession(): Promise<void>;
}

interface Options {
  session?: Session;
  readConcern?: { level: string };
}

/** The statement of an update, in the names of the command. */
interface Statement extends Pick<Update, "multi"> {
  q: Filter;
  u: Update["update"];
}

type WriteCommand = { writeConcern: WriteConcern } & (
  | { insert: string; documents: Doc[] }
  | { update: string; updates: Statement[] }
);

export interface Client {
  startSession(): Session;
  collection(name: string): Collection;
}

export type Collection = ReturnType<typeof collectionOver>;

export type Send = (command: Command) => Promise<Reply>;

/** Creates the client of a process. */
export function createClient(send: Send, ordinary: WriteConcern = {}): Client {
  return { startSession, collection: (name) => collectionOver(name, send, ordinary) };
}

function startSession(): Session {
  return {
    advanceOperationTime(time) {
      this.operationTime = Math.max(this.operationTime ?? 0, time);
    },
    advanceClusterTime(time) {
      this.clusterTime = Math.max(this.clusterTime ?? 0, time);
    },
    async endSession() {},
  };
}

function collectionOver(name: string, send: Send, ordinary: WriteConcern) {
  async function documents(
    read: Omit<Extract<Command, { read: unknown }>["read"], "collection" | "majority" | "after">,
    { session, readConcern }: Options = {},
  ): Promise<Doc[]> {
    const majority = readConcern?.level === "majority";
    const after = session?.operationTime ?? 0;
    const reply = await send({ read: { ...read, collection: name, majority, after } });
    if (!("docs" in reply)) throw new Error("connection closed");
    advance(session, reply.time);
    return reply.docs;
  }

  async function written(write: Write, { session }: Options, concern = ordinary) {
    const reply = await send({ write, concern });
    if (!("written" in reply)) throw new Error("connection closed");
    advance(session, reply.time);
    return reply;
  }

  async function single(update: Update, options: Options) {
    const reply = await written({ updates: [update], collection: name }, options);
    const [refusal] = reply.written.writeErrors;
    if (refusal) throw Object.assign(new Error(refusal.errmsg), { code: refusal.code });
    if (reply.concernFailed) throw unmet();
    return counts(reply);
  }

  return {
    collectionName: name,
    db: {
      async command(command: WriteCommand, options: Options = {}) {
        const reply = await written(toWrite(name, command), options, command.writeConcern);
        if (reply.concernFailed) throw unmet();
        const { matched, modified, writeErrors } = reply.written;
        return { ok: 1, n: matched, nModified: modified, writeErrors };
      },
    },

    updateOne(filter: Filter, update: Record<string, Filter>, options: Options = {}) {
      return single({ filter, update }, options);
    },

    /** The documents of both have the same fields. */
    replaceOne(filter: Filter, { _id, ...$set }: Doc, options: Options = {}) {
      return single({ filter, update: { $set } }, options);
    },

    async insertOne(doc: Doc, options: Options = {}) {
      const reply = await written({ insert: [doc], collection: name }, options);
      const [refusal] = reply.written.writeErrors;
      if (refusal) throw Object.assign(new Error(refusal.errmsg), { code: refusal.code });
      if (reply.concernFailed) throw unmet();
    },

    updateMany(filter: Filter, update: Record<string, Filter>, options: Options = {}) {
      return single({ filter, update, multi: true }, options);
    },

    find(filter: Filter, options?: Options) {
      const cursor: { sort?: Record<string, 1>; limit?: number } = {};
      let fields: string[] | null = null;
      return {
        sort(order: Record<string, 1>) {
          cursor.sort = order;
          return this;
        },
        limit(count: number) {
          cursor.limit = count;
          return this;
        },
        project(projection: Record<string, 1>) {
          fields = ["_id", ...Object.keys(projection)];
          return this;
        },
        async toArray() {
          const docs = await documents({ filter, ...cursor }, options);
          return fields ? docs.map((doc) => projected(doc, fields as string[])) : docs;
        },
      };
    },

    async findOne(filter: Filter, options?: Options & { sort?: Record<string, 1> }) {
      const { sort, ...others } = options ?? {};
      return (await documents({ filter, sort, limit: 1 }, others))[0] ?? null;
    },

    aggregate: (pipeline: Record<string, unknown>[], options?: Options) => ({
      toArray: () => documents({ pipeline }, options),
    }),
  };
}

function projected(doc: Doc, fields: string[]): Doc {
  const had = fields.filter((field) => field in doc).map((field) => [field, doc[field]]);
  return Object.fromEntries(had) as Doc;
}

type WriteReply = Extract<Reply, { written: unknown }>;

function counts({ written: { matched, modified } }: WriteReply) {
  return { matchedCount: matched, modifiedCount: modified };
}

/** @throws if the command has no statement */
function toWrite(collection: string, command: WriteCommand): Write {
  const count = "insert" in command ? command.documents.length : command.updates.length;
  if (count === 0) throw Object.assign(new Error("Write batch sizes"), { code: 16 });
  if ("insert" in command) return { insert: command.documents, collection };
  const updates = command.updates.map(({ q, u, multi = false }) => ({
    filter: q,
    update: u,
    multi,
  }));
  return { updates, collection };
}

/** The error of a write that is done, but of which a majority may not have everything. */
function unmet(): Error {
  return Object.assign(new Error("write concern"), { code: 100 });
}

function advance(session: Session | undefined, time: number): void {
  session?.advanceOperationTime(time);
  session?.advanceClusterTime(time);
}

/**
 * The network between a process and the cluster. A lost request or reply gets no answer: the client
 * gives up after a while, and its request may still arrive later.
 * @param onExchange is called with commands and replies, for the printed schedule
 */
export function createNetwork(options: {
  actor: Actor;
  timeline: Timeline;
  random: Random;
  weather: () => Weather;
  cluster: Cluster;
  onExchange?: (command: Command, reply: Reply | "lost") => void;
}): Send {
  const { actor, timeline, random, weather, cluster, onExchange } = options;
  /** Replies that wait for the next checkpoint of this process. */
  const held: (() => void)[] = [];

  function latency(): number {
    const { latencyMs, slow, slowMs } = weather();
    return random.next() * (random.chance(slow) ? slowMs : latencyMs);
  }

  /** Runs `go` after the next acknowledged watermark of this process, or after a long delay. */
  function hold(go: () => void): void {
    let isHeld = true;
    const release = () => {
      if (isHeld) timeline.after(latency(), actor, go);
      isHeld = false;
    };
    held.push(release);
    timeline.after(1_000, actor, release);
  }

  function isToBeHeld(command: Command): boolean {
    const reads = "read" in command && command.read.collection === "ledger_accounts";
    return reads && random.chance(weather().heldReads);
  }

  return (command) =>
    new Promise((resolve) => {
      let isOver = false;
      const end = (reply: Reply) => {
        if (isOver) return;
        isOver = true;
        onExchange?.(command, "broken" in reply ? "lost" : reply);
        const isMark = "write" in command && command.write.collection === "ledger_watermarks";
        if (isMark) for (const release of held.splice(0)) release();
        resolve(reply);
      };
      const giveUp = () =>
        timeline.after(random.next() * weather().timeoutMs, actor, () => end({ broken: true }));
      const deliver = (ms: number, sent: Command, onReply: (reply: Reply) => void) =>
        timeline.after(ms, null, () => cluster.receive(actor, sent, onReply));
      const answer = (reply: Reply) => {
        if (isToBeHeld(command)) hold(() => end(reply));
        else timeline.after(latency(), actor, () => end(reply));
      };
      const { lost, resent, timeoutMs } = weather();
      if (random.chance(lost)) {
        giveUp();
        // The request is lost, or only its reply, or the request arrives after the client has given
        // up.
        const arrival = random.pick([null, latency(), timeoutMs + latency() * 10]);
        if (arrival !== null) deliver(arrival, command, () => {});
        return;
      }
      const first = latency();
      deliver(first, command, answer);
      if (random.chance(resent)) deliver(first + latency() * 5, again(command, random), answer);
    });
}

/** The same command again: resent by the driver, or duplicated on the network. */
function again(command: Command, random: Random): Command {
  if (!("write" in command) || !("insert" in command.write)) return command;
  return { ...command, write: { ...command.write, resent: random.chance(0.5) } };
}
