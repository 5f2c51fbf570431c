// Transfers between wallets in a schedule: the product's own requests and their drivers, over the
// ledger of their process. Webhooks takes their events, sometimes not at the first time.

import type { Parts, Requests } from "../../../services/wallet-ledger/by-reference.ts";
import type { PostingAnswer, Request } from "../../../services/wallet-ledger/queue.ts";
import type { WalletTransfer } from "../../../services/wallet-ledger/wallet-transfer.model.ts";
import { errorType } from "../../../shared/errors.ts";
import { NO_METRICS } from "../../../shared/observability/metrics.ts";
import { LOOK_EVERY_MS } from "../../../shared/resumable/due.ts";
import type { Collection } from "../client.ts";
import { expect, fail, guarded } from "../run.ts";
import { roomIn } from "./calls.ts";
import { describeRequest } from "./describe.ts";
import type { TransferRequest } from "./plan.ts";
import type { Call, Process, World } from "./world.ts";

const BUSINESS = "00000000-0000-7000-8000-00000000b000";
const ASK_AGAIN_AFTER_MS = 50;
/** Webhooks does not take so many of the relays. */
const UNTAKEN = 0.1;

/** The transfers of one process; a plan without transfers starts no driver. */
export function createTransfers(
  world: World,
  process: Pick<Process, "actor" | "clock" | "ledger">,
  open: () => Collection,
): Requests<WalletTransfer> {
  const { plan, subject, random, timeline } = world;
  const { actor, clock } = process;
  const parts: Parts = {
    clock,
    turns: { everyMs: LOOK_EVERY_MS, isOwn: () => true },
    log: { info: () => {}, warn: () => {} },
    metrics: NO_METRICS,
    newId: () => createId(world, clock.now()),
    post: (request) => post(world, process, request),
    async publish(events) {
      if (!world.isHealed && random.chance(UNTAKEN)) throw new Error("webhooks does not answer");
      for (const event of events) world.told.set(event.id, event);
    },
    reached: () => {},
  };
  const documents = open() as never;
  const transfers = subject.createRequests(parts, { ...subject.walletTransferKind, documents });
  if (plan.steps.some((step) => step.do === "transfer")) {
    timeline.after(0, actor, () => transfers.machine.start());
  }
  return transfers;
}

/** Makes an id of version 7. */
function createId(world: World, now: number): string {
  const hex = (value: number, length: number) => value.toString(16).padStart(length, "0");
  world.made += 1;
  const time = hex(now, 12);
  const end = hex(Math.floor(world.random.next() * 2 ** 31), 8);
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${hex(world.made, 4)}${end}`;
}

/** Posts to the ledger of the same process, and reports it to the books. */
async function post(
  world: World,
  { actor, ledger }: Pick<Process, "actor" | "ledger">,
  request: Request,
): Promise<PostingAnswer> {
  const { books } = world;
  const ask = books.ask(actor.name, request);
  const call: Call = { actor, label: describeRequest(request), isDriven: true };
  const room = roomIn(world, actor);
  call.id = request.posting.id;
  // Without room it has its answer at once.
  if (room > 0) world.open.add(call);
  world.trace(() => `${actor.name}  posts ${call.label}`);
  const answer = await ledger.log.post(request);
  world.open.delete(call);
  guarded(world, () => books.onAnswer(ask, answer, room));
  return answer;
}

/** What the ledger declines for good. */
const DECLINES = ["INSUFFICIENT_FUNDS", "WALLET_DISABLED", "BALANCE_BOUND"];

/** A caller asks for a transfer, and asks again until it is decided. */
export function askForTransfer(
  world: World,
  { actor, transfers }: Process,
  request: TransferRequest,
): void {
  const { timeline } = world;
  const { reference, from, to, amountMinor } = request;
  const call: Call = { actor, label: `transfer ${reference}` };
  world.open.add(call);
  const asked = { walletId: from, toWalletId: to, amountMinor };
  const again = () => {
    world.open.delete(call);
    timeline.after(ASK_AGAIN_AFTER_MS, null, () => {
      const next = world.random.pick(world.processes);
      guarded(world, () => askForTransfer(world, next, request));
    });
  };
  timeline.after(0, actor, () => {
    if (!world.processes.some((process) => process.actor === actor)) return again();
    world.trace(
      () => `${actor.name}  is asked for ${call.label} of ${amountMinor} ${from} > ${to}`,
    );
    const _id = createId(world, 1_000_000 + timeline.now());
    const owner = { businessId: BUSINESS, entityId: BUSINESS, currency: "USD" as const };
    transfers
      .perform({
        key: { reference },
        fields: { _id, ...owner, reference, ...asked },
        isSame: isSame(asked),
      })
      .then(
        (done) => {
          world.open.delete(call);
          world.trace(() => `${actor.name}  answers ${call.label}: ${done.status}`);
          guarded(world, () => expectArrived(world, done));
        },
        (error) => {
          const type = errorType(error);
          world.trace(() => `${actor.name}  answers ${call.label}: ${type ?? error}`);
          if (type && DECLINES.includes(type)) world.open.delete(call);
          else if (type === "UNAVAILABLE" || isOfNetwork(error)) again();
          else fail(world, error);
        },
      );
  });
}

function isSame(asked: Partial<WalletTransfer>) {
  return (document: WalletTransfer) =>
    Object.entries(asked).every(([field, value]) => document[field as never] === value);
}

function isOfNetwork(error: unknown): boolean {
  return /connection|write concern/.test(String(error));
}

const partsOf = ({ _id, walletId, toWalletId }: WalletTransfer) =>
  [
    [walletId, `${_id}:out`],
    [toWalletId, `${_id}:in`],
    [walletId, `${_id}:back`],
  ] as const;

/** The halves of a transfer in the journal, such as "committed, committed, undefined". */
function halvesOf({ books }: World, transfer: WalletTransfer): string {
  return partsOf(transfer)
    .map(([walletId, id]) => books.outcomeOf(walletId, id))
    .join(", ");
}

function expectArrived(world: World, transfer: WalletTransfer): void {
  const halves = halvesOf(world, transfer);
  const isArrived = transfer.status === "SUCCESS" && halves === "committed, committed, ";
  expect(isArrived, "transfers", `${transfer._id} (${transfer.status}) was answered: ${halves}`);
}

function stored({ cluster }: World): WalletTransfer[] {
  const found = cluster.set.newest.get("ledger_wallet_transfers")?.values() ?? [];
  return [...found] as unknown as WalletTransfer[];
}

/** Whether every transfer has ended, and webhooks has its event. */
export function areTransfersOver(world: World): boolean {
  return stored(world).every(({ status, states, relayed }) => {
    return status !== "PENDING" && relayed === states.length;
  });
}

/** The halves of an ended transfer. */
const ENDS: Record<string, string[]> = {
  SUCCESS: ["committed, committed, "],
  FAILED: ["declined, , ", "committed, declined, committed"],
};

/** Checks at the end that every transfer went whole or not at all, once, and was told once. */
export function verifyTransfers(world: World): void {
  const { books, told } = world;
  const done = new Set<string>();
  for (const transfer of stored(world)) {
    const { _id, status, reference, states } = transfer;
    const halves = halvesOf(world, transfer);
    const name = `${_id} of ${reference} (${status})`;
    expect(ENDS[status]?.includes(halves), "transfers", `${name} went ${halves}`);
    const events = [...told.values()].filter(({ transactionId }) => transactionId === _id);
    const isTold = events.length === (status === "SUCCESS" ? 1 : 0);
    expect(isTold, "events", `${name} has entered ${states.length} states, told ${events.length}`);
    if (status !== "SUCCESS" || reference === undefined) continue;
    expect(!done.has(reference), "references", `${reference} has moved money twice`);
    done.add(reference);
  }
  expect(books.sumOf("transit", "USD") === 0n, "transit", "money is left in transit");
}
