// Withdrawals by ACH files, from the API to the bank and back: they leave in one file, and come
// back settled, returned, noted or not at all; the books are right each time.

import { noteSeen } from "../../../partners/bank-files/desk.ts";
import { nachaFormat } from "../../../partners/bank-files/nacha/format.ts";
import type { BankFilesRail } from "../../../partners/bank-files/rail.ts";
import { type Files, findViolations, startFiles } from "../../support/bank/files.ts";
import { closedBatch, fileOf, put, returnFile } from "../../support/bank/nacha.ts";
import { railsOf } from "../../support/payouts.ts";
import { dataOf, startWorld, type TestAccount, type World } from "../../support/world.ts";
import { AGREEMENT } from "./nacha/samples.ts";

const DAY_MS = 86_400_000;
const format = nachaFormat(AGREEMENT);

let files: Files;
let rail: BankFilesRail;
let world: World;
let payer: Awaited<ReturnType<World["payer"]>>;
let bank: TestAccount;

beforeAll(async () => {
  files = await startFiles({
    format,
    settings: { settledAfterDays: 2, returnChargeAtMostMinor: 0 },
  });
  rail = await files.open();
  world = await startWorld({ payoutsInstead: [{ rails: railsOf(rail, ["ACH"]) }] });
  payer = await world.payer(1_000);
  bank = await world.bank(payer.business, payer.wallet, "6789");
});
afterEach(async () => {
  files.clock.aheadMs = 0;
  expect(await findViolations(world, rail)).toEqual([]);
});
afterAll(async () => {
  await world?.stop();
  await files?.stop();
});

const balance = () => world.balance(payer.business, payer.wallet);
const show = async (id: string) =>
  dataOf(await world.http.get(`/v1/transactions/${id}`, { token: payer.business.token }), 200);

/** Withdraws amounts, and hands over their file. */
async function send(...amounts: number[]) {
  const ids: string[] = [];
  for (const amount of amounts) {
    const { id } = dataOf(
      await world.withdraw(payer.user, bank, { amount, routingType: "ACH" }),
      200,
    );
    await world.status(payer.business, id, "PROCESSING_PAY_OUT");
    ids.push(id);
  }
  const before = files.sent();
  await rail.turn();
  const name = files.sent().find((each) => !before.includes(each)) as string;
  return { ids, bytes: files.readSent(name) };
}

/** The bank's answer to some payments of a file. */
async function answer(bytes: Buffer, about: { id: string; code: string }[]): Promise<void> {
  const returned = about.map(({ id, code }) => ({ payment: format.shortId(id), code }));
  files.answer(`answer-${about[0]?.id}.ach`, returnFile(bytes, returned));
  await rail.turn();
}

/** Has payrail ask the rail now about each payout. */
const askNow = (ids: string[]) =>
  Promise.all(ids.map((id) => world.call("payouts.railNotified", { id, method: "ACH" })));

test("withdrawals leave in one file, and count as settled once they did not come back", async () => {
  const before = Number(await balance());
  const { ids, bytes } = await send(10, 25.5);
  const { amountMinor, payments } = format.read(bytes);
  expect(amountMinor).toBe(3_550);
  expect(payments.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  await askNow(ids);
  for (const id of ids) expect((await show(id)).status).toBe("PROCESSING_PAY_OUT");
  files.clock.aheadMs = 3 * DAY_MS;
  await askNow(ids);
  for (const id of ids) await world.status(payer.business, id, "SUCCESS");
  const fees = (await Promise.all(ids.map(show))).reduce((sum, each) => sum + Number(each.fees), 0);
  expect(Number(await balance())).toBeCloseTo(before - 35.5 - fees, 2);
});

test("a return before the settlement fails the payout with its reason, and the money is back", async () => {
  const before = await balance();
  const { ids, bytes } = await send(10);
  await answer(
    bytes,
    ids.map((id) => ({ id, code: "R03" })),
  );
  await askNow(ids);
  await world.status(payer.business, ids[0] as string, "FAILED");
  expect(await show(ids[0] as string)).toMatchObject({
    failureReason: "Recipient account not found.",
  });
  expect(await balance()).toBe(before);
});

test("a return after the settlement turns SUCCESS into FAILED, and the money is back", async () => {
  const before = await balance();
  const { ids, bytes } = await send(10);
  files.clock.aheadMs = 3 * DAY_MS;
  await askNow(ids);
  await world.status(payer.business, ids[0] as string, "SUCCESS");
  await answer(
    bytes,
    ids.map((id) => ({ id, code: "R16" })),
  );
  await askNow(ids);
  await world.status(payer.business, ids[0] as string, "FAILED");
  expect(await show(ids[0] as string)).toMatchObject({
    failureReason: "Transaction declined for compliance reasons.",
  });
  expect(await balance()).toBe(before);
});

test("one return of a file leaves the file's other payouts", async () => {
  const { ids, bytes } = await send(10, 20);
  const [back, stays] = ids as [string, string];
  await answer(bytes, [{ id: back, code: "R23" }]);
  files.clock.aheadMs = 3 * DAY_MS;
  await askNow(ids);
  await world.status(payer.business, back, "FAILED");
  await world.status(payer.business, stays, "SUCCESS");
  expect((await show(back)).failureReason).toBe("Payment could not be processed.");
});

test("a return file that cannot be read holds the payouts of the files that it names", async () => {
  const { ids, bytes } = await send(10, 20);
  const [named, other] = ids as [string, string];
  const whole = returnFile(bytes, [{ payment: format.shortId(named), code: "R03" }]);
  files.answer("broken.ach", whole.subarray(0, whole.length / 2));
  await rail.turn();
  files.clock.aheadMs = 3 * DAY_MS;
  for (const id of ids) {
    expect(await rail.query(id)).toMatchObject({ kind: "accepted", problem: expect.any(String) });
  }
  // The bank sends it again, whole.
  await answer(bytes, [{ id: named, code: "R03" }]);
  await noteSeen(rail.deps, "broken.ach");
  await askNow(ids);
  await world.status(payer.business, named, "FAILED");
  await world.status(payer.business, other, "SUCCESS");
  expect(await rail.problems?.()).toEqual([]);
});

test("a return of another company, and of a cent, keeps our return from nothing", async () => {
  const before = Number(await balance());
  const { ids, bytes } = await send(10, 20);
  const [back, cent] = ids as [string, string];
  const returns = (id: string) => returnFile(bytes, [{ payment: format.shortId(id), code: "R03" }]);
  const records = (file: Buffer) => file.toString("latin1").split("\n");
  const [header, ...ours] = records(returns(back)).slice(0, 4) as [string, ...string[]];
  const [batchHeader, entry, addenda] = ours as [string, string, string];
  const company = put(batchHeader, 41, "9999999999");
  const others = [company, put(entry, 40, "PAYROLL00000042"), addenda];
  const small = records(returns(cent))
    .slice(1, 4)
    .map((record) => (record.startsWith("6") ? put(record, 30, "0000000001") : record));
  const batches = [others, small, ours].map((batch) =>
    closedBatch(batch[0] as string, batch.slice(1)),
  );
  files.answer("returns.ach", fileOf(header, batches));
  await rail.turn();
  await askNow(ids);
  await world.status(payer.business, back, "FAILED");
  expect(await rail.problems?.()).toEqual([
    expect.stringContaining(`The amount of ${cent} is not the one that was sent`),
  ]);
  files.clock.aheadMs = 3 * DAY_MS;
  expect(await rail.query(cent)).toMatchObject({ kind: "accepted", problem: expect.any(String) });
  expect(await rail.decide?.(cent, "settled")).toBe("decided");
  await askNow(ids);
  await world.status(payer.business, cent, "SUCCESS");
  const { fees } = await show(cent);
  expect(Number(await balance())).toBeCloseTo(before - 20 - Number(fees), 2);
  await noteSeen(rail.deps, "returns.ach");
});

test("a notification of change is shown to the merchant, and the payout succeeds", async () => {
  const { ids, bytes } = await send(10);
  await answer(
    bytes,
    ids.map((id) => ({ id, code: "C01" })),
  );
  files.clock.aheadMs = 3 * DAY_MS;
  await askNow(ids);
  await world.status(payer.business, ids[0] as string, "SUCCESS");
  const { notice } = await show(ids[0] as string);
  expect(notice).toMatch(/account number/);
  expect(notice).not.toMatch(/\d{5}/);
});

test("a withdrawal is cancelled until its file, and not after it", async () => {
  const before = await balance();
  const cancel = (id: string) =>
    world.http.post(`/v1/transactions/${id}/cancel`, {}, { token: payer.business.token });
  const { id } = dataOf(
    await world.withdraw(payer.user, bank, { amount: 5, routingType: "ACH" }),
    200,
  );
  await world.status(payer.business, id, "PROCESSING_PAY_OUT");
  // payrail's own rule: a payout that is processing cannot be cancelled.
  expect((await cancel(id)).status).toBe(409);
  expect(await rail.cancel(id)).toBe("cancelled");
  await askNow([id]);
  await world.status(payer.business, id, "FAILED");
  expect(await balance()).toBe(before);
});
