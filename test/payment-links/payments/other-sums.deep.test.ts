// Random histories with an acquirer that answers about other sums: at once, later, in contradiction
// to itself, and after another outcome was stored. Each posted sum is one that the acquirer told
// for the question, nothing fails that was captured, and a person sees each other sum. Each
// safeguard is taken out in turn, and the history has to notice it.

import type paymentLinks from "../../../services/payment-links/payment-links.service.ts";
import type { Payment } from "../../../services/payment-links/payments/payment.model.ts";
import type { Refund } from "../../../services/payment-links/refunds/refund.model.ts";
import { type Edit, importWithout } from "../../../tools/simulate/ablate.ts";
import {
  openPaymentBooks,
  type PaymentBooks,
  type SpokenCharge,
  type SpokenVoid,
  scriptedAcquirer,
} from "../../support/payments.ts";
import { until } from "../../support/system.ts";
import { type Random, seeded } from "../../support/traffic.ts";
import { OFTEN } from "../../support/turns.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../../support/world.ts";

const PAYMENTS = 60;
const AT_ONCE = 15;
const HISTORIES_AT_MOST = 4;
const OUTCOME_WITHIN_MS = 300;

type Service = typeof paymentLinks;
const SERVICE = new URL(
  "../../../services/payment-links/payment-links.service.ts",
  import.meta.url,
);

/** The asked sum is 26.06 USD. */
const OTHERS = [
  { amountMinor: 51_000, currency: "USD" },
  { amountMinor: 2_605, currency: "USD" },
  { amountMinor: 0, currency: "USD" },
  { amountMinor: 2_606, currency: "EUR" },
] as const;
const ASKED = { amountMinor: 2_606, currency: "USD" } as const;
const UNKNOWN = { kind: "unknown" } as const;
const VOIDED = { kind: "voided" } as const;
const DECLINED = { kind: "declined", code: "card_declined" } as const;

type Answers = [charge: () => Promise<SpokenCharge>, ...voids: SpokenVoid[]];

/** The answers to the charge and to the voids of a payment; the last void repeats. */
function plan({ oneOf: pick }: Random): Answers {
  const other = { kind: "captured", ...pick(OTHERS) } as const;
  const asked = { kind: "captured", ...ASKED } as const;
  const later = async (answer: SpokenCharge) => {
    await new Promise((resolve) => setTimeout(resolve, 3 * OUTCOME_WITHIN_MS));
    return answer;
  };
  return pick<Answers>([
    [async () => asked, asked],
    [async () => DECLINED, DECLINED],
    [async () => other, other],
    [async () => UNKNOWN, UNKNOWN, other],
    [async () => other, pick([VOIDED, DECLINED])],
    [async () => other, other, asked],
    [() => later(other), asked],
    [() => later(other), VOIDED],
    [async () => UNKNOWN, VOIDED],
  ]);
}

interface Told {
  /** The sums that the acquirer has told, such as "2606 USD". */
  sums: Set<string>;
}

/** Runs a history on payment-links without these safeguards. @returns the broken rules */
async function history(random: Random, edits: Edit[], name: string): Promise<string[]> {
  const script = scriptedAcquirer();
  const told = new Map<string, Told>();
  const plans = new Map<string, Answers>();
  const planOf = (id: string) => {
    const found = plans.get(id) ?? plan(random);
    plans.set(id, found);
    return found;
  };
  const note = <A extends SpokenCharge | SpokenVoid | RefundAnswer>(id: string, answer: A): A => {
    const about = told.get(id) ?? { sums: new Set() };
    if ("amountMinor" in answer) about.sums.add(`${answer.amountMinor} ${answer.currency}`);
    told.set(id, about);
    return answer;
  };
  script.answers.charge = async (id) => note(id, await planOf(id)[0]());
  script.answers.void = async (id) => {
    const [, ...voids] = planOf(id);
    const i = Math.min(script.timesAsked("void", id), voids.length) - 1;
    return note(id, voids[i] as SpokenVoid);
  };
  const refunds = new Map<string, RefundAnswer[]>();
  script.answers.refund = async (id) => {
    const answers = refunds.get(id) ?? planRefund(random);
    refunds.set(id, answers);
    const i = Math.min(script.timesAsked("refund", id), answers.length) - 1;
    return note(id, answers[i] as RefundAnswer);
  };
  const { acquirer } = script;
  const instead = { acquirer, turns: OFTEN, outcomeWithinMs: OUTCOME_WITHIN_MS };
  const world = await startWorld({ paymentLinksInstead: [instead] });
  const books = await openPaymentBooks(world);
  try {
    if (edits.length > 0) {
      const ablated = await importWithout<{ default: Service }>([SERVICE], name, edits);
      await world.broker.destroyService("payment-links");
      world.broker.createService(ablated.default(world.config, instead));
      await world.broker.waitForServices("payment-links", 60_000, 20);
    }
    await shop(world, books);
    const broken = await findBroken(books, told);
    if (edits.length === 0) await world.verifyBooks();
    return broken;
  } finally {
    await books.close();
    await world.stop();
  }
}

type RefundAnswer =
  | { kind: "refunded"; amountMinor: number; currency: "USD" | "EUR" }
  | { kind: "refused"; code: string };

function planRefund({ oneOf: pick }: Random): RefundAnswer[] {
  const whole = { kind: "refunded", ...ASKED } as const;
  const other = { kind: "refunded", ...pick(OTHERS) } as const;
  const refused = { kind: "refused", code: "no" } as const;
  return pick<RefundAnswer[]>([[whole], [refused], [other], [other, refused], [other, whole]]);
}

/** Customers pay, and successful payments are refunded; each open document is asked about again. */
async function shop(world: World, books: PaymentBooks): Promise<void> {
  const business = await world.business();
  for (let i = 0; i < PAYMENTS; i += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => buy(world, business)));
  }
  // The late answers have come.
  await new Promise((resolve) => setTimeout(resolve, 4 * OUTCOME_WITHIN_MS));
  for (let round = 0; round < 3; round++) {
    await askAgain(books.payments);
    await askAgain(books.refunds);
  }
}

/** What the questions of a round need: the documents that have not ended. */
type Asked = Pick<PaymentBooks["payments"], "updateMany" | "find" | "countDocuments">;

async function askAgain(documents: unknown): Promise<void> {
  const found = documents as Asked;
  const open = await found.find({ nextAttemptAt: { $exists: true } }).toArray();
  const ids = open.map(({ _id }) => _id);
  await found.updateMany(
    { _id: { $in: ids } },
    { $set: { nextAttemptAt: 0 }, $unset: { stepAt: "" }, $inc: { v: 1 } },
  );
  const left = { _id: { $in: ids }, nextAttemptAt: { $lte: Date.now() } };
  await until(async () => (await found.countDocuments(left)) === 0, { awaited: "the answers" });
}

async function buy(world: World, business: TestBusiness): Promise<void> {
  const link = await world.paymentLink(business, { isOpenLink: false });
  // A busy machine may not begin the payment in its short time; the customer tries again.
  const paid = await until(async () => {
    const answer = await world.pay(link, "card");
    return answer.status !== 503 && answer;
  });
  const { id, status } = dataOf(paid, 200);
  if (status !== "SUCCEEDED") return;
  const path = `/v1/business/${business.id}/payments/${id}/refunds`;
  await world.http.post(path, { reference: "all" }, { token: business.token });
}

async function findBroken(books: PaymentBooks, told: Map<string, Told>): Promise<string[]> {
  const payments = await books.payments.find().toArray();
  const refunds = await books.refunds.find().toArray();
  return [...payments, ...refunds].flatMap((document) => {
    const { key = document._id } = document;
    const sums = told.get(key)?.sums ?? new Set();
    const rule = brokenRule(document, sums);
    return rule ? [`${rule}: ${document.status}, told ${[...sums].join(", ")}`] : [];
  });
}

function brokenRule(document: Payment | Refund, sums: Set<string>): string | null {
  const asked = `${"totalMinor" in document ? document.totalMinor : document.amountMinor} ${document.currency}`;
  const { status, needsAttention } = document;
  const hasOther = [...sums].some((sum) => sum !== asked);
  if (status === "SUCCEEDED" && !sums.has(asked)) return "posts a sum that did not move";
  if (status === "FAILED" && sums.size > 0 && !needsAttention) return "fails although money moved";
  if (hasOther && !needsAttention) return "hides another sum";
  return null;
}

const acquirerFile = "/acquirers/acquirer.ts";
const lifecycleFile = "/payments/lifecycle.ts";
const otherSumFile = "/payments/other-sum.ts";
const lateFile = "/payments/late-answers.ts";
const refundsFile = "/refunds/lifecycle.ts";

const SAFEGUARDS: [name: string, Edit][] = [
  [
    "the-sum-is-compared",
    {
      file: acquirerFile,
      find: "return answer.amountMinor === asked.amountMinor && answer.currency === asked.currency;",
      replace: "return true;",
    },
  ],
  [
    "the-currency-is-compared",
    {
      file: acquirerFile,
      find: "return answer.amountMinor === asked.amountMinor && answer.currency === asked.currency;",
      replace: "return answer.amountMinor === asked.amountMinor;",
    },
  ],
  [
    "the-request-compares-before-it-posts",
    {
      file: lifecycleFile,
      find: 'answer.kind === "captured" && isAsked(payment, answer)',
      replace: 'answer.kind === "captured"',
    },
  ],
  [
    "no-decline-after-another-sum",
    {
      file: otherSumFile,
      find: "if (isCaptured ? isAsked(payment, answer) : payment.contradicted === undefined) return null;",
      replace: "if (!isCaptured || isAsked(payment, answer)) return null;",
    },
  ],
  [
    "another-sum-is-flagged",
    {
      file: otherSumFile,
      find: "return { set: { ...set, contradicted, needsAttention: true }, next };",
      replace: "return { set, next };",
    },
  ],
  [
    "late-answers-are-compared-by-sum",
    {
      file: lateFile,
      find: "(!isStoredAsCaptured || isAsked(payment, answer))",
      replace: "true",
    },
  ],
  [
    "refunds-compare-the-sum",
    {
      file: refundsFile,
      find: 'if (isOfSum(answer, refund)) return refundEnd(refund, "SUCCEEDED");',
      replace: 'if (answer) return refundEnd(refund, "SUCCEEDED");',
    },
  ],
  [
    "no-refusal-after-another-sum",
    {
      file: refundsFile,
      find: "return refund.contradicted === undefined ? reversal({ refused: answer.code }) : again;",
      replace: "return reversal({ refused: answer.code, contradicted: undefined });",
    },
  ],
];

test("no rule is broken with all safeguards", async () => {
  expect(await history(seeded(), [], "nothing")).toEqual([]);
});

test.each(SAFEGUARDS)("a rule is broken without %s", async (name, edit) => {
  let broken: string[] = [];
  // A history may have no answer for which the safeguard is there.
  for (let i = 0; i < HISTORIES_AT_MOST && broken.length === 0; i++) {
    broken = await history(seeded(), [edit], `${name}-${i}`);
  }
  expect(broken).not.toEqual([]);
});
