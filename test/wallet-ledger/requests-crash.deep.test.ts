// kill -9 between any two steps of a funding, an adjustment and a transfer: a ledger process dies at
// each named point, and another one finishes. Afterwards the reference has counted once, the
// merchant has received one event, and a repeat has the same answer; a request that was declined has
// moved nothing, and its reference counts when there is money.

import { randomUUID } from "node:crypto";
import type { RequestPoint } from "../../services/wallet-ledger/by-reference.ts";
import { crashWalk } from "../support/crash-walk.ts";
import { served, until } from "../support/system.ts";
import { dataOf, startWorld, type TestHook, type World } from "../support/world.ts";

let world: World;
let admin: string;

beforeAll(async () => {
  world = await startWorld({ overNats: true });
  admin = world.tokens.admin(randomUUID());
});
afterAll(() => world?.stop());

const KINDS = ["fund", "adjust", "move"] as const;

interface Row {
  kind: (typeof KINDS)[number];
  point: RequestPoint;
  amount: number;
}

const [SOME, TOO_MUCH] = [40, 1_000];
const POINTS: RequestPoint[] = ["request-inserted", "request-decided", "request-published"];
const WALK: Row[] = [
  ...KINDS.flatMap((kind) => POINTS.map((point) => ({ kind, point, amount: SOME }))),
  { kind: "move", point: "transfer-out-posted", amount: SOME },
  { kind: "move", point: "request-decided", amount: TOO_MUCH },
  { kind: "adjust", point: "request-decided", amount: TOO_MUCH },
];

interface Walked extends Row {
  /** The business. */
  owner: string;
  hook: TestHook;
  params: Record<string, unknown>;
  /** Sends the request once more. */
  repeat(): ReturnType<World["http"]["post"]>;
  /** The balances of both wallets. */
  balances(): Promise<string[]>;
  /** Credits the first wallet with what a declined request lacked. */
  fill(): Promise<unknown>;
}

/** The balances of the first wallet, which had 100.00, and of the other one, which had 50.00. */
const AFTER = { fund: ["140.00", "50.00"], adjust: ["60.00", "50.00"], move: ["60.00", "90.00"] };

test("a ledger process dies at every point of a request, and another one finishes it", () =>
  crashWalk<Row, Walked>({
    world,
    service: "wallet-ledger",
    rows: WALK,
    begin,
    ask({ kind, params }, nodeID) {
      // The call is not awaited, because the dead process never answers.
      void world.broker.call(`wallet-ledger.${kind}`, params, { nodeID }).catch(() => null);
    },
    expectEnd,
  }));

async function begin(row: Row): Promise<Walked> {
  const { kind, amount } = row;
  // The gateway learns that a node is dead by calling it.
  const business = await until(() => world.business().catch(() => null));
  const { id: owner, token } = business;
  const hook = await world.hook(business, { eventTypes: ["ADJUSTMENT", "TRANSFER", "FUNDING"] });
  const wallet = await world.wallet(business, business, 100);
  const other = await world.wallet(business, await world.user(business), 50);
  await until(() => hook.received.length === 2, { awaited: "the events of the first fundings" });
  hook.received.length = 0;
  const { http } = world;
  const at = `/v1/admin/businesses/${owner}/wallets/${wallet.id}`;
  const asked = { amount, reference: "dies" };
  const adjusted = { ...asked, direction: "DEBIT", note: "Credited twice" };
  const moved = { ...asked, fromWalletId: wallet.id, toWalletId: other.id };
  const of = {
    fund: { path: `${at}/fundings`, body: asked, wallets: { walletId: wallet.id } },
    adjust: { path: `${at}/adjustments`, body: adjusted, wallets: { walletId: wallet.id } },
    move: { path: `/v1/business/${owner}/transfers`, body: moved, wallets: {} },
  }[kind];
  return {
    ...row,
    ...{ owner, hook, params: { businessId: owner, ...of.wallets, ...of.body } },
    repeat: () =>
      served(() => http.post(of.path, of.body, { token: kind === "move" ? token : admin })),
    balances: () => Promise.all([wallet, other].map((each) => world.balance(business, each))),
    fill: () =>
      http.post(
        `${at}/fundings`,
        { amount: TOO_MUCH - SOME, reference: "fills" },
        { token: admin },
      ),
  };
}

async function expectEnd(walked: Walked): Promise<void> {
  const { kind, point, amount, hook, repeat, balances, fill } = walked;
  const name = `${kind} at ${point}`;
  const ended = async () => (await balances().catch(() => null))?.join();
  const told = () => hook.received.filter(({ body }) => body.payload.reference === "dies");
  if (amount === TOO_MUCH) {
    expect([name, await until(ended)]).toEqual([name, "100.00,50.00"]);
    const { status, body } = await repeat();
    expect([name, status, body.code]).toEqual([name, 400, "insufficient_funds"]);
    await served(fill as never);
    dataOf(await repeat(), 201);
    await until(() => told().length > 0, { awaited: `the event of ${name}` });
  } else {
    const isDone = async () => (await ended()) === AFTER[kind].join();
    await until(isDone, { awaited: name });
    await until(() => told().length > 0, { awaited: `the event of ${name}` });
    const again = dataOf(await repeat(), 201);
    expect([name, again.id]).toEqual([name, told()[0]?.body.payload.transactionId]);
    expect([name, await balances()]).toEqual([name, AFTER[kind]]);
  }
  expect([name, new Set(told().map(({ headers }) => headers["webhook-id"])).size]).toEqual([
    name,
    1,
  ]);
}
