// The MongoDB of a plant: three mongods in a replica set, whose members and clients reach each of
// them only through the network's proxies. The plant itself asks each mongod directly.
//
// Elections take about 2.5 s: half a second between heartbeats and two seconds to an election, a
// quarter of MongoDB's defaults, so that a run has many. A secondary gives up a silent source of
// the oplog about as much earlier, because a new primary cannot confirm writes before. All other
// settings are the defaults.

import { join } from "node:path";
import mongoose from "mongoose";
import { freePort } from "../../../tools/platform/ports.ts";
import { createDaemon, type Daemon } from "../../support/daemon.ts";
import { until } from "../../support/system.ts";
import { type Disk, type Filler, openDisk } from "./disk.ts";
import { identifyBy } from "./mongo-handshake.ts";
import type { Network } from "./network.ts";

const MEMBERS = 3;
const SET = "rs0";
const SETTINGS = { electionTimeoutMillis: 2_000, heartbeatIntervalMillis: 500 };
/** Seconds; MongoDB's defaults are 5 and 2. */
const PARAMETERS = { oplogNetworkTimeoutBufferSeconds: 1, oplogRetriedFindMaxSeconds: 1 };
const CACHE_GB = 0.25;
const OPLOG_MB = 200;
const DISK_MB = 1_024;
const ANSWERS_WITHIN_MS = 1_500;
const PRIMARY_WITHIN_MS = 60_000;
const LAG_AT_MOST_MS = 2_000;

export interface Member extends Daemon {
  /** The folder of its files. */
  path: string;
  /** Null if its disk cannot be filled here. */
  filler: Filler | null;
  /** Runs a command of the admin database, directly; fails after a bound. */
  command(command: mongoose.mongo.Document): Promise<mongoose.mongo.Document>;
}

export interface ReplicaSet {
  members: Member[];
  /** The URL of the database, through the proxies. */
  url: string;
  /** The member that takes writes and knows the latest term; null during an election. */
  findPrimary(): Promise<Member | null>;
  /** Waits for a primary. */
  primary(): Promise<Member>;
  /** The reason why it is not whole, with all members in sync; null if it is. */
  whyNotWhole(): Promise<string | null>;
}

interface Options {
  binary: string;
  /** The folder of the logs. */
  logs: string;
  /** The folder of the databases' files. */
  files: string;
  network: Network;
}

/** Starts the set; returns when it has a primary and every member is in sync. */
export async function startReplicaSet(
  { binary, logs, files, network }: Options,
  onStop: (stop: () => Promise<void>) => void,
): Promise<ReplicaSet> {
  const names = Array.from({ length: MEMBERS }, (_, i) => `mongo-${i}`);
  const ports = await Promise.all(names.map(() => freePort()));
  const from = identifyBy(new Map(ports.map((port, i) => [port, names[i] as string])));
  const stops: (() => Promise<void>)[] = [];
  onStop(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  const start = async (name: string, i: number): Promise<Member> => {
    const path = join(files, name);
    const port = ports[i] as number;
    const log = join(logs, `${name}.log`);
    const disk = await openDisk(path, DISK_MB);
    stops.push(disk.close);
    const member = createMember({
      name,
      port,
      disk,
      command: [binary, ...flags(path, port, log)],
      log,
    });
    stops.push(member.close, member.kill);
    await member.start();
    return member;
  };
  const members = await Promise.all(names.map(start));
  const hosts = await Promise.all(
    members.map(
      async ({ name, port }) => `127.0.0.1:${await network.link({ from, to: name, port })}`,
    ),
  );
  await (members[0] as Member).command({
    replSetInitiate: {
      _id: SET,
      members: hosts.map((host, _id) => ({ _id, host })),
      settings: SETTINGS,
    },
  });
  const set = overMembers(members);
  await until(async () => (await set.whyNotWhole()) === null, {
    within: PRIMARY_WITHIN_MS,
    awaited: `the replica set; its logs are in ${logs}`,
  });
  return { ...set, url: `mongodb://${hosts.join(",")}/payrail?replicaSet=${SET}` };
}

function flags(path: string, port: number, log: string): string[] {
  return [
    ...["--dbpath", path, "--port", String(port), "--bind_ip", "127.0.0.1", "--nounixsocket"],
    ...["--replSet", SET, "--oplogSize", String(OPLOG_MB)],
    ...["--wiredTigerCacheSizeGB", String(CACHE_GB)],
    ...["--logpath", log, "--logappend", "--quiet"],
    ...Object.entries(PARAMETERS).flatMap(([name, value]) => [
      "--setParameter",
      `${name}=${value}`,
    ]),
    ...["--setParameter", "diagnosticDataCollectionEnabled=false"],
    // With it a mongod tells the proxies its name, and takes fail points.
    ...["--setParameter", "enableTestCommands=1"],
  ];
}

function createMember(options: {
  name: string;
  port: number;
  disk: Disk;
  command: string[];
  log: string;
}): Member & { close(): Promise<void> } {
  const { name, port, disk, command, log } = options;
  const explain = `its log is ${log}`;
  const daemon = createDaemon({ name, port, command: disk.within(command), explain });
  const client = new mongoose.mongo.MongoClient(`mongodb://127.0.0.1:${port}/`, {
    directConnection: true,
    serverSelectionTimeoutMS: ANSWERS_WITHIN_MS,
    connectTimeoutMS: ANSWERS_WITHIN_MS,
    heartbeatFrequencyMS: 1_000,
    // For the reason in shared/storage/database.ts.
    serverMonitoringMode: "poll",
  });
  return {
    ...daemon,
    path: disk.path,
    filler: disk.filler,
    command: (asked) => client.db("admin").command(asked, { timeoutMS: ANSWERS_WITHIN_MS }),
    close: () => client.close(),
  };
}

interface Status {
  members: { name: string; stateStr: string; health: number; optimeDate: Date }[];
}

function overMembers(members: Member[]): Omit<ReplicaSet, "url"> {
  async function findPrimary(): Promise<Member | null> {
    const answers = await Promise.all(
      members.map(async (member) => {
        if (!member.isRunning()) return null;
        const hello = await member.command({ hello: 1 }).catch(() => null);
        // Counters of a term come first in an election's id.
        return hello?.isWritablePrimary ? { member, term: String(hello.electionId) } : null;
      }),
    );
    const primaries = answers.filter((answer) => answer !== null);
    return primaries.toSorted((a, b) => (a.term < b.term ? 1 : -1))[0]?.member ?? null;
  }

  return {
    members,
    findPrimary,
    primary: () => until(findPrimary, { within: PRIMARY_WITHIN_MS, awaited: "a primary" }),
    async whyNotWhole() {
      const primary = await findPrimary();
      if (!primary) {
        return `the replica set has no primary: ${(await Promise.all(members.map(tellState))).join(", ")}`;
      }
      const status = await primary.command({ replSetGetStatus: 1 }).catch(() => null);
      return status ? lackOf(status as Status) : `${primary.name} does not answer`;
    },
  };
}

/** What a member says of itself, or why it does not answer. */
async function tellState({ name, isRunning, command }: Member): Promise<string> {
  if (!isRunning()) return `${name} does not run`;
  const say = ({ isWritablePrimary, secondary }: Record<string, unknown>) =>
    isWritablePrimary ? "is the primary" : secondary ? "is a secondary" : "is neither";
  return `${name} ${await command({ hello: 1 }).then(say, (error: Error) => error.message)}`;
}

function lackOf({ members }: Status): string | null {
  const newest = Math.max(...members.map(({ optimeDate }) => Number(optimeDate)));
  const isInSync = ({ stateStr, health, optimeDate }: Status["members"][number]) =>
    health === 1 &&
    ["PRIMARY", "SECONDARY"].includes(stateStr) &&
    newest - Number(optimeDate) <= LAG_AT_MOST_MS;
  const lacking = members.filter((member) => !isInSync(member));
  if (lacking.length === 0) return null;
  return `not in sync: ${lacking.map(({ name, stateStr }) => `${name} ${stateStr}`).join(", ")}`;
}
