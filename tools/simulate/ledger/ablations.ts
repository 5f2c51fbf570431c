// The ledger's safeguards, each with the edit that removes it. If a simulation does not fail
// without a safeguard, it would not detect either that the ledger lost it.

import type { Edit } from "../ablate.ts";
import type { Safeguard } from "../suite.ts";
import type { Subject } from "./world.ts";

export interface Ablation extends Safeguard {
  edits?: Edit[];
  server?: Subject["server"];
}

const logFile = "/block-log.ts";
const queueFile = "/wallet-ledger/queue.ts";
const partitionFile = "/partition.ts";
const latestFile = "/latest.ts";
const storeFile = "/store.ts";

/** No safeguard: sizes that a schedule is too short to fill. */
export const SMALL_PAGES: Edit[] = [
  { file: logFile, find: "BLOCKS_PER_CATCH_UP = 20;", replace: "BLOCKS_PER_CATCH_UP = 2;" },
  { file: "/reads.ts", find: "IDS_PER_READ = 500;", replace: "IDS_PER_READ = 1;" },
];

/** No safeguard: every other block is as the previous release writes it. */
export const WHOLE_TRANSFERS: Edit[] = [
  {
    file: partitionFile,
    find: "const packed = packBlock(content);",
    replace: `const { system: _system, ...rest } = content;
      const packed = content.n % 2 ? packBlock(content) : {
        ...rest,
        transfers: transfers.map((each, i) => i + 1 < transfers.length ? each : { ...each, system }),
      };`,
  },
];

export const ABLATIONS: Ablation[] = [
  { name: "the-fence", server: { dropped: ["fence"] } },
  { name: "the-id-index", server: { dropped: ["ids"] } },
  { name: "majority-writes", server: { earlyAcknowledge: true } },
  { name: "majority-reads", server: { localReads: true } },
  {
    name: "system-accounts-wrap-around",
    edits: [
      {
        file: "/postings.ts",
        find: "if (Number.isSafeInteger(sum) || !Number.isInteger(sum)) return sum;",
        replace: "return sum;",
      },
    ],
  },
  {
    name: "answer-after-commit",
    edits: [
      {
        file: logFile,
        find: "const appended = await store.appendBlocks(",
        replace: `for (const { lane, block } of attempts) {
          for (const each of block.transfers) settle(lane, each.id, (asked) => toAnswer(each, asked));
        }
        const appended = await store.appendBlocks(`,
      },
    ],
  },
  {
    name: "unknown-is-not-failure",
    edits: [
      {
        file: logFile,
        find: 'case "unknown":',
        replace: `case "unknown":
          for (const { id } of block.transfers) settle(lane, id, () => failed("rejected"));`,
      },
    ],
  },
  {
    name: "a-wallet-not-shown-is-unknown",
    rareSeed: 1213,
    edits: [
      {
        file: logFile,
        find: `settle(lane, posting.id, () => failed("unknown"));`,
        replace: "queue.reject(lane, posting.id);",
      },
    ],
  },
  {
    name: "rejected-by-payload",
    edits: [
      {
        file: queueFile,
        find: 'asked === rejected ? "rejected" : "unknown"',
        replace: '"rejected"',
      },
    ],
  },
  {
    name: "unknown-is-not-success",
    edits: [
      {
        file: storeFile,
        find: 'return batch.map(() => "unknown");',
        replace: 'return batch.map(() => "committed");',
      },
    ],
  },
  {
    name: "rejected-only-alone",
    edits: [
      {
        file: logFile,
        find: "reject(lane, block);",
        replace: `for (const { id } of block.transfers) settle(lane, id, () => failed("rejected"));`,
      },
    ],
  },
  {
    name: "look-up-after-refusal",
    edits: [
      {
        file: logFile,
        find: "if (operation) operation.retry = true;",
        replace: "void operation;",
      },
    ],
  },
  {
    name: "one-block-per-partition",
    edits: [
      {
        file: logFile,
        find: "return [{ lane, partition, ...buildBlock(partition, operations, at) }];",
        replace: `const [first, ...rest] = operations;
          const built = buildBlock(partition, [first], at);
          if (rest.length === 0) return [{ lane, partition, ...built }];
          const next = { ...partition, tip: built.block };
          return [{ lane, partition, ...built }, { lane, partition, ...buildBlock(next, rest, at) }];`,
      },
    ],
  },
  {
    name: "one-append-per-partition",
    edits: [{ file: queueFile, find: "!lane.isAppending && ", replace: "" }],
  },
  {
    name: "ids-in-a-block",
    edits: [
      {
        file: partitionFile,
        find: "const transfers = undecided.map((each) => {",
        replace: `const transfers = undecided.flatMap((each) =>
          (each as never as { waiters: [] }).waiters.map(() => each)).map((each) => {`,
      },
    ],
  },
  {
    name: "the-payload-check",
    edits: [
      {
        file: queueFile,
        find: 'if (payloadHash !== asked) return failed("conflict");',
        replace: "void asked; void payloadHash;",
      },
    ],
  },
  {
    name: "conflict-only-once-durable",
    edits: [
      {
        file: queueFile,
        find: "if (known) {",
        replace: `if (known && known.payloadHash !== payloadHash) {
          answer(failed("conflict"));
        } else if (known) {`,
      },
    ],
  },
  {
    name: "the-latest-block-by-its-number",
    edits: [{ file: latestFile, find: "{ $sort: { n: -1 } }", replace: "{ $sort: { n: 1 } }" }],
  },
  {
    name: "the-last-transfer-in-a-block",
    edits: [
      {
        file: latestFile,
        find: "const last = transfers.at(-1);",
        replace: "const last = transfers.at(0);",
      },
    ],
  },
  {
    name: "a-declined-transfer-touches-nothing",
    edits: [
      {
        file: latestFile,
        find: "return isTouched ? n : (transfers[0]?.prev as number);",
        replace: "void isTouched; return n;",
      },
    ],
  },
  {
    name: "the-mark-of-a-loaded-wallet",
    edits: [
      {
        file: latestFile,
        find: "balance: last.balance, disabled: last.disabled };",
        replace: "balance: last.balance, disabled: false };",
      },
    ],
  },
  {
    name: "the-mark-of-a-folded-wallet",
    edits: [
      {
        file: partitionFile,
        find: "Object.assign(state, { n, balance, disabled });",
        replace: "Object.assign(state, { n, balance }); void disabled;",
      },
    ],
  },
  {
    name: "the-marks-of-the-oldest-blocks",
    edits: [
      {
        file: latestFile,
        find: "if (checkpoint.n === n) return checkpoint;",
        replace: "return { ...checkpoint, disabled: false };",
      },
    ],
  },
  {
    name: "the-system-accounts-of-the-oldest-blocks",
    edits: [
      {
        file: "/tip.ts",
        find: "system: await readSystem(p) });",
        replace: "system: {} }); void readSystem;",
      },
    ],
  },
  {
    name: "the-system-accounts-of-the-tip",
    edits: [
      {
        file: partitionFile,
        find: "partition.tip = { n, hash, system };",
        replace: "partition.tip = { n, hash, system: tip.system };",
      },
    ],
  },
  {
    name: "the-newest-tip",
    edits: [
      {
        file: "/tip.ts",
        find: "pipeline: [{ $sort: { n: -1 } }, { $limit: 1 },",
        replace: "pipeline: [{ $sort: { n: 1 } }, { $limit: 1 },",
      },
    ],
  },
  {
    name: "rule-1-the-causal-session",
    edits: [
      {
        file: storeFile,
        find: "async readAccounts(ids) {",
        replace: `async readAccounts(ids) {
          const causally = <T>(work: (session: mongo.ClientSession) => Promise<T>) =>
            work(client.startSession({ causalConsistency: true }));`,
      },
    ],
  },
  {
    name: "rule-1-no-fold-during-a-load",
    edits: [
      {
        file: logFile,
        find: "await loadAccounts(partition, undecided);",
        replace: `const { p, tip } = partition;
          const newer = store.readBlocks(p, tip.n, BLOCKS_PER_CATCH_UP);
          const folding = newer.then((blocks) => blocks.forEach((each) => fold(partition, each)));
          await Promise.all([loadAccounts(partition, undecided), folding]);`,
      },
    ],
  },
  {
    name: "rule-2",
    edits: [
      {
        file: partitionFile,
        find: "Object.assign(partition, partitionAt(partition.p, tip));",
        replace: "partition.tip = tip;",
      },
    ],
  },
  {
    name: "rule-3",
    edits: [
      {
        // Folding takes a while, and the tip is there immediately.
        file: logFile,
        find: "if (blocks.length < BLOCKS_PER_CATCH_UP) foldAndAnswer(lane, partition, blocks);",
        replace: `const last = blocks.at(-1);
          if (blocks.length < BLOCKS_PER_CATCH_UP && last) {
            const { n, hash, system = {} } = last;
            partition.tip = { n, hash, system };
            void clock.sleep(1).then(() => {
              const now = partition.tip;
              partition.tip = tip;
              foldAndAnswer(lane, partition, blocks);
              if (now.n > partition.tip.n) partition.tip = now;
            });
          } else if (blocks.length === 0) void 0;`,
      },
    ],
  },
  {
    name: "the-causal-session",
    rareSeed: 41,
    edits: [
      {
        file: storeFile,
        find: "if (seen.operationTime) session.advanceOperationTime(seen.operationTime);",
        replace: "",
      },
    ],
  },
];
