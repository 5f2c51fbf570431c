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
const checkpointFile = "/checkpoint.ts";
const storeFile = "/store.ts";
const requestsFile = "/by-reference.ts";

/** No safeguard: sizes that a schedule is too short to fill. */
export const SMALL_PAGES: Edit[] = [
  { file: logFile, find: "BLOCKS_PER_READ = 100;", replace: "BLOCKS_PER_READ = 2;" },
  { file: checkpointFile, find: "ACCOUNTS_PER_WRITE = 1_000;", replace: "ACCOUNTS_PER_WRITE = 2;" },
  { file: "/reads.ts", find: "IDS_PER_READ = 500;", replace: "IDS_PER_READ = 1;" },
];

/** No safeguard: the transfers of every other block are whole, as an earlier release wrote them. */
export const WHOLE_BLOCKS: Edit[] = [
  {
    file: partitionFile,
    find: "const packed = packBlock(content);",
    replace: "const packed = n % 2 ? packBlock(content) : content;",
  },
];

export const ABLATIONS: Ablation[] = [
  { name: "the-fence", server: { dropped: ["fence"] } },
  { name: "the-id-index", server: { dropped: ["ids"] } },
  { name: "majority-writes", server: { earlyAcknowledge: true } },
  { name: "majority-reads", server: { localReads: true } },
  {
    name: "guard-on-checkpoints",
    edits: [
      {
        file: storeFile,
        find: "update: { $max: { checkpoint: { n, balance, disabled } } },",
        replace: "update: { $set: { checkpoint: { n, balance, disabled } } },",
      },
    ],
  },
  {
    name: "watermark-after-checkpoints",
    edits: [
      {
        file: checkpointFile,
        find: "for (let i = 0; i < accounts.length; i += ACCOUNTS_PER_WRITE) {",
        replace: `await store.moveWatermarks(snapshots.map(({ partition, tip }) => ({ p: partition.p, tip })));
          for (let i = 0; i < accounts.length; i += ACCOUNTS_PER_WRITE) {`,
      },
    ],
  },
  {
    name: "watermark-only-after-all-checkpoints",
    edits: [
      {
        file: checkpointFile,
        find: "await store.writeCheckpoints(accounts.slice(i, i + ACCOUNTS_PER_WRITE));",
        replace:
          "await store.writeCheckpoints(accounts.slice(i, i + ACCOUNTS_PER_WRITE)).catch(() => {});",
      },
    ],
  },
  {
    name: "watermark-read-first",
    edits: [
      {
        file: "/reads.ts",
        find: "const marks = await watermarks",
        replace: `const checkpoints = await accounts.find({ _id: { $in: ids } }, majority(session)).toArray();
          const marks = await watermarks`,
      },
      {
        file: "/reads.ts",
        find: "checkpoints: await accounts.find({ _id: { $in: ids } }, majority(session)).toArray(),",
        replace: "checkpoints,",
      },
    ],
  },
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
          const next = { ...partition, tip: { n: built.block.n, hash: built.block.hash } };
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
        find: "undecided.map((each) => decide(each, partition, overlayState));",
        replace: `undecided.flatMap((each) =>
          (each as never as { waiters: [] }).waiters.map(() => decide(each, partition, overlayState)));`,
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
    name: "dirty-survives-eviction",
    edits: [
      {
        file: partitionFile,
        find: "trim(partition.accounts, bounds.accounts);",
        replace: `trim(partition.accounts, bounds.accounts);
          for (const id of partition.dirty.keys()) {
            if (!partition.accounts.has(id)) partition.dirty.delete(id);
          }`,
      },
    ],
  },
  {
    name: "dirty-from-every-process",
    edits: [
      {
        file: logFile,
        find: "foldAndAnswer(lane, partition, blocks);\n      if (blocks.length < BLOCKS_PER_READ) return;",
        replace: `const own = new Map(partition.dirty);
          foldAndAnswer(lane, partition, blocks);
          partition.dirty = own;
          if (blocks.length < BLOCKS_PER_READ) return;`,
      },
    ],
  },
  {
    name: "no-empty-checkpoint",
    edits: [{ file: checkpointFile, find: "if (touched.length === 0) return;", replace: "" }],
  },
  {
    name: "the-snapshots-tip",
    edits: [
      {
        file: checkpointFile,
        find: "snapshots.map(({ partition, tip }) => ({ p: partition.p, tip }))",
        replace: "snapshots.map(({ partition }) => ({ p: partition.p, tip: partition.tip }))",
      },
    ],
  },
  {
    name: "balance-and-number-of-one-state",
    edits: [
      {
        file: checkpointFile,
        find: "(cached ?? bringUpToDate(",
        replace: "((cached && { ...cached, n: partition.tip.n }) ?? bringUpToDate(",
      },
    ],
  },
  {
    name: "a-snapshot-of-one-fold",
    rareSeed: 201,
    edits: [
      {
        file: checkpointFile,
        find: 'if (partition.dirty !== dirty) throw new Error("The partition skipped ahead");',
        replace: "",
      },
    ],
  },
  {
    name: "rule-1-in-the-fold",
    edits: [
      { file: partitionFile, find: "if (state && block.n > state.n)", replace: "if (state)" },
    ],
  },
  {
    name: "rule-1-when-loading",
    edits: [
      {
        file: partitionFile,
        find: "n > state.n ? changes.get(id) : undefined",
        replace: "changes.get(id)",
      },
    ],
  },
  {
    name: "rule-2",
    edits: [
      {
        file: "/load-accounts.ts",
        find: "if (partition.tailStart !== tailStart) continue;",
        replace: "void tailStart;",
      },
    ],
  },
  {
    name: "rule-3",
    edits: [
      {
        file: partitionFile,
        find: "Object.assign(partition, partitionAt(partition.p, watermark));",
        replace: "partition.tip = { n: watermark.n, hash: watermark.hash };",
      },
    ],
  },
  {
    name: "rule-3-the-cache",
    edits: [
      {
        file: partitionFile,
        find: "Object.assign(partition, partitionAt(partition.p, watermark));",
        replace: `const { accounts } = partition;
          Object.assign(partition, partitionAt(partition.p, watermark), { accounts });`,
      },
    ],
  },
  {
    name: "rule-4",
    edits: [
      {
        // Folding takes a while, and the tip is there immediately.
        file: logFile,
        find: "foldAndAnswer(lane, partition, blocks);\n      if (blocks.length < BLOCKS_PER_READ) return;",
        replace: `const from = partition.tip;
          const { n, hash } = blocks.at(-1) ?? from;
          partition.tip = { n, hash };
          if (blocks.length > 0) {
            void clock.sleep(1).then(() => {
              const now = partition.tip;
              partition.tip = from;
              foldAndAnswer(lane, partition, blocks);
              if (now.n > partition.tip.n) partition.tip = now;
            });
          }
          if (blocks.length < BLOCKS_PER_READ) return;`,
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
  { name: "one-transfer-of-a-reference", server: { dropped: ["references"] } },
  {
    name: "transfer-until-it-has-arrived",
    edits: [
      {
        file: requestsFile,
        find: "const arrived = await decide(post, second.in, !isFresh);",
        replace: `void post({ posting: second.in, retry: true });
          const arrived = { outcome: "committed" as const };`,
      },
    ],
  },
  {
    name: "refused-transfer-goes-back",
    edits: [
      {
        file: requestsFile,
        find: "const back = await decide(post, second.back, !isFresh);",
        replace: 'const back = { outcome: "committed" };',
      },
    ],
  },
  {
    name: "transfer-leaves-before-it-arrives",
    edits: [
      {
        file: requestsFile,
        find: "const { first, second } = postings(document);",
        replace: `const { first, second } = postings(document);
          if (second) void post({ posting: second.in });`,
      },
    ],
  },
];
