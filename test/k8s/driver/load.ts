// Withdrawals at a rate, each known by its reason, and the outcome of each.

import { randomUUID } from "node:crypto";
import { type Shop, type Transaction, withdraw } from "./shop.ts";

export interface Attempt {
  reason: string;
  sentAt: number;
  tookMs: number;
  /** The HTTP status; 0 for a connection that was refused or broken, or no answer. */
  status: number;
  /** The payout's id, or the failure. */
  text: string;
}

export interface Load {
  stop(): Promise<Attempt[]>;
}

/** Withdraws at a rate per second, by the customers in turn. */
export function startLoad(shop: Shop, perSecond: number): Load {
  const attempts: Attempt[] = [];
  const underWay = new Set<Promise<void>>();
  const run = randomUUID();

  async function attempt(i: number): Promise<void> {
    const { customers } = shop;
    const customer = customers[i % customers.length];
    if (!customer) return;
    const sentAt = Date.now();
    const reason = `${run} ${i}`;
    const answer = await withdraw(customer, reason).catch((error: Error) => {
      const { cause } = error as { cause?: Error };
      return { status: 0, text: `${error.message} ${cause?.message ?? ""}`, data: null };
    });
    const text = answer.status === 200 ? answer.data.id : answer.text;
    const tookMs = Date.now() - sentAt;
    attempts.push({ reason, sentAt, tookMs, status: answer.status, text });
  }

  let sent = 0;
  const timer = setInterval(() => {
    const done = attempt(sent).finally(() => underWay.delete(done));
    underWay.add(done);
    sent += 1;
  }, 1_000 / perSecond);

  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
      return attempts;
    },
  };
}

/**
 * The faults of the payouts of these attempts: an accepted one that is not there or has not
 * ended, one that was refused and is there, one that is there twice.
 */
export function wrongPayouts(attempts: Attempt[], made: Transaction[]): string[] {
  return attempts.flatMap(({ reason, status, text }) => {
    const own = made.filter((one) => one.reason === reason);
    const isKept =
      status === 200
        ? own.length === 1 && own[0]?.id === text && own[0].status === "SUCCESS"
        : // An unknown outcome may be a payout. A refusal is none.
          own.length <= (status === 0 || status === 500 ? 1 : 0);
    if (isKept) return [];
    const found = own.map((one) => `${one.id} ${one.status}`).join();
    return [`${reason}: ${status} ${text}; payouts: ${found}`];
  });
}
