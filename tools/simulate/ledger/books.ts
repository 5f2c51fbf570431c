// The books of a simulated ledger: the invariants, in their plainest form. They see every entry of
// the oplog that can never be rolled back, every answer and every balance that was read. They fold
// the journal themselves and share no code with the fold under test.

import { readTransfer } from "../../../services/wallet-ledger/block-format.ts";
import {
  type Account,
  type DeclineReason,
  hashBlock,
  type Leg,
  type StoredBlock,
  type Transfer,
  type Watermark,
} from "../../../services/wallet-ledger/journal.model.ts";
import { hashPayload } from "../../../services/wallet-ledger/postings.ts";
import type { PostingAnswer, Request } from "../../../services/wallet-ledger/queue.ts";
import { partitionFor } from "../../../shared/rpc/partitions.ts";
import type { Entry } from "../replica-set.ts";
import { expect, Violation } from "../run.ts";
import { NOWHERE, type Plan } from "./plan.ts";

type Posting = Request["posting"];

/** A request and its answer; no answer if its process died. */
export interface Ask {
  request: Request;
  payloadHash: string;
  process: string;
  /** Whether its process knew of the wallet at the time of the request. */
  knew: boolean;
  answer?: PostingAnswer;
}

interface State {
  n: number;
  balance: number;
  disabled: boolean;
}

interface AccountBook extends State {
  id: string;
  p: number;
  currency: string;
  isWallet: boolean;
  /** The exact balance, however great it is. */
  sum: bigint;
  /** Whether its document exists and can never be rolled back. */
  isThere: boolean;
  /** Its state after every block that touched it; the first entry is the state before any block. */
  history: State[];
  /** Its checkpoint on a majority. */
  checkpoint: State;
}

interface PartitionBook {
  n: number;
  hash: string;
  watermark: number;
  transfers: Map<string, { transfer: Transfer; n: number }>;
  accounts: AccountBook[];
}

export type Books = ReturnType<typeof createBooks>;

/** @param documents the accounts that exist at the beginning */
export function createBooks(plan: Plan, documents: Account[]) {
  const { partitionCount } = plan;
  const accounts = new Map<string, AccountBook>();
  const asks = new Map<string, Ask[]>();
  const partitions: PartitionBook[] = Array.from({ length: partitionCount }, () => ({
    n: 0,
    hash: "",
    watermark: 0,
    transfers: new Map(),
    accounts: [],
  }));
  const late = plan.wallets.filter(({ opensLate }) => opensLate);
  for (const { _id: id, p, currency, type } of documents)
    addBook(id, p, currency, type !== "SYSTEM", true);
  for (const { id, currency } of late) {
    addBook(id, partitionFor(id, partitionCount), currency, true, false);
  }

  function addBook(id: string, p: number, currency: string, isWallet: boolean, isThere: boolean) {
    const zero: State = { n: 0, balance: 0, disabled: false };
    const states = { history: [{ ...zero }], checkpoint: zero };
    const book = { ...zero, sum: 0n, id, p, currency, isWallet, isThere, ...states };
    accounts.set(id, book);
    partitions[p]?.accounts.push(book);
  }

  /**
   * The newest block of a wallet that was reported to a caller: to any caller, and by each process.
   */
  const reported = new Map<string, Map<string, number>>();

  function getJournal(walletId: string): PartitionBook {
    return partitions[partitionFor(walletId, partitionCount)] as PartitionBook;
  }

  function onBlock(block: StoredBlock): void {
    const partition = partitions[block.p] as PartitionBook;
    const name = `block ${block.p}:${block.n}`;
    expect(block.n === partition.n + 1, "chain", `${name} follows ${partition.n}`);
    expect(block.prevHash === partition.hash, "chain", `${name} does not link`);
    expect(block.hash === hashBlock(block), "chain", `${name} does not match its hash`);
    const touched = new Set<AccountBook>();
    const before = new Map(partition.accounts.map((account) => [account.id, account.n]));
    for (const stored of block.transfers) {
      const transfer = readTransfer(block.p, stored);
      const label = `${transfer.id} in ${name}`;
      expect(!partition.transfers.has(transfer.id), "ids", `${label} exists already`);
      partition.transfers.set(transfer.id, { transfer, n: block.n });
      checkTransfer(transfer, label, block.p);
      expect(transfer.prev === before.get(transfer.wallet), "statement", `${label}: wrong prev`);
      for (const account of apply(transfer, label)) touched.add(account);
    }
    for (const account of touched) {
      account.n = block.n;
      const { n, balance, disabled } = account;
      account.history.push({ n, balance, disabled });
    }
    partition.n = block.n;
    partition.hash = block.hash;
  }

  /**
   * Checks that a transfer was requested, that no caller has the answer that it is not stored, and
   * that its decision is right.
   */
  function checkTransfer(transfer: Transfer, label: string, p: number): void {
    const asked = (asks.get(transfer.id) ?? []).filter(
      ({ payloadHash }) => payloadHash === transfer.payloadHash,
    );
    const { posting } = asked[0]?.request ?? {};
    if (!posting) throw new Violation("asked", `${label} was not requested`);
    const denied = asked.find(({ answer }) => answer && isFinalFailure(answer));
    expect(
      !denied,
      "answers",
      `${label} is stored, but ${denied?.process} got a final failure for it`,
    );
    const isOpen = asked.some(
      ({ answer }) => answer?.outcome !== "failed" || answer.reason === "unknown",
    );
    expect(
      isOpen,
      "answers",
      `${label} is stored, but every caller got the answer that nothing changed`,
    );
    const isWanted = transfer.reason === "void" || asked.some(({ request }) => !request.void);
    expect(isWanted, "decisions", `${label} was decided for a void`);
    expect(accounts.get(transfer.wallet)?.isThere, "accounts", `${label} has no stored wallet`);
    const legs = expectedLegs(posting, p);
    const reason = expectedDecline(posting, legs);
    if (transfer.reason === "void") {
      const isVoid = (asks.get(transfer.id) ?? []).some(({ request }) => request.void);
      expect(isVoid, "decisions", `${label} is void, but no request asked for a void`);
    } else {
      expect(
        transfer.outcome === (reason ? "declined" : "committed") &&
          (transfer.reason ?? null) === reason,
        "decisions",
        `${label} is ${transfer.outcome} (${transfer.reason}), the journal says ${reason ?? "yes"}`,
      );
    }
    const expected = transfer.outcome === "committed" ? legs : [];
    expect(JSON.stringify(transfer.legs) === JSON.stringify(expected), "legs", label);
    expect(transfer.legs.reduce((sum, [, amount]) => sum + amount, 0) === 0, "sums", label);
  }

  function expectedDecline(posting: Posting, legs: Leg[]): DeclineReason | null {
    const wallet = accounts.get(posting.walletId) as AccountBook;
    const change = legs[0]?.[1] ?? 0;
    if (change < 0 && wallet.disabled) return "disabled";
    if (change < 0 && wallet.balance < -change) return "funds";
    return Number.isSafeInteger(wallet.balance + change) ? null : "bound";
  }

  /**
   * Applies a transfer.
   * @returns the accounts that it touched
   */
  function apply(
    { legs, kind, wallet, outcome, balance, disabled }: Transfer,
    label: string,
  ): AccountBook[] {
    const book = accounts.get(wallet) as AccountBook;
    const touched = legs.map(([id, amount]) => {
      const account = accounts.get(id) as AccountBook;
      account.sum += BigInt(amount);
      account.balance = wrapSum(account.sum);
      expect(!account.isWallet || account.sum === BigInt(account.balance), "balances", label);
      expect(!account.isWallet || account.balance >= 0, "funds", `${label} overdraws ${id}`);
      return account;
    });
    expect(balance === book.balance, "balances", `${label} says ${balance}, not ${book.balance}`);
    const isMark = outcome === "committed" && (kind === "disable" || kind === "enable");
    if (isMark) book.disabled = kind === "disable";
    expect(disabled === book.disabled, "marks", `${label} says that it is ${disabled}`);
    return isMark ? [...touched, book] : touched;
  }

  function onAccount({ _id: id, checkpoint: { n, balance, disabled } }: Account): void {
    const account = accounts.get(id) as AccountBook;
    const state = account.history.find((each) => each.n === n);
    expect(
      state?.balance === balance && state.disabled === disabled,
      "checkpoints",
      `${id} has ${balance} at block ${n}, the journal ${state?.balance}`,
    );
    account.isThere = true;
    account.checkpoint = { n, balance, disabled };
    expectCovered(account);
  }

  /**
   * Checkpoint and tail are the complete fold: the checkpoint contains every block up to the
   * watermark.
   */
  function expectCovered({ id, p, checkpoint, history }: AccountBook): void {
    const { watermark } = partitions[p] as PartitionBook;
    const missing = history.find(({ n }) => n > checkpoint.n && n <= watermark);
    expect(
      !missing,
      "checkpoints",
      `${id} at ${checkpoint.n} lacks ${missing?.n} below ${watermark}`,
    );
  }

  function onWatermark({ _id: p, n }: Watermark): void {
    const partition = partitions[p] as PartitionBook;
    expect(
      n <= partition.n,
      "watermarks",
      `${p} is marked at ${n}, its journal ends at ${partition.n}`,
    );
    partition.watermark = n;
    for (const account of partition.accounts) expectCovered(account);
  }

  return {
    /** An entry of the oplog can never be rolled back any more. */
    onDurable({ collection, after }: Entry): void {
      if (collection === "ledger_blocks") onBlock(after as unknown as StoredBlock);
      else if (collection === "ledger_accounts") onAccount(after as unknown as Account);
      else if (collection === "ledger_watermarks") onWatermark(after as unknown as Watermark);
    },

    ask(process: string, request: Request): Ask {
      const { id, walletId } = request.posting;
      const knew = newestKnown(process, walletId) >= 0;
      const ask = { request, process, knew, payloadHash: hashPayload(request.posting) };
      asks.set(id, [...(asks.get(id) ?? []), ask]);
      return ask;
    },

    /**
     * Checks an answer, which is final: the durable journal must agree with it.
     * @param room the number of operations that the process could still queue at the time of the
     *   request
     */
    onAnswer(ask: Ask, answer: PostingAnswer, room: number): void {
      ask.answer = answer;
      const { id, walletId } = ask.request.posting;
      const label = `${id} was answered ${JSON.stringify(answer)}`;
      const stored = getJournal(walletId).transfers.get(id);
      if (answer.outcome === "failed") {
        if (answer.reason === "overloaded") expect(room <= 0, "answers", `${label}, room ${room}`);
        checkFailure(ask, answer.reason, label, stored?.transfer);
        return;
      }
      if (!stored) throw new Violation("answers", `${label}, the journal does not have it`);
      const { outcome, reason, payloadHash } = stored.transfer;
      const isSame = outcome === answer.outcome && payloadHash === ask.payloadHash;
      expect(isSame, "answers", `${label}, the journal says ${outcome} of ${payloadHash}`);
      if (answer.outcome === "declined") expect(reason === answer.reason, "answers", label);
      hear([ask.process], walletId, 0);
      if (outcome === "committed") hear([ask.process, ANY_PROCESS], walletId, stored.n);
    },

    /** A process reported to a caller that the wallet is open. */
    onOpened: (walletId: string) => hear([ANY_PROCESS], walletId, 0),

    /**
     * The lowest block that a balance must include if it is read now; below 0 if the wallet may be
     * unknown.
     */
    mustShow: newestKnown,

    /**
     * Checks that the wallet had this balance, and that the balance is not older than its reader
     * knew.
     */
    onRead(process: string, walletId: string, read: State | null, mustShow: number): void {
      const wallet = accounts.get(walletId) as AccountBook;
      if (!read) {
        expect(mustShow < 0, "reads", `${process} did not find ${walletId}, which exists`);
        return;
      }
      const state = wallet.history.find(({ n }) => n === read.n);
      const label = `${process} read ${read.balance} at ${read.n} of ${walletId}`;
      const isTrue = state?.balance === read.balance && state.disabled === read.disabled;
      expect(isTrue, "reads", `${label}, the journal has ${state?.balance}`);
      expect(
        read.n >= mustShow,
        "reads",
        `${label}, but block ${mustShow} was reported to it before`,
      );
      hear([process], walletId, read.n);
    },

    /**
     * Checks that nothing is left behind at the end of the schedule, when no request is open any
     * more.
     */
    onEnd(): void {
      for (const [p, { n, watermark }] of partitions.entries()) {
        expect(watermark === n, "liveness", `partition ${p} is marked at ${watermark} of ${n}`);
      }
      for (const { id, n, balance, checkpoint } of accounts.values()) {
        const isSame = checkpoint.n === n && checkpoint.balance === balance;
        expect(isSame, "liveness", `${id} has ${checkpoint.balance} in the end, not ${balance}`);
      }
    },

    /** The outcome of a posting in the journal; undefined if the journal does not have it. */
    outcomeOf: (walletId: string, id: string): Transfer["outcome"] | undefined =>
      getJournal(walletId).transfers.get(id)?.transfer.outcome,

    /** The exact sum of a system account over all partitions. */
    sumOf: (account: string, currency: string): bigint =>
      partitions.reduce(
        (sum, _partition, p) => sum + (accounts.get(`${p}:${account}:${currency}`)?.sum ?? 0n),
        0n,
      ),

    /** The ids on the statement of a wallet, newest first. */
    listStatement(walletId: string): string[] {
      const ids: string[] = [];
      for (const { transfer } of getJournal(walletId).transfers.values()) {
        if (transfer.wallet === walletId && transfer.legs.length > 0) ids.unshift(transfer.id);
      }
      return ids;
    },
  };

  /**
   * The newest block of a wallet that a process must know of; below 0 if it need not know the
   * wallet.
   */
  function newestKnown(process: string, walletId: string): number {
    const isLate = late.some(({ id }) => id === walletId) || walletId === NOWHERE;
    return reported.get(process)?.get(walletId) ?? (isLate ? -1 : 0);
  }

  function checkFailure(ask: Ask, reason: string, label: string, stored?: Transfer): void {
    const { posting, deadline } = ask.request;
    switch (reason) {
      case "conflict":
        expect(stored && stored.payloadHash !== ask.payloadHash, "answers", `${label} too early`);
        return;
      case "unknown": {
        const isAmbiguous = asks
          .get(posting.id)
          ?.some((each) => each.payloadHash !== ask.payloadHash);
        const mayBe = deadline !== undefined || !ask.knew || isAmbiguous;
        expect(mayBe, "answers", `${label} without a deadline, of a wallet that it knew`);
        return;
      }
      case "rejected":
        expect(stored?.payloadHash !== ask.payloadHash, "answers", `${label}, the journal has it`);
    }
  }

  function hear(processes: string[], walletId: string, n: number): void {
    for (const process of processes) {
      const known = reported.get(process) ?? new Map<string, number>();
      reported.set(process, known.set(walletId, Math.max(n, known.get(walletId) ?? 0)));
    }
  }
}

/** Whether an answer promises that this id and payload are stored nowhere and never will be. */
function isFinalFailure(answer: PostingAnswer): boolean {
  return answer.outcome === "failed" && ["conflict", "rejected"].includes(answer.reason);
}

/** The name for the reports of all processes together. */
export const ANY_PROCESS = "any process";

/** The balance of an exact sum: the safe integer that is equal to it modulo their number. */
function wrapSum(sum: bigint): number {
  const count = 2n ** 54n - 1n;
  const rest = ((sum % count) + count) % count;
  return Number(rest > BigInt(Number.MAX_SAFE_INTEGER) ? rest - count : rest);
}

/** The signs of the amount and of the fees, for the wallet and for the fees account. */
const MOVES: Record<string, [1 | -1, 1 | -1]> = {
  payout: [-1, 1],
  "payout-reversal": [1, -1],
  collection: [1, 1],
  refund: [-1, -1],
  "refund-reversal": [1, 1],
};

function expectedLegs(posting: Posting, p: number): Leg[] {
  if (!("amountMinor" in posting)) return [];
  const { kind, walletId, currency, amountMinor } = posting;
  if (!("method" in posting)) {
    const gets = kind === "wallet-transfer-out" ? -1 : 1;
    const other = kind === "funding" ? "outside" : "transit";
    return [
      [walletId, gets * amountMinor],
      [`${p}:${other}:${currency}`, -gets * amountMinor],
    ];
  }
  const { method, feesMinor } = posting;
  // The signs of the wallet's amount, and of the fees in it.
  const [gets, fees] = MOVES[kind] as [1 | -1, 1 | -1];
  const legs: Leg[] = [
    [walletId, gets * amountMinor - fees * feesMinor],
    [`${p}:clearing-${method}:${currency}`, -gets * amountMinor],
    [`${p}:fees:${currency}`, fees * feesMinor],
  ];
  return legs.filter(([, amount], i) => i === 0 || amount !== 0);
}
