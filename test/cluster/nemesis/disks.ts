// Faults of a mongod's disk: full, slow, and a crash that loses what was not journalled.

import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Random } from "../../../tools/simulate/random.ts";
import { until } from "../../support/system.ts";
import type { Plant } from "../plant/plant.ts";
import type { Member } from "../plant/replica-set.ts";
import type { Fault } from "./fault.ts";
import { startAgain } from "./processes.ts";

/** Flushes of the journal wait while it is on, and with them every journalled write. */
const PAUSE = "pauseJournalFlusherBeforeFlush";
const CHECKPOINTS = "pauseCheckpointThread";
const OFF_WITHIN_MS = 30_000;
const UNJOURNALLED_MS = 1_000;
const SLOW_FLUSH_MS = 250;
const BETWEEN_FLUSHES_MS = 50;

/** The primary more often than not, because most harm is done there. */
async function anyMember({ mongo }: Plant, random: Random): Promise<Member> {
  return random.chance(0.5) ? mongo.primary() : random.pick(mongo.members);
}

const setFailPoint = (member: Member, name: string, mode: "alwaysOn" | "off") =>
  member.command({ configureFailPoint: name, mode });

/** Lets flushes run again. A mongod that another fault has ended has forgotten the pause. */
async function endPause(member: Member): Promise<void> {
  const isOff = async () =>
    !member.isRunning() || (await setFailPoint(member, PAUSE, "off").catch(() => null)) !== null;
  await until(isOff, { within: OFF_WITHIN_MS, awaited: `the journal of ${member.name}` });
}

/**
 * Ends a mongod as a loss of power does: the files of its journal are as of a flush a second
 * before. A plain kill loses nothing, because the kernel keeps what a process has written.
 * @param copy the folder of a copy, which is removed
 */
export async function loseUnjournalled(member: Member, copy: string): Promise<void> {
  const journal = join(member.path, "journal");
  await setFailPoint(member, CHECKPOINTS, "alwaysOn");
  // It also waits for a checkpoint that is under way.
  await member.command({ fsync: 1 });
  await setFailPoint(member, PAUSE, "alwaysOn");
  member.signal("SIGSTOP");
  await cp(journal, copy, { recursive: true });
  member.signal("SIGCONT");
  await pause(UNJOURNALLED_MS);
  await member.kill();
  await rm(journal, { recursive: true });
  await cp(copy, journal, { recursive: true });
  await rm(copy, { recursive: true });
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export const DISK_FAULTS: Fault[] = [
  {
    name: "the disk of a mongod is full",
    lack: async ({ mongo }) =>
      mongo.members.every(({ filler }) => filler)
        ? null
        : "a disk of limited size needs unshare and nsenter of util-linux, and user namespaces",
    async begin(plant, random) {
      const member = await anyMember(plant, random);
      await member.filler?.fill();
      // A checkpoint ends it at once; the next one by itself may be a minute away.
      await member.command({ fsync: 1 }).catch(() => {});
      return {
        target: member.name,
        async heal() {
          await member.filler?.free();
          await startAgain(member);
        },
      };
    },
  },
  {
    name: "the disk of a mongod is slow",
    async begin(plant, random) {
      const member = await anyMember(plant, random);
      let isOver = false;
      const slow = async () => {
        while (!isOver) {
          // Another fault may hold up or end the mongod.
          await setFailPoint(member, PAUSE, "alwaysOn").catch(() => {});
          await pause(SLOW_FLUSH_MS);
          await endPause(member);
          await pause(BETWEEN_FLUSHES_MS);
        }
      };
      const slowing = slow();
      return {
        target: member.name,
        async heal() {
          isOver = true;
          await slowing;
        },
      };
    },
  },
  {
    name: "a mongod loses what was not journalled",
    async begin(plant, random) {
      const member = await anyMember(plant, random);
      const copy = join(plant.files, `journal of ${member.name}`);
      // It fails if another fault has ended the mongod or holds it up; then it loses nothing.
      await loseUnjournalled(member, copy).catch(() => member.kill());
      return { target: member.name, heal: () => startAgain(member) };
    },
  },
];
