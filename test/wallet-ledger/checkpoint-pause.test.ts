// The pauses between checkpoints, on a clock that only they move.

import { setImmediate as turn } from "node:timers/promises";
import { createCheckpoints } from "../../services/wallet-ledger/checkpoint.ts";
import { type Partition, partitionAt } from "../../services/wallet-ledger/partition.ts";
import type { Store } from "../../services/wallet-ledger/store.ts";
import { type Clock, systemClock } from "../../shared/clock.ts";

const TAIL = 1_000;

/** The checkpoints of a partition of which every checkpoint takes so long; without accounts. */
function checkpointsTaking(durationMs: number) {
  let now = 0;
  const begun: number[] = [];
  const partition = partitionAt(0, { n: 0, hash: "" });
  /** Runs after every sleep. */
  const meanwhile = { do: () => {} };
  const clock: Clock = {
    ...systemClock,
    now: () => now,
    async sleep(ms) {
      await turn();
      now += ms;
      meanwhile.do();
    },
  };
  const store = {
    async moveWatermarks() {
      begun.push(now);
      now += durationMs;
      if (begun.length < 3) addBlock();
    },
  } as unknown as Store;
  const checkpoints = createCheckpoints({
    store,
    clock,
    partitions: new Map([[0, partition]]),
    bounds: { tail: TAIL },
    onError: (error) => {
      throw error;
    },
  });
  /** Folds a block that touches no account. */
  function addBlock(): void {
    append(partition);
    checkpoints.schedule();
  }
  return { partition, begun, meanwhile, checkpoints, addBlock };
}

function append(partition: Partition): void {
  const n = partition.tip.n + 1;
  partition.tip = { n, hash: "" };
  partition.tail.push({ n, at: 0, changes: new Map() });
}

const pauses = (begun: number[], durationMs: number) =>
  begun.map((at, i) => at - (i === 0 ? 0 : (begun[i - 1] as number) + durationMs));

test.each([
  [10, [250, 250, 250]],
  [500, [250, 2_000, 2_000]],
  [5_000, [250, 3_000, 3_000]],
])(
  "a checkpoint of %d ms is followed by a pause of four times as long, within bounds",
  async (durationMs, expected) => {
    const { begun, addBlock, partition } = checkpointsTaking(durationMs);
    addBlock();
    while (partition.tail.length > 0) await turn();
    expect(pauses(begun, durationMs)).toEqual(expected);
  },
);

test("a tail of a quarter of its bound ends the pause", async () => {
  const { begun, addBlock, meanwhile, partition } = checkpointsTaking(500);
  addBlock();
  meanwhile.do = () => {
    if (begun.length > 0) for (let i = 0; i < TAIL / 4; i++) append(partition);
  };
  while (begun.length < 3) await turn();
  expect(pauses(begun, 500)).toEqual([250, 250, 250]);
});

test("a stop ends the pause, and leaves no tail", async () => {
  const { begun, addBlock, checkpoints, partition } = checkpointsTaking(500);
  addBlock();
  await checkpoints.flush();
  expect(pauses(begun, 500)).toEqual([250, 250, 250]);
  expect(partition.tail).toEqual([]);
});
