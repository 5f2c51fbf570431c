// Withdrawals by wire files, to US and international accounts, from the API to the bank and back:
// they are settled, rejected and returned by the bank's answers alone; the books are right each
// time.

import { noteSeen } from "../../../partners/bank-files/desk.ts";
import { iso20022Format } from "../../../partners/bank-files/iso20022/format.ts";
import type { BankFilesRail } from "../../../partners/bank-files/rail.ts";
import { type Files, findViolations, startFiles } from "../../support/bank/files.ts";
import {
  type Booking,
  notification,
  type Report,
  type Said,
  statusReport,
} from "../../support/bank/iso20022.ts";
import { ORIGINATOR } from "../../support/bank/wires.ts";
import { railsOf } from "../../support/payouts.ts";
import {
  dataOf,
  internationalBody,
  startWorld,
  type TestAccount,
  type World,
} from "../../support/world.ts";

const format = iso20022Format(ORIGINATOR);

let files: Files;
let rail: BankFilesRail;
let world: World;
let payer: Awaited<ReturnType<World["payer"]>>;
let bank: TestAccount;
let answers = 0;

beforeAll(async () => {
  files = await startFiles({ format });
  rail = await files.open();
  world = await startWorld({ payoutsInstead: [{ rails: railsOf(rail, ["WIRE"]) }] });
  payer = await world.payer(10_000);
  bank = await world.bank(payer.business, payer.wallet, "6789");
});
afterEach(async () => {
  expect(await findViolations(world, rail)).toEqual([]);
});
afterAll(async () => {
  await world?.stop();
  await files?.stop();
});

const balance = () => world.balance(payer.business, payer.wallet);
const show = async (id: string) =>
  dataOf(await world.http.get(`/v1/transactions/${id}`, { token: payer.business.token }), 200);

async function withdraw(amount: number, to = bank): Promise<string> {
  const asked = { amount, routingType: "WIRE" as const };
  const { id } = dataOf(await world.withdraw(payer.user, to, asked), 200);
  const { payments } = rail.deps.books;
  for (let i = 0; (await payments.countDocuments({ _id: id })) === 0; i++) {
    if (i > 400) throw new Error("The rail has not got the payout");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return id;
}

/** Hands over the file of the payouts that wait. */
async function send(): Promise<Buffer> {
  const before = files.sent();
  await rail.turn();
  return files.readSent(files.sent().find((each) => !before.includes(each)) as string);
}

/** @param problem what operators read after it; nothing by default */
async function answer(bytes: Buffer, ids: string[], problem?: string): Promise<void> {
  answers += 1;
  files.answer(`answer-${answers}.xml`, bytes);
  await rail.turn();
  const expected = problem === undefined ? [] : [expect.stringContaining(problem)];
  expect(await rail.problems?.()).toEqual(expected);
  await Promise.all(ids.map((id) => world.call("payouts.railNotified", { id, method: "WIRE" })));
}

const report = (file: Buffer, told: Report, ids: string[], problem?: string) =>
  answer(statusReport(file, told), ids, problem);
const book = (file: Buffer, bookings: Booking[], ids: string[], problem?: string) =>
  answer(notification(file, bookings), ids, problem);

/** An operator has understood the problems, so the next test begins without any. */
async function seeAll(): Promise<void> {
  const { answers: records } = rail.deps.books;
  for await (const { name, isSeen } of records.find()) {
    if (!isSeen) await noteSeen(rail.deps, name).catch(() => {});
  }
}

/** Has the rail put a file again, as after a process died in its hand-over. */
async function putAgain(file: Buffer): Promise<string> {
  const { id } = format.read(file);
  const { batches } = rail.deps.books;
  await batches.updateOne({ _id: id }, { $set: { state: "handing", handingAt: 0 } });
  await rail.turn();
  expect(await batches.findOne({ _id: id })).toMatchObject({ state: "handed", puts: 2 });
  return id;
}

test("a wire is settled by a status report, and not by time", async () => {
  const id = await withdraw(100);
  const file = await send();
  await report(file, { group: { status: "ACTC" } }, [id]);
  files.clock.aheadMs = 30 * 86_400_000;
  expect(await rail.query(id)).toMatchObject({ kind: "accepted" });
  files.clock.aheadMs = 0;
  expect((await show(id)).status).toBe("PENDING");
  await report(file, { payments: [{ payment: id, status: "ACSC" }] }, [id]);
  await world.status(payer.business, id, "SUCCESS");
});

test("a rejected wire fails with its reason, the other one of the file is settled by its debit", async () => {
  const before = Number(await balance());
  const [refused, paid] = [await withdraw(50), await withdraw(60)];
  const file = await send();
  const payments = [
    { payment: refused, status: "RJCT", reason: "AC04" },
    { payment: paid, status: "ACSP" },
  ];
  await report(file, { group: { status: "PART" }, payments }, [refused, paid]);
  await world.status(payer.business, refused, "FAILED");
  expect((await show(refused)).failureReason).toBe("Recipient account not found.");
  await book(file, [{ debit: paid }, { other: "CRDT", amountMinor: 777 }], [paid]);
  await world.status(payer.business, paid, "SUCCESS");
  const { fees } = await show(paid);
  expect(Number(await balance())).toBeCloseTo(before - 60 - Number(fees), 2);
});

test("a wire that comes back after its debit turns SUCCESS into FAILED, and the money is back", async () => {
  const before = await balance();
  const id = await withdraw(70);
  const file = await send();
  await book(file, [{ debit: id }], [id]);
  await world.status(payer.business, id, "SUCCESS");
  await book(file, [{ returned: id, reason: "AC01" }], [id]);
  await world.status(payer.business, id, "FAILED");
  expect((await show(id)).failureReason).toBe("Recipient account not found.");
  expect(await balance()).toBe(before);
});

test("one debit of the whole file settles all of its wires", async () => {
  const ids = [await withdraw(10), await withdraw(20), await withdraw(30)];
  const file = await send();
  const { id: batch } = format.read(file);
  await book(file, [{ batch }], ids);
  for (const id of ids) await world.status(payer.business, id, "SUCCESS");
});

test("a file that the bank refuses with a definite code fails all of its wires", async () => {
  const before = await balance();
  const ids = [await withdraw(10), await withdraw(20)];
  const file = await send();
  await report(file, { group: { status: "RJCT", reason: "FF01" } }, ids);
  for (const id of ids) await world.status(payer.business, id, "FAILED");
  expect(await balance()).toBe(before);
});

// Banks say in many ways that they have a file already; the first copy of it is paid. Every way is
// in refusals.test.ts and iso20022-status-report.test.ts.
const REFUSALS: [string, Said][] = [
  ["AM05", { reason: "AM05" }],
  ["FF01, for another reason", { reason: "FF01" }],
  ["words in Dutch", { reason: "NARR", words: "Dubbele aanlevering" }],
  ["words in German", { reason: "NARR", words: "Datei bereits verarbeitet" }],
  ["a reason of its own", { proprietary: "DUPLICATE FILE" }],
  ["no reason", {}],
];

test.each(REFUSALS)("a file put twice, refused with %s, is paid once", async (_case, said) => {
  const before = Number(await balance());
  const id = await withdraw(5);
  const file = await send();
  await putAgain(file);
  await report(file, { group: { status: "RJCT", ...said } }, [id], "is held. The bank refuses it");
  expect(await rail.query(id)).toMatchObject({ kind: "accepted", problem: expect.any(String) });
  expect((await show(id)).status).toBe("PENDING");
  await book(file, [{ debit: id }], [id]);
  await world.status(payer.business, id, "SUCCESS");
  const { fees } = await show(id);
  expect(Number(await balance())).toBeCloseTo(before - 5 - Number(fees), 2);
});

// refusals.test.ts has every kind of refusal after a debit.
test.each(REFUSALS.slice(0, 1))(
  "a debited file put twice, refused with %s, stays paid",
  async (_case, said) => {
    const id = await withdraw(5);
    const file = await send();
    await putAgain(file);
    await book(file, [{ debit: id }], [id]);
    await world.status(payer.business, id, "SUCCESS");
    const refusal = { group: { status: "RJCT", ...said } };
    await report(file, refusal, [id], "its file may have come to the bank more than once");
    expect(await rail.query(id)).toMatchObject({ kind: "settled" });
    expect((await show(id)).status).toBe("SUCCESS");
    await seeAll();
  },
);

test("a definite code beats the bank's words", async () => {
  const id = await withdraw(5);
  const file = await send();
  const closed = { status: "RJCT", reason: "AC04", words: "Account already closed" };
  await report(file, { payments: [{ payment: id, ...closed }] }, [id]);
  await world.status(payer.business, id, "FAILED");
});

test("lines of others keep no wire from being settled", async () => {
  const [paid, other] = [await withdraw(5), await withdraw(5)];
  const file = await send();
  const lines: Booking[] = [
    { other: "CRDT", amountMinor: 100, id: "0123456789abcdef0123456789abcdef" },
    { other: "DBIT", amountMinor: 100, id: "5b1bd1a5-5f4a-431d-8709-538376926e9c" },
    { other: "CRDT", amountMinor: 1, id: "INVOICE-77" },
    // The recipient knows the payment's id, and pays a cent with it.
    { other: "CRDT", amountMinor: 1, id: other },
  ];
  await book(file, [...lines, { debit: paid }], [paid, other], "was applied");
  await world.status(payer.business, paid, "SUCCESS");
  expect(await rail.query(other)).toEqual(expect.objectContaining({ kind: "accepted" }));
  expect(await rail.query(other)).not.toHaveProperty("problem");
  await seeAll();
  await book(file, [{ debit: other }], [other]);
});

test("a wire of which a cent comes back stays paid, until an operator decides", async () => {
  const id = await withdraw(900);
  const file = await send();
  await book(file, [{ debit: id }], [id]);
  await world.status(payer.business, id, "SUCCESS");
  const before = await balance();
  await book(file, [{ returned: id, amountMinor: 1 }], [id], "is not the one that was sent");
  expect(await rail.query(id)).toMatchObject({ kind: "settled", problem: expect.any(String) });
  expect(await balance()).toBe(before);
  expect(await rail.decide?.(id, "settled")).toBe("decided");
  expect(await rail.query(id)).not.toHaveProperty("problem");
  await seeAll();
});

test("a wire that comes back less a bank's charge is returned whole", async () => {
  const before = await balance();
  const id = await withdraw(100);
  const file = await send();
  await book(file, [{ debit: id }], [id]);
  await world.status(payer.business, id, "SUCCESS");
  await book(file, [{ returned: id, amountMinor: 8_500 }], [id], "the bank kept 1500 minor units");
  await world.status(payer.business, id, "FAILED");
  expect(await balance()).toBe(before);
  await seeAll();
});

test("one debit whose only detail names the file settles its wires", async () => {
  const ids = [await withdraw(10), await withdraw(20)];
  const file = await send();
  const { id: batch } = format.read(file);
  await book(file, [{ batch, inDetail: true }], ids);
  for (const id of ids) await world.status(payer.business, id, "SUCCESS");
});

test("a wire that is debited twice, in two files, is a problem", async () => {
  const id = await withdraw(5);
  const file = await send();
  await book(file, [{ debit: id, reference: "BANK-0001" }], [id]);
  await book(
    file,
    [
      { debit: id, reference: "BANK-0001" },
      { other: "CRDT", amountMinor: 1 },
    ],
    [id],
  );
  await book(file, [{ debit: id, reference: "BANK-0002" }], [id], "more often");
  expect(await rail.query(id)).toMatchObject({ kind: "settled", problem: expect.any(String) });
  expect(await rail.decide?.(id, "settled")).toBe("decided");
});

test("a wire is cancelled until its file, and not after it", async () => {
  const before = await balance();
  const cancel = (id: string) =>
    world.http.post(`/v1/transactions/${id}/cancel`, {}, { token: payer.business.token });
  const early = await withdraw(10);
  expect(dataOf(await cancel(early), 200)).toMatchObject({ status: "FAILED" });
  const late = await withdraw(10);
  const file = await send();
  expect(format.read(file).payments.map(({ id }) => id)).toEqual([late]);
  expect((await cancel(late)).status).toBe(409);
  await report(file, { group: { status: "RJCT", reason: "FF01" } }, [late]);
  await world.status(payer.business, late, "FAILED");
  expect(await balance()).toBe(before);
});

test("an international account is paid by its IBAN and BIC", async () => {
  const token = await world.applicationToken(payer.business, payer.user);
  const iban = { accountNumber: "DE89 3704 0044 0532 0130 00", swiftOrBic: "DEUTDEFF" };
  const linked = await world.linkInternational(payer.user, token, internationalBody(iban));
  const account = { id: dataOf(linked, 200).id as string, currency: "USD" };
  const id = await withdraw(80, account);
  const file = await send();
  expect(file.toString()).toContain("<IBAN>DE89370400440532013000</IBAN>");
  await report(file, { payments: [{ payment: id, status: "ACCC" }] }, [id]);
  await world.status(payer.business, id, "SUCCESS");
});
