// The plan of a schedule: its requests and its faults, drawn from the seed before it runs, so that
// a failing schedule can be shortened by leaving steps out.

import type { LedgerBounds } from "../../../services/wallet-ledger/bounds.ts";
import type { Request } from "../../../services/wallet-ledger/queue.ts";
import { partitionFor } from "../../../shared/rpc/partitions.ts";
import { type Random, randomFrom } from "../random.ts";
import { drawWeather, type Weather } from "../weather.ts";

/** A step at `atMs`. A process is named by its number among the running processes. */
export type Step = { atMs: number } & (
  | { do: "post"; process: number; request: Request; deadlineMs?: number }
  | { do: "read"; process: number; walletId: string }
  | ({ do: "transfer"; process: number } & TransferRequest)
  | { do: "open"; process: number; walletId: string }
  | { do: "crash"; process: number }
  /**
   * The process ends its work while another one already runs, as in a deployment of a new version.
   */
  | { do: "stop"; process: number }
  /** The process stands still; with `replaced`, another one starts meanwhile. */
  | { do: "pause"; process: number; ms: number; replaced: boolean }
  | { do: "elect"; surviving: number; lag: { entries: number; ms: number }; left: Left }
  | { do: "stall"; ms: number }
);

/** A caller's request for a transfer between two wallets, which it repeats until it is decided. */
export interface TransferRequest {
  reference: string;
  from: string;
  to: string;
  amountMinor: number;
}

/** The processes that go on talking to the old primary. */
interface Left {
  processes: number[];
  ms: number;
}

export interface Plan {
  seed: number;
  partitionCount: number;
  processes: number;
  /** The wallets; one that opens late does not exist at the beginning. */
  wallets: { id: string; currency: "USD" | "EUR"; opensLate: boolean }[];
  bounds: LedgerBounds;
  /** The ledger reads and writes few documents at a time, so that it needs many pages. */
  smallPages: boolean;
  /** The transfers of some blocks are whole, as an earlier release wrote them. */
  wholeBlocks: boolean;
  weather: Weather;
  /** The greatest difference between the processes' clocks, in ms. */
  skewMs: number;
  steps: Step[];
}

/** A posting with this prefix in its id can never be stored. */
export const UNSTORABLE = "unstorable";
/** A wallet that does not exist. */
export const NOWHERE = "nowhere";

type Posting = Request["posting"];

export function drawPlan(seed: number): Plan {
  const random = randomFrom(seed, "plan");
  const weather = drawWeather(random);
  const partitionCount = random.between(1, 3);
  const processes = random.between(2, 4);
  const wallets = drawWallets(random, partitionCount);
  const lengthMs = random.pick([300, 1_000, 3_000]);
  const steps = [
    ...drawOpenings(random, wallets, lengthMs),
    ...drawPosts(random, wallets, lengthMs),
    ...drawReads(random, wallets, lengthMs),
    ...drawFaults(random, lengthMs),
    ...drawTransfers(randomFrom(seed, "transfers"), wallets, lengthMs),
  ].toSorted((a, b) => a.atMs - b.atMs);
  const bounds: LedgerBounds = {
    accounts: random.pick([1, 3, 6, 100]),
    decided: random.pick([1, 4, 100]),
    queued: random.pick([4, 1_000, 1_000]),
    transfersPerBlock: random.pick([1, 3, 10]),
    secondAppend: random.pick([1, 2, 1_000]),
    tail: random.pick([1, 4, 1_000, 1_000]),
    skipAfter: random.pick([0, 1, 3, 1_000]),
  };
  const skewMs = random.pick([0, 0, 50]);
  const smallPages = random.chance(0.5);
  const wholeBlocks = random.chance(0.5);
  const forms = { smallPages, wholeBlocks };
  return { seed, partitionCount, processes, wallets, bounds, ...forms, weather, skewMs, steps };
}

/** Two or three wallets in each partition, nearly all in one currency. */
function drawWallets(random: Random, partitionCount: number): Plan["wallets"] {
  const room = Array(partitionCount).fill(random.between(1, 3)) as number[];
  const wallets: Plan["wallets"] = [];
  const late = random.pick([0, 0.5]);
  for (let i = 0; room.some((left) => left > 0); i++) {
    const p = partitionFor(`w${i}`, partitionCount);
    if (room[p] === 0) continue;
    room[p] = (room[p] as number) - 1;
    const currency = random.chance(0.05) ? "EUR" : "USD";
    wallets.push({ id: `w${i}`, currency, opensLate: random.chance(late) });
  }
  return wallets;
}

function drawOpenings(random: Random, wallets: Plan["wallets"], lengthMs: number): Step[] {
  return wallets
    .filter(({ opensLate }) => opensLate)
    .map(({ id: walletId }) => ({
      atMs: Math.round(random.next() * lengthMs),
      do: "open" as const,
      process: random.between(0, 9),
      walletId,
    }));
}

function drawPosts(random: Random, wallets: Plan["wallets"], lengthMs: number): Step[] {
  const steps: Step[] = [];
  const posted: Posting[] = [];
  const repeats = random.pick([0.1, 0.4]);
  for (const { id: walletId, currency } of wallets) {
    const funding = { kind: "funding", currency, amountMinor: random.between(50, 150) } as const;
    const posting = { id: `f${walletId}`, walletId, ...funding };
    posted.push(posting);
    steps.push({ atMs: 0, do: "post", process: random.between(0, 9), request: { posting } });
  }
  const groups = random.between(6, 18);
  for (let group = 0; group < groups; group++) {
    // Some steps happen at the same time, so that they travel in one append.
    const atMs = Math.round(random.next() * lengthMs);
    const process = random.between(0, 9);
    for (let i = random.between(1, 4); i > 0; i--) {
      const repeated = random.chance(repeats) ? random.pick(posted) : null;
      const request = repeated
        ? repetition(random, repeated)
        : { posting: drawPosting(random, wallets, posted) };
      if (!repeated) posted.push(request.posting);
      const elsewhere = random.chance(0.3) ? random.between(0, 9) : process;
      const deadlineMs = random.chance(0.05) ? random.between(1, 500) : undefined;
      steps.push({ atMs, do: "post", process: elsewhere, request, deadlineMs });
    }
  }
  return steps;
}

function drawPosting(random: Random, wallets: Plan["wallets"], posted: Posting[]): Posting {
  const { id: walletId, currency } = random.pick(wallets);
  const id = `x${posted.length}`;
  const dice = random.next();
  if (dice < 0.01) return { id, walletId: NOWHERE, kind: "funding", currency, amountMinor: 1 };
  if (dice < 0.02) return { id, walletId, kind: "funding", currency: "GBP", amountMinor: 1 };
  if (dice < 0.03) {
    const amountMinor = Number.MAX_SAFE_INTEGER - 100;
    return { id, walletId, kind: "funding", currency, amountMinor };
  }
  if (dice < 0.04) {
    return { id: `${UNSTORABLE}${id}`, walletId, kind: "funding", currency, amountMinor: 5 };
  }
  if (dice < 0.1) return { id, walletId, kind: random.pick(["disable", "enable"]) };
  const amountMinor = random.between(1, 60);
  if (dice < 0.25) return { id, walletId, kind: "funding", currency, amountMinor };
  const debits = posted.filter(({ kind }) => kind === "payout" || kind === "refund");
  if (dice < 0.35 && debits.length > 0) {
    const debit = random.pick(debits) as Extract<Posting, { method: unknown }>;
    const kind = debit.kind === "payout" ? "payout-reversal" : "refund-reversal";
    return { ...debit, id: `${debit.id}:reversal`, kind };
  }
  // A fee that is deducted from the amount is not greater than the amount.
  const feesMinor = random.between(0, Math.min(3, amountMinor));
  if (dice < 0.55) {
    const kind = random.pick(["collection", "refund"] as const);
    return { id, walletId, kind, currency, method: "CARD_COLLECTION", amountMinor, feesMinor };
  }
  const method = random.pick(["ACH", "RTP"] as const);
  return { id, walletId, kind: "payout", currency, method, amountMinor, feesMinor };
}

/** Repeats an id: as a retry, as a void, or with another payload. */
function repetition(random: Random, posting: Posting): Request {
  if (random.chance(0.1) && "amountMinor" in posting) {
    const another = random.chance(0.8)
      ? { amountMinor: posting.amountMinor + 1 }
      : { currency: "GBP" as const };
    return { posting: { ...posting, ...another } };
  }
  return {
    posting,
    ...(random.chance(0.2) && { void: true }),
    ...(random.chance(0.5) && { retry: true }),
  };
}

function drawReads(random: Random, wallets: Plan["wallets"], lengthMs: number): Step[] {
  return Array.from({ length: random.between(2, 12) }, () => ({
    atMs: Math.round(random.next() * lengthMs * 1.2),
    do: "read" as const,
    process: random.between(0, 9),
    walletId: random.pick(wallets).id,
  }));
}

/** Transfers between wallets that exist from the beginning, in some of the plans. */
function drawTransfers(random: Random, wallets: Plan["wallets"], lengthMs: number): Step[] {
  const there = wallets.filter(({ opensLate, currency }) => !opensLate && currency === "USD");
  if (there.length < 2 || random.chance(0.7)) return [];
  const steps: Step[] = [];
  for (let i = random.between(1, 10); i > 0; i--) {
    const from = random.pick(there).id;
    const to = random.pick(there.filter(({ id }) => id !== from)).id;
    const request = { reference: `r${i}`, from, to, amountMinor: random.between(1, 60) };
    // Some callers repeat the request, at once or later.
    for (let sent = random.between(1, 2); sent > 0; sent--) {
      const atMs = Math.round(random.next() * lengthMs);
      steps.push({ atMs, do: "transfer", process: random.between(0, 9), ...request });
    }
  }
  return steps;
}

function drawFaults(random: Random, lengthMs: number): Step[] {
  const steps: Step[] = [];
  const some = (most: number, draw: (atMs: number) => Step) => {
    for (let i = random.chance(0.5) ? random.between(1, most) : 0; i > 0; i--) {
      steps.push(draw(Math.round(random.next() * lengthMs * 1.2)));
    }
  };
  const process = () => random.between(0, 9);
  some(3, (atMs) => ({ atMs, do: "crash", process: process() }));
  some(2, (atMs) => ({ atMs, do: "stop", process: process() }));
  some(4, (atMs) => {
    const ms = random.pick([20, 300, 2_000]);
    return { atMs, do: "pause", process: process(), ms, replaced: random.chance(0.3) };
  });
  some(4, (atMs) => {
    const lag = { entries: random.pick([0, 1, 5, 20]), ms: random.pick([5, 50, 500]) };
    const processes = random.chance(0.5) ? [] : [process(), process()];
    const left = { processes, ms: random.pick([20, 200]) };
    return { atMs, do: "elect", surviving: random.pick([0, 0.5, 1]), lag, left };
  });
  some(1, (atMs) => ({ atMs, do: "stall", ms: random.pick([100, 12_000]) }));
  return steps;
}
