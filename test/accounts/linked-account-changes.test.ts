// Changes of a linked account: a new nickname, and an unlink, which leaves running payouts alone.

import { randomUUID } from "node:crypto";
import type { Rail } from "../../partners/types.ts";
import type { Answer } from "../support/http.ts";
import { railsOf } from "../support/payouts.ts";
import { refusal } from "../support/refusal.ts";
import { until } from "../support/system.ts";
import {
  dataOf,
  internationalBody,
  startWorld,
  type TestAccount,
  type TestBusiness,
  type TestUser,
  type TestWallet,
  type World,
} from "../support/world.ts";

/** A rail that holds payments until it is released, and then pays each once to its instrument. */
function heldRail() {
  const { promise: isLet, resolve: letPay } = Promise.withResolvers<void>();
  const paidTo = new Map<string, string>();
  const rail: Rail = {
    name: "held",
    returnWindowMs: 0,
    async submit({ id, amountMinor, currency }, instrument) {
      await isLet;
      const { data } = await instrument();
      paidTo.set(id, data.accountNumber as string);
      return { kind: "settled", amountMinor, currency };
    },
    query: async () => ({ kind: "notFound" }),
    cancel: async () => "no",
  };
  return { rails: railsOf(rail, ["ACH", "WIRE"]), letPay, paidTo };
}

const { rails, letPay, paidTo } = heldRail();
let world: World;
let business: TestBusiness;
let user: TestUser;
let wallet: TestWallet;

beforeAll(async () => {
  world = await startWorld({ payoutsInstead: [{ rails }] });
  business = await world.business();
});
beforeEach(async () => {
  user = await world.user(business, { externalIdentifier: randomUUID() });
  wallet = await world.wallet(business, user, 100);
});
afterAll(async () => {
  letPay();
  await world.verifyBooks();
  await world.stop();
});

const NOT_FOUND = [404, refusal("Linked account not found")];
const brief = ({ status, body }: Answer) => [status, body];
const pathOf = ({ id, currency }: TestAccount, of = business) =>
  `/v1/business/${of.id}/linked-accounts/${currency}/${id}`;

function rename(account: TestAccount, body: unknown, as = business): Promise<Answer> {
  return world.http.patch(pathOf(account, as), body, { token: as.token });
}

function unlink(account: TestAccount, as = business): Promise<Answer> {
  return world.http.delete(pathOf(account, as), { token: as.token });
}

/** The user's accounts in the business's list. */
async function listed() {
  const path = `/v1/business/${business.id}/linked-accounts/USD`;
  return dataOf(await world.http.get(path, { token: business.token }), 200).filter(
    ({ entity }: { entity: { id: string } }) => entity.id === user.id,
  );
}

async function internationalAccount(): Promise<TestAccount & { accountNumber: string }> {
  const token = await world.applicationToken(business, user);
  const body = internationalBody({ nickName: "Wire" });
  const { id } = dataOf(await world.linkInternational(user, token, body), 200);
  return { id, currency: "USD", accountNumber: body.data.accountNumber };
}

describe("a nickname", () => {
  test("is changed everywhere, with the time of the change", async () => {
    const account = await world.bank(business, wallet);
    const [before] = await listed();
    expect(before).toMatchObject({ nickName: null, recipientData: { nickName: "" } });

    const answer = await rename(account, { nickName: "  Rent " });
    const data = dataOf(answer, 200);
    expect(data).toMatchObject({ id: account.id, nickName: "Rent", createdAt: before.createdAt });
    const [after] = await listed();
    expect(after).toEqual({
      ...before,
      nickName: "Rent",
      updatedAt: data.updatedAt,
      recipientData: { ...before.recipientData, nickName: "Rent" },
    });
    expect(Date.parse(after.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt));
  });

  test("of an international account is changed likewise, and the label stays", async () => {
    const account = await internationalAccount();
    dataOf(await rename({ ...account, currency: "usd" }, { nickName: "Other" }), 200);
    expect(await listed()).toMatchObject([
      {
        nickName: "Other",
        account: { label: "Main account" },
        recipientData: { nickName: "Other" },
      },
    ]);
  });

  test.each([
    [{}, "The body must have at least one of nickName"],
    [{ label: "Other" }, "The body must have at least one of nickName"],
    [{ nickName: null }, expect.stringMatching(/^nickName must be /)],
    [{ nickName: "" }, expect.stringMatching(/^nickName must be /)],
    [{ nickName: "a".repeat(257) }, expect.stringMatching(/^nickName must be /)],
    [{ nickName: { $set: "x" } }, expect.stringMatching(/^nickName must be /)],
    [{ nickName: "a\u202eb" }, expect.stringMatching(/^nickName must be /)],
  ])("%j is refused, and changes no account", async (body, message) => {
    const account = await world.bank(business, wallet);
    const before = await listed();
    expect(brief(await rename(account, body))).toEqual([400, refusal(message)]);
    expect(await listed()).toEqual(before);
  });

  test("is refused to another business, another currency, an end user and an unlinked account", async () => {
    const account = await world.bank(business, wallet);
    const body = { nickName: "Theirs" };
    expect(brief(await rename(account, body, await world.business()))).toEqual(NOT_FOUND);
    expect(brief(await rename({ ...account, currency: "EUR" }, body))).toEqual(NOT_FOUND);
    expect(brief(await rename({ ...account, id: randomUUID() }, body))).toEqual(NOT_FOUND);
    expect((await rename(account, body, { ...business, token: user.token })).status).toBe(401);
    expect(await listed()).toMatchObject([{ nickName: null }]);
    dataOf(await unlink(account), 200);
    expect(brief(await rename(account, body))).toEqual(NOT_FOUND);
  });
});

describe("an unlinked account", () => {
  test("is out of the lists and of new withdrawals; running payouts are paid", async () => {
    const bank = await world.bank(business, wallet);
    const wire = await internationalAccount();
    const paid = await Promise.all(
      [bank, wire].map(async (account) => dataOf(await world.withdraw(user, account), 200).id),
    );
    expect(paidTo.size).toBe(0);

    for (const account of [bank, wire]) {
      expect(dataOf(await unlink(account), 200)).toEqual({ id: account.id });
      expect(brief(await world.withdraw(user, account))).toEqual(NOT_FOUND);
      expect(brief(await unlink(account))).toEqual(NOT_FOUND);
    }
    expect(await listed()).toEqual([]);
    const external = await world.http.get("/v1/ext/linked-accounts/USD", { token: user.token });
    expect(external.body).toMatchObject({ data: [], meta: { total: 0 } });

    letPay();
    for (const id of paid) await world.status(business, id, "SUCCESS");
    expect(new Set(paidTo.keys())).toEqual(new Set(paid));
    expect([...paidTo.values()]).toContain(wire.accountNumber);
    // 25.00 twice, and the fees of an ACH payout and of a wire.
    await until(async () => (await world.balance(business, wallet)) === "34.75");
  });
});
