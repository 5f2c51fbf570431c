// Customers of payment links, at random from a seed: some click twice, repeat with their key until
// they get an answer, or try another card after a decline; some have no key and ask once. A
// merchant refunds and transfers their payments. The answers are kept, because the test's proof
// uses them.

import { randomUUID } from "node:crypto";
import type { Answer } from "../../support/http.ts";
import type { Random } from "../../support/traffic.ts";
import type { TestBusiness, TestLink, World } from "../../support/world.ts";

/** A request that was sent once, or repeatedly with one key, and every answer to it. */
export interface Attempt {
  email: string;
  answers: Answer[];
}

export interface Shop {
  world: World;
  business: TestBusiness;
  /** A link that can be paid any number of times. */
  open: TestLink[];
  /** A link that can be paid once. */
  closed: TestLink[];
  /** Cards by last four digits, which decide the acquirer's result. */
  cards: string[];
  accountId: string;
  walletId: string;
}

const REPEATS_AT_MOST = 80;
const REPEATED_AFTER_MS = 150;
const CARDS_AT_MOST = 3;
const KEYED_PERCENT = 70;
const CLICKS_TWICE_PERCENT = 30;

/**
 * One customer at one link, until the customer is charged, is refused or gives up.
 * @returns all attempts
 */
export async function visit(shop: Shop, random: Random): Promise<Attempt[]> {
  const link = random.oneOf(random.below(2) === 0 ? shop.open : shop.closed);
  const email = `${randomUUID()}@example.com`;
  const address = `10.${random.below(256)}.${random.below(256)}.${random.below(256)}`;
  const isKeyed = random.below(100) < KEYED_PERCENT;
  const attempts: Attempt[] = [];
  for (let i = 0; i < CARDS_AT_MOST; i++) {
    const key = isKeyed ? { "Idempotency-Key": randomUUID() } : undefined;
    const headers = { "X-Forwarded-For": address, ...key };
    const customer = { email, firstName: "Ada", lastName: "Lovelace", phone: "+1 555 0100" };
    const card = random.oneOf(shop.cards);
    const attempt: Attempt = { email, answers: [] };
    attempts.push(attempt);
    const send = async () => {
      const answer = await shop.world.pay(link, card, { customer }, headers);
      attempt.answers.push(answer);
      return answer;
    };
    const clicks = isKeyed && random.below(100) < CLICKS_TWICE_PERCENT ? 2 : 1;
    const asked = Array.from({ length: clicks }, () => (isKeyed ? untilKnown(send) : send()));
    const [answer] = await Promise.all(asked);
    // A customer tries another card only if the first one was certainly not charged.
    if (answer?.status !== 200 || answer.body.data.status !== "FAILED") break;
  }
  return attempts;
}

/** Repeats a request that must count once while its outcome is unknown. */
async function untilKnown(send: () => Promise<Answer>): Promise<Answer> {
  for (let i = 0; ; i++) {
    const answer = await send();
    if (i === REPEATS_AT_MOST || !isUnknown(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, REPEATED_AFTER_MS));
  }
}

const STILL_RUNNING = "A request with this Idempotency-Key is under way";

function isUnknown({ status, body }: Answer): boolean {
  return status >= 500 || body.message === STILL_RUNNING;
}

/**
 * Refunds a payment in one of the ways that merchants use.
 * @returns the attempts with their answers
 */
export function refund(shop: Shop, random: Random, paymentId: string): Promise<Answer[]> {
  const { world, business } = shop;
  const path = `/v1/business/${business.id}/payments/${paymentId}/refunds`;
  const ask = (amount?: number, reference = randomUUID()) => {
    const body = { ...(amount !== undefined && { amount }), reference };
    return untilKnown(() => world.http.post(path, body, { token: business.token }));
  };
  switch (random.below(4)) {
    case 0:
      return Promise.all([ask()]);
    case 1:
      return Promise.all([ask(9.99), ask(10), ask(10.01), ask()]);
    case 2: {
      const reference = randomUUID();
      return Promise.all([ask(12.34, reference), ask(12.34, reference)]);
    }
    default:
      return Promise.all([ask(0.01), ask(26.05)]);
  }
}

/** Transfers a part of the collected money, and sends the request twice. */
export function transfer({ world, business, accountId, walletId }: Shop): Promise<Answer[]> {
  const path = `/v1/business/${business.id}/collection-accounts/${accountId}/transfers`;
  const body = { walletId, amount: 7.5, reference: randomUUID() };
  const ask = () => untilKnown(() => world.http.post(path, body, { token: business.token }));
  return Promise.all([ask(), ask()]);
}
