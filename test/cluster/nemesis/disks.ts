// Faults of a mongod's disk: full, slow, and a crash that loses what was not journalled.

import type { Random } from "../../simulation/random.ts";
import { until } from "../../support/system.ts";
import type { Plant } from "../plant/plant.ts";
import type { Member } from "../plant/replica-set.ts";
import type { Fault } from "./fault.ts";

/** Flushes of the journal wait while it is on, and with them every journalled write. */
const PAUSE = "pauseJournalFlusherBeforeFlush";
const OFF_WITHIN_MS = 30_000;
const UNJOURNALLED_MS = 1_000;
const SLOW_FLUSH_MS = 250;
const BETWEEN_FLUSHES_MS = 50;

/** The primary more often than not, because most harm is done there. */
async function anyMember({ mongo }: Plant, random: Random): Promise<Member> {
  return random.chance(0.5) ? mongo.primary() : random.pick(mongo.members);
}

function setPause(member: Member, mode: "alwaysOn" | "off") {
  return member.command({ configureFailPoint: PAUSE, mode });
}

/** Lets flushes run again. A mongod that another fault has ended has forgotten the pause. */
async function endPause(member: Member): Promise<void> {
  const isOff = async () =>
    !member.isRunning() || (await setPause(member, "off").catch(() => null)) !== null;
  await until(isOff, { within: OFF_WITHIN_MS, awaited: `the journal of ${member.name}` });
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
      return {
        target: member.name,
        async heal() {
          await member.filler?.free();
          await member.start();
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
          await setPause(member, "alwaysOn").catch(() => {});
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
      await setPause(member, "alwaysOn").catch(() => {});
      await pause(UNJOURNALLED_MS);
      await member.kill();
      return { target: member.name, heal: member.start };
    },
  },
];
