// A random history of a rail and a model bank: files that are put once or again, processes that are
// stopped, answers in any order, cut off, with faults or repeated, other senders' lines; and then
// an operator who decides what is left by the bank's books. What breaks a rule is thrown.

import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { confirmHanded, handOverAgain } from "../../../partners/bank-files/desk.ts";
import type { Part } from "../../../partners/bank-files/format.ts";
import type { RailPayment } from "../../../partners/types.ts";
import type { Random } from "../traffic.ts";
import { newPayment } from "./files.ts";
import { type ModelBank, modelBank } from "./model-bank.ts";
import { booked, HOUR_MS, type PlainBank } from "./plain-bank.ts";
import { plainAnswer } from "./plain-format.ts";

/** Plays one history. @throws Error that names the broken rule */
export async function playHistory(plain: PlainBank, random: Random): Promise<void> {
  const { files, rail } = plain;
  const { below } = random;
  const paysRepeats = below(2) === 0;
  files.settings.repeats = paysRepeats ? "paid" : "refused";
  const bank = modelBank(random, paysRepeats);
  const messages: Partial<Part>[] = [];

  /** The bank takes the files away; one may be lost on its way. */
  const collect = (isLost = false) => {
    for (const name of files.sent()) {
      const bytes = files.readSent(name);
      rmSync(join(files.folder("out"), name));
      if (!isLost) messages.push(...bank.receive(bytes));
    }
  };

  const payments = Array.from({ length: 1 + below(4) }, () =>
    newPayment({ amountMinor: 100 + below(2_000) }),
  );
  for (const payment of payments) await plain.submit(payment);
  if (bank.chance(15)) await stopped(plain, bank, collect);
  else await rail.turn();
  const isInterrupted = bank.chance(40);
  collect(isInterrupted && bank.chance(30));
  if (isInterrupted) {
    bank.odd();
    await interrupt(plain, payments);
    collect();
  }
  await askBank(plain, bank, collect);
  await deliver(plain, bank, random, messages, payments);
  for (const payment of payments) await check(plain, bank, payment);
  await checkProblems(plain, bank);
  for (const payment of payments) await decide(plain, bank, payment);
  await clean(plain);
}

/** A process is stopped before its put, others go on, and it wakes up. */
async function stopped(plain: PlainBank, bank: ModelBank, collect: () => void): Promise<void> {
  bank.odd();
  const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const late = await plain.files.open((point) => {
    if (point !== "handing") return;
    reached.resolve();
    return go.promise;
  });
  const turn = late.turn();
  await reached.promise;
  await plain.later();
  collect();
  await askBank(plain, bank, collect);
  go.resolve();
  await turn;
  collect();
  await plain.later();
  collect();
}

/** A process dies after its put: the books do not know whether the bank has the file. */
async function interrupt({ deps, rail }: PlainBank, payments: RailPayment[]): Promise<void> {
  const { books } = deps;
  const record = await books.payments.findOne({ _id: payments[0]?.id });
  const batch = { _id: record?.batch, state: "handed" as const };
  await books.batches.updateOne(batch, { $set: { state: "handing", handingAt: 0 } });
  await rail.turn();
}

/** An operator asks the bank about each file that is held without a word of the bank. */
async function askBank(plain: PlainBank, bank: ModelBank, collect: () => void): Promise<void> {
  const { deps } = plain;
  const held = { state: "held" as const, problem: { $exists: false } };
  for (const { _id } of await deps.books.batches.find(held).toArray()) {
    plain.files.clock.aheadMs += HOUR_MS;
    if (bank.has(_id)) await confirmHanded(deps, _id);
    else {
      await handOverAgain(deps, _id);
      await plain.rail.turn();
      collect();
    }
  }
}

/** The bank's answers come, in its order or another one, some of them twice. */
async function deliver(
  plain: PlainBank,
  bank: ModelBank,
  { below, oneOf }: Random,
  messages: Partial<Part>[],
  payments: RailPayment[],
): Promise<void> {
  const all = [...messages];
  if (bank.chance(30)) all.sort(() => below(3) - 1);
  // The statement at the end of the day tells of bookings again.
  if (bank.hasReferences && bank.chance(30)) all.push(...all.filter(() => bank.chance(50)));
  const stranger = newPayment();
  const foreign: Partial<Part>[] = [
    { told: [booked(stranger, "settled")], fault: "Cut off" },
    { told: [{ ...booked(stranger, "returned"), fault: "It has no amount" }] },
    { batch: "OTHERS-200101-000001", whole: { state: "rejected", code: "FF01" } },
    { booked: [{ batch: "OTHERS-1", amountMinor: 5, currency: "EUR", fault: "It comes back" }] },
  ];
  while (all.length > 0) {
    const parts = all.splice(0, 1 + below(3));
    const name = `${randomUUID()}.json`;
    const write = (bytes: Buffer) =>
      writeFileSync(join(plain.files.folder("answers"), name), bytes);
    const lines = bank.chance(50) ? [oneOf(foreign)] : [];
    const whole = plainAnswer(...lines, ...parts);
    if (bank.slips(12)) {
      bank.odd();
      write(whole.subarray(0, whole.length - 4));
      await plain.rail.turn();
      // Sometimes the whole file never comes.
      if (bank.chance(50)) continue;
    }
    if (bank.slips(10)) {
      bank.odd();
      write(plainAnswer(...lines, ...parts.map((part) => ({ ...part, fault: "It is odd" }))));
    } else write(whole);
    await plain.rail.turn();
    for (const payment of payments) await checkRefund(plain, bank, payment);
  }
  await refuseBooked(plain, bank, payments);
  await plain.rail.turn();
}

/** The bank refuses some of the payments whose debits the rail has read, days after them. */
async function refuseBooked(
  plain: PlainBank,
  bank: ModelBank,
  payments: RailPayment[],
): Promise<void> {
  const ids = payments.filter(() => bank.slips(20)).map(({ id }) => id);
  const debited = { _id: { $in: ids }, "debits.0": { $exists: true } };
  for (const { _id } of await plain.deps.books.payments.find(debited).toArray()) {
    await plain.answer(bank.refuseBooked(_id));
  }
}

/** A payment that the bank has paid is not given back; a person reads of what it paid twice. */
async function checkRefund(plain: PlainBank, bank: ModelBank, payment: RailPayment): Promise<void> {
  const { kind } = await plain.query(payment);
  const fate = bank.fate(payment.id);
  const isBack = kind === "rejected" || kind === "returned";
  if (isBack && (fate === undefined || fate.net > 0) && !(await hasProblem(plain, payment))) {
    throw new Error(`${payment.id} is ${kind}, but the bank has paid it`);
  }
}

async function hasProblem({ deps }: PlainBank, { id }: RailPayment): Promise<boolean> {
  return (await deps.books.payments.findOne({ _id: id }))?.problem !== undefined;
}

/** Whether an answer that changed nothing names its file; a settled payment is not held by it. */
async function isNamed({ deps }: PlainBank, { id }: RailPayment): Promise<boolean> {
  const { payments, answers } = deps.books;
  const batch = (await payments.findOne({ _id: id }))?.batch as string;
  return (await answers.findOne({ names: batch })) !== null;
}

/** In the end a payment is as the bank's books say, or a person reads of it. */
async function check(plain: PlainBank, bank: ModelBank, payment: RailPayment): Promise<void> {
  const answer = await plain.query(payment);
  const fate = bank.fate(payment.id);
  const isHeld = "problem" in answer || (await hasProblem(plain, payment));
  await checkRefund(plain, bank, payment);
  if (answer.kind !== fate?.end && !isHeld) {
    throw new Error(`${payment.id} is ${answer.kind}, at the bank ${fate?.end}, without a problem`);
  }
  if (fate?.isOdd && fate.end === "settled" && !isHeld && !(await isNamed(plain, payment))) {
    throw new Error(`Nobody reads that ${payment.id} is booked oddly`);
  }
  if (isHeld && !bank.isOdd()) throw new Error(`${payment.id} has a problem for no reason`);
}

/** Operators read of no problem if the bank has done nothing odd. */
async function checkProblems(plain: PlainBank, bank: ModelBank): Promise<void> {
  const problems = bank.isOdd() ? [] : await plain.problems();
  if (problems.length > 0)
    throw new Error(`There is a problem for no reason: ${problems.join("; ")}`);
}

/** An operator ends what a problem holds by the bank's books. */
async function decide(plain: PlainBank, bank: ModelBank, payment: RailPayment): Promise<void> {
  const answer = await plain.query(payment);
  const { end } = bank.fate(payment.id) ?? {};
  if (!("problem" in answer) || end === undefined) return;
  plain.files.clock.aheadMs += HOUR_MS;
  const decided = await plain.rail.decide?.(payment.id, end);
  const after = await plain.query(payment);
  if (decided !== "decided" || after.kind !== end || "problem" in after) {
    throw new Error(`${payment.id} cannot be decided as ${end}: ${decided}, ${after.kind}`);
  }
}

/** The next history begins without open problems. */
async function clean({ files, deps }: PlainBank): Promise<void> {
  files.clock.aheadMs = 0;
  await deps.books.answers.deleteMany({});
  await deps.books.payments.updateMany({}, { $unset: { problem: "" } });
  await deps.books.batches.updateMany({}, { $set: { state: "handed" }, $unset: { problem: "" } });
  rmSync(files.folder("answers"), { recursive: true });
  mkdirSync(files.folder("answers"));
}
