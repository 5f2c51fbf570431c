// A process of each service is killed after it did what a request with an Idempotency-Key asks, and
// before it stored the answer. The repeated request, at another process, has one answer and one
// effect (docs/integrate/rest-api.md, Idempotency keys).

import { randomUUID } from "node:crypto";
import type { ActionName, Params, Result } from "../../shared/contracts/contracts.ts";
import type { Meta } from "../../shared/rpc/actions.ts";
import { type Keyed, openKeyed } from "../support/keyed.ts";
import { endOf, startDying } from "../support/processes.ts";
import { served, until } from "../support/system.ts";
import {
  dataOf,
  linkBody,
  startWorld,
  type TestBusiness,
  type TestUser,
  type TestWallet,
  type World,
} from "../support/world.ts";

let world: World;
let keyed: Keyed;
let business: TestBusiness;
let user: TestUser;
let wallet: TestWallet;
let payoutId: string;

/** The rail settles nothing during the test. */
const UNSETTLED = { SANDBOX_SETTLE_MS: "3600000" };

// Everything is made before the first process is killed, because calls then reach dead processes.
beforeAll(async () => {
  world = await startWorld({ overNats: true, environment: UNSETTLED });
  keyed = await openKeyed(world);
  ({ business, user, wallet } = await world.payer(100));
  await world.collectionAccount(business);
  // A wire is PENDING until it is settled or cancelled.
  const bank = await world.bank(business, wallet);
  payoutId = dataOf(await world.withdraw(user, bank, { routingType: "WIRE" }), 200).id;
});
afterAll(async () => {
  await keyed?.close();
  await world?.stop();
});
afterEach(() => world.verifyBooks());

/**
 * Calls an action at a process that is killed before it stores the answer, then at the others.
 * @returns the answers of two repeats, and the killed process's log
 */
async function cutOff<A extends ActionName>(name: A, params: Params<A>, sub: string, key: string) {
  const meta: Meta = {
    actor: { sub, role: "merchant" },
    idempotency: { route: name, key, request: "request" },
  };
  const service = name.split(".")[0] as Parameters<typeof startDying>[1];
  const trace = { LOG_LEVEL: "trace", ...UNSETTLED };
  const { child, nodeID } = await startDying(world, service, "answer-not-kept", sub, trace);
  let log = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  // Not awaited, because the killed process never answers.
  void world.broker.call(name, params, { nodeID, meta }).catch(() => null);
  expect(await endOf(child)).toBe("SIGKILL");
  // The system learns that the process is dead by calling it.
  const ask = () =>
    until(() =>
      world.call(name, params, { meta }).then(
        (answer) => ({ answer, type: null }),
        ({ type }: { type?: string }) => type !== "REQUEST_REJECTED" && { answer: null, type },
      ),
    );
  expect((await ask()).type).toBe("STILL_RUNNING");
  await keyed.passLeases();
  const [first, second] = [await ask(), await ask()];
  expect(first.type).toBeNull();
  expect(second).toEqual(first);
  return { answer: first.answer as Result<A>, log };
}

async function total(path: string): Promise<number> {
  const { id, token } = business;
  const { body } = await served(() => world.http.get(`/v1/business/${id}/${path}`, { token }));
  return body.meta.total;
}

test("a client is created once, with one secret, and neither secret nor key is logged", async () => {
  const key = randomUUID();
  const before = await total("api-clients");
  const params = { businessId: business.id, name: "Office" };
  const { answer, log } = await cutOff("accounts.createClient", params, business.id, key);
  expect(await total("api-clients")).toBe(before + 1);
  expect(log).toContain("accounts.createClient");
  expect(log).not.toContain(key);
  expect(log).not.toContain(answer.clientSecret);
});

test("a link and its webhook are created once, and so is a webhook", async () => {
  const advancedConfig = { websiteUrl: "http://127.0.0.1:9", webhookPath: "/hooks" };
  const params = { body: linkBody({ advancedConfig }) };
  const [links, hooks] = [await total("payment-links"), await total("webhooks")];
  await cutOff("payment-links.createLink", params, business.id, "link");
  const hook = { businessId: business.id, url: "http://127.0.0.1:9/" };
  await cutOff("webhooks.createEndpoint", hook, business.id, "hook");
  expect([await total("payment-links"), await total("webhooks")]).toEqual([links + 1, hooks + 2]);
});

test("a cancelled payout is refunded once, and a wallet is funded once", async () => {
  const cancelled = { businessId: business.id, id: payoutId };
  const { answer } = await cutOff("payouts.cancel", cancelled, business.id, "cancel");
  expect(answer).toMatchObject({ status: "FAILED", failureReason: "Payment was cancelled." });
  const funding = { businessId: business.id, walletId: wallet.id, amount: 10, reference: "once" };
  await cutOff("wallet-ledger.fund", funding, business.id, "fund");
  const path = `/v1/business/${business.id}/wallets/${wallet.id}`;
  const shown = await served(() => world.http.get(path, { token: business.token }));
  expect(dataOf(shown, 200).balance).toBe("110.00");
});

test("a wallet is opened once, by the request that was cut off", async () => {
  const opening = { businessId: business.id, entityId: user.id, currency: "EUR" as const };
  const { answer } = await cutOff("wallet-ledger.openWallet", opening, business.id, "open");
  expect(answer.created).toBe(true);
});
