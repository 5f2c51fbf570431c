// An operator: stops the business, a wallet or a user of it for some seconds, and sets limits of what
// it pays out, a little above what is used of them. The business itself sets limits too.

import { setTimeout } from "node:timers/promises";
import { newId } from "../../../shared/ids.ts";
import type { Operator } from "./cast.ts";
import type { Client } from "./client.ts";
import type { Entry } from "./history.ts";

/** Longer than a stop or a limit needs to hold over all processes, in ms. */
const HELD_MS = { from: 6_000, to: 8_500 };
const PAUSE_MS = { from: 300, to: 2_500 };
const STATUSES = ["PAYOUTS_PAUSED", "PAYOUTS_PAUSED", "COLLECTIONS_PAUSED", "FROZEN"] as const;
const NOTE = { note: "The cluster test asked" };

/** A limit of the month, because no run of the test should pass the end of its window. */
const MONTH = { scope: "business", currency: "USD", per: "month" } as const;
/** More than any run pays out. It stays, so that all payouts are counted. */
const OPEN = { ...MONTH, amount: "100000000.00", count: 1_000_000 };

/** @param body with `status` or `frozen` */
function control(
  client: Client,
  { business, token }: Operator,
  place: string,
  body: { status: string } | { frozen: boolean },
): Promise<Entry> {
  const [, subject = business.id] = place.split("/");
  const what = "status" in body ? body.status : String(body.frozen);
  return client.decide({
    ...{ kind: "control", op: newId(), about: { business: business.id, subject, what } },
    path: `/v1/admin/businesses/${business.id}/${place}`,
    ...{ method: "PUT", token, body: { ...body, ...NOTE } },
  });
}

function setLimits(
  client: Client,
  { business, token }: Operator,
  by: "operator" | "merchant",
  limits: object[],
): Promise<Entry> {
  const isOperator = by === "operator";
  return client.decide({
    ...{ kind: "limits", op: newId(), about: { business: business.id, by } },
    path: `/v1/${isOperator ? "admin/businesses" : "business"}/${business.id}/limits`,
    method: "PUT",
    token: isOperator ? token : business.token,
    body: { limits, ...(isOperator && NOTE) },
  });
}

/** What the business may still pay out. */
export function readLimits(client: Client, { business }: Pick<Operator, "business">) {
  return client.decide(
    {
      ...{ kind: "list", op: business.id, about: { business: business.id } },
      ...{ path: "/v1/ext/withdrawal-limits", token: business.token },
    },
    ({ status }) => status === 200,
  );
}

/** A life of an operator until it is stopped; then everything goes on. */
export async function liveOperator(client: Client, operator: Operator, isOver: () => boolean) {
  const { random } = client;

  /** Waits, but not longer than the life. */
  async function pause({ from, to }: { from: number; to: number }): Promise<void> {
    const until = Date.now() + random.between(from, to);
    while (Date.now() < until && !isOver()) await setTimeout(100);
  }

  async function stopForAWhile(): Promise<void> {
    const drawn = random.between(0, 99);
    if (drawn < 40) {
      await control(client, operator, "controls", { status: random.pick(STATUSES) });
      await pause(HELD_MS);
      await control(client, operator, "controls", { status: "ACTIVE" });
      return;
    }
    const place =
      drawn < 70
        ? `wallets/${random.pick(operator.wallets)}`
        : `entities/${random.pick(operator.users)}`;
    await control(client, operator, `${place}/freeze`, { frozen: true });
    await pause(HELD_MS);
    await control(client, operator, `${place}/freeze`, { frozen: false });
  }

  async function limitForAWhile(): Promise<void> {
    const by = random.pick(["operator", "merchant"] as const);
    const { status, body } = await readLimits(client, operator);
    if (status !== 200) return;
    const [amount, count] = body.data.map(({ used }: { used: unknown }) => Number(used));
    // A process that does not know the limits yet shows none.
    if (count === undefined) return;
    const most = { amount: (amount + random.between(50, 400)).toFixed(2) };
    const wanted = [
      { ...MONTH, ...most, count: count + random.between(1, 8) },
      { ...MONTH, scope: "entity", count: random.between(1, 12) },
      { scope: "business", currency: "USD", per: "payout", amount: "60.00" },
    ];
    const limits = wanted.filter(() => random.chance(0.6));
    await setLimits(client, operator, by, [...(by === "operator" ? [OPEN] : []), ...limits]);
    await pause(HELD_MS);
    await setLimits(client, operator, by, by === "operator" ? [OPEN] : []);
  }

  await setLimits(client, operator, "operator", [OPEN]);
  while (!isOver()) {
    await (random.chance(0.5) ? stopForAWhile() : limitForAWhile());
    await pause(PAUSE_MS);
  }
}
