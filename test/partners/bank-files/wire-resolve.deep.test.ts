// Wires that a problem of the bank's files holds, over HTTP: an operator reads of each kind of
// problem among the partners, in the attention list and in the payout's timeline, and can end the
// payout without waiting for payrail's next question to the rail.

import { randomUUID } from "node:crypto";
import { iso20022Format } from "../../../partners/bank-files/iso20022/format.ts";
import type { BankFilesRail } from "../../../partners/bank-files/rail.ts";
import { type Files, findViolations, startFiles } from "../../support/bank/files.ts";
import { notification, type Said, statusReport } from "../../support/bank/iso20022.ts";
import { ORIGINATOR } from "../../support/bank/wires.ts";
import { showPartners } from "../../support/partners.ts";
import { railsOf } from "../../support/payouts.ts";
import { until } from "../../support/system.ts";
import { dataOf, startWorld, type World } from "../../support/world.ts";

const DAY_MS = 86_400_000;

const format = iso20022Format(ORIGINATOR);
const admin = randomUUID();

let files: Files;
let rail: BankFilesRail;
let world: World;
let business: Awaited<ReturnType<World["business"]>>;

beforeAll(async () => {
  // payrail asks about a wire once, so only the operator's requests make it ask again.
  files = await startFiles({ format, settings: { askEveryMs: DAY_MS } });
  rail = await files.open();
  world = await startWorld({ payoutsInstead: [{ rails: railsOf(rail, ["WIRE"]) }] });
  business = await world.business();
});
afterEach(async () => {
  expect(await findViolations(world, rail)).toEqual([]);
});
afterAll(async () => {
  await world?.stop();
  await files?.stop();
});

interface Wire {
  id: string;
  file: Buffer;
}

async function send() {
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 1_000);
  const bank = await world.bank(business, wallet, "6789");
  const asked = { amount: 900, routingType: "WIRE" as const };
  const { id, fees } = dataOf(await world.withdraw(user, bank, asked), 200);
  const { payments } = rail.deps.books;
  await until(async () => (await payments.countDocuments({ _id: id })) === 1);
  const before = files.sent();
  await rail.turn();
  const name = files.sent().find((each) => !before.includes(each)) as string;
  const debited = (1_000 - 900 - Number(fees)).toFixed(2);
  const balance = () => world.balance(business, wallet);
  return { id: id as string, file: files.readSent(name), debited, balance };
}

async function answer(bytes: Buffer | string): Promise<void> {
  files.answer(`answer-${randomUUID()}.xml`, Buffer.from(bytes));
  await rail.turn();
}

const refuse = ({ file }: Wire, group: Said) =>
  answer(statusReport(file, { group: { status: "RJCT", ...group } }));
const debit = ({ id, file }: Wire, more: { reference?: string; amountMinor?: number } = {}) =>
  answer(notification(file, [{ debit: id, ...more }]));

async function settle(wire: Wire): Promise<void> {
  await debit(wire, { reference: "B1" });
  await world.call("payouts.railNotified", { id: wire.id, method: "WIRE" });
  await world.status(business, wire.id, "SUCCESS");
}

async function putAgain({ file }: Wire): Promise<void> {
  const { id: _id } = format.read(file);
  await rail.deps.books.batches.updateOne({ _id }, { $set: { state: "handing", handingAt: 0 } });
  await rail.turn();
}

/** What makes each problem, after the file has left. */
const PROBLEMS: Record<string, (wire: Wire) => Promise<void>> = {
  "a refusal of the payment in words": ({ id, file }) =>
    answer(statusReport(file, { payments: [{ payment: id, status: "RJCT", reason: "NARR" }] })),
  "a refusal of the file in words": (wire) => refuse(wire, { reason: "NARR", words: "Bereits da" }),
  "an unknown status": ({ file }) => answer(statusReport(file, { group: { status: "ABCD" } })),
  "a definite refusal of a file put twice": async (wire) => {
    await putAgain(wire);
    await refuse(wire, { reason: "FF01" });
  },
  "a debit of another amount": (wire) => debit(wire, { amountMinor: 89_999 }),
  "a debit on another account": ({ id, file }) =>
    answer(notification(file, [{ debit: id }], { account: "999" })),
  "an unreadable answer": ({ id, file }) =>
    answer(notification(file, [{ debit: id }]).subarray(0, -9)),
  "a return of a cent after its debit": async (wire) => {
    await settle(wire);
    await answer(notification(wire.file, [{ returned: wire.id, amountMinor: 1 }]));
  },
  "a second debit": async (wire) => {
    await settle(wire);
    await debit(wire, { reference: "B2" });
  },
  "a refusal after its debit": async (wire) => {
    await settle(wire);
    await refuse(wire, { reason: "FF01" });
  },
};

const asAdmin = () => ({ token: world.tokens.admin(admin) });

async function attention(): Promise<string[]> {
  const { body } = await world.http.get("/v1/admin/attention?kind=payout", asAdmin());
  return body.data.map(({ id }: { id: string }) => id);
}

const ENDS = ["SUCCESS", "FAILED"] as const;
const ROWS = Object.keys(PROBLEMS).flatMap((problem) => ENDS.map((end) => [problem, end] as const));

test.each(ROWS)(
  "a wire that %s holds ends as %s when an operator says so",
  async (problem, end) => {
    const wire = await send();
    await PROBLEMS[problem]?.(wire);
    const { partners } = await showPartners(world);
    expect(partners.find(({ name }: { name: string }) => name === rail.name).problems).not.toEqual(
      [],
    );
    const path = `/v1/admin/transactions/${wire.id}/resolve`;
    const said = { outcome: end, note: "The bank told us by phone" };
    expect((await world.http.post(path, said, asAdmin())).status).toBe(200);
    await world.status(business, wire.id, end);
    expect(await wire.balance()).toBe(end === "SUCCESS" ? wire.debited : "1000.00");
    await world.call("payouts.railNotified", { id: wire.id, method: "WIRE" });
    expect(await attention()).not.toContain(wire.id);
    const answered = await rail.query(wire.id);
    expect(answered).not.toHaveProperty("problem");
  },
);

test.each(Object.keys(PROBLEMS))(
  "%s is shown to operators at payrail's next question",
  async (problem) => {
    const wire = await send();
    await PROBLEMS[problem]?.(wire);
    await world.call("payouts.railNotified", { id: wire.id, method: "WIRE" });
    await until(async () => (await attention()).includes(wire.id));
    const timeline = `/v1/admin/businesses/${business.id}/transactions/${wire.id}/timeline`;
    expect(dataOf(await world.http.get(timeline, asAdmin()), 200).problem).toMatch(/^[A-Z].{20}/);
    const own = `/v1/transactions/${wire.id}/timeline`;
    const shown = dataOf(await world.http.get(own, { token: business.token }), 200);
    expect(shown).not.toHaveProperty("problem");
  },
);
