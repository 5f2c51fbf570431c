// The promises of an acquirer (partners/types.ts), with a check for each promise. In
// every check the runner reads each answer as payrail does, and compares it with the earlier
// answers about the same id.

import { randomUUID } from "node:crypto";
import {
  type AcquirerEntry,
  type Charge,
  type ChargeAnswer,
  DUPLICATE,
  type RefundAnswer,
  type RefundCharge,
  type VoidAnswer,
} from "../../partners/types.ts";
import {
  type Reading,
  readCard,
  readCharge,
  readRefund,
  readVoid,
} from "../../shared/partners/answers.ts";
import { COMMON, expectThat, type Promised, Untried } from "./promise.ts";
import { CouldNotTry, type Session } from "./session.ts";

const AT_ONCE = 5;
const UNKNOWN = { kind: "unknown" } as const;

export type TriedAcquirer = ReturnType<typeof acquirerIn>;

/**
 * The acquirer as the checks use it.
 * @throws CouldNotTry without a card token
 */
export function acquirerIn(session: Session) {
  const { options, note } = session;
  const { amountMinor, currency, cardToken } = options;
  if (cardToken === null) {
    throw new CouldNotTry("an acquirer needs --card-token, the token of a card that is charged");
  }
  /** The last conclusive answer about each id. */
  const known = new Map<string, string>();

  async function asked<A extends { kind: string; code?: string }>(
    operation: "charge" | "void" | "refund",
    args: [id: string, ...unknown[]],
    read: (value: unknown) => Reading<A | typeof UNKNOWN>,
  ): Promise<A | typeof UNKNOWN> {
    const [id, ...rest] = args;
    const value = await session.ask(operation, rest.length > 0 ? rest : [id]);
    if (value === undefined) return UNKNOWN;
    const { answer, problem } = read(value);
    if (problem) note(COMMON.form.name, `the answer of ${operation}: ${problem}`);
    const { kind, code } = answer as { kind: string; code?: string };
    if (kind === "unknown" || code === DUPLICATE) return answer;
    const before = known.get(id);
    if (before && before !== kind && !isSame(before, kind)) {
      note("no-contradiction", `${operation} answered ${kind} after ${before}`);
    }
    // A charge of a voided id is answered with `declined`, but the id stays voided.
    if (before !== "voided") known.set(id, kind);
    return answer;
  }

  const charge = (wanted: Charge): Promise<ChargeAnswer> =>
    asked("charge", [wanted.id, wanted], readCharge);

  return {
    session,
    cardToken,
    charge,

    voidCharge: (id: string): Promise<VoidAnswer> => asked("void", [id], readVoid),

    refund: (refund: RefundCharge): Promise<RefundAnswer> =>
      asked("refund", [refund.id, refund], readRefund),

    newCharge: (): Charge => ({
      id: randomUUID(),
      token: cardToken,
      amountMinor,
      currency,
      description: "Conformance",
      isCustomerPresent: true,
    }),

    buildRefund: (charged: Charge, refundMinor: number): RefundCharge => ({
      id: randomUUID(),
      chargeId: charged.id,
      amountMinor: refundMinor,
      currency,
    }),

    /** @throws Untried if the charge is not captured */
    async captured(wanted: Charge): Promise<void> {
      const { kind } = await charge(wanted);
      if (kind !== "captured") throw new Untried(`the test card's charge is ${kind}`);
    },

    /** @throws Untried if the acquirer has no list */
    async listed(ids: string[], since: number): Promise<AcquirerEntry[]> {
      if (!session.hasList) throw new Untried("the acquirer has no list");
      const entries = (await session.ask("list", [since])) as AcquirerEntry[] | undefined;
      if (!Array.isArray(entries)) throw new Untried("the list did not come");
      return entries.filter((entry) => ids.includes(entry?.id));
    },
  };
}

/**
 * An acquirer may answer `declined` or `voided` for a charge that it did not make: both mean the
 * same.
 */
function isSame(before: string, after: string): boolean {
  return [before, after].every((kind) => kind === "declined" || kind === "voided");
}

export const ACQUIRER_PROMISES: readonly Promised<TriedAcquirer>[] = [
  COMMON.accepted,
  {
    name: "card-in-short",
    says: "answers tokenInfo with only brand and last four digits; null for an unknown card",
    because: "payrail stores and shows this data; a whole number would put it under PCI DSS",
    async check({ session, cardToken }) {
      const unknown = await session.ask("tokenInfo", [`unknown_${randomUUID()}`]);
      expectThat(unknown === null, "it does not answer null to a token that it cannot have");
      const card = await session.ask("tokenInfo", [cardToken]);
      if (card === undefined) throw new Untried("it did not answer");
      if (card === null) throw new Untried("it does not have the card of --card-token");
      const more = Object.keys(Object(card)).filter((key) => !["brand", "last4"].includes(key));
      expectThat(more.length === 0, `it also tells ${more.join(", ")}`);
      expectThat(isCard(card), "its brand or its last four digits are none");
    },
  },
  {
    name: "no-contradiction",
    says: "never takes back an end: captured stays captured, declined is never captured later",
    because:
      "payrail reports an end immediately: the business ships, or the customer takes another card",
    async check({ newCharge, charge, captured, voidCharge, session }) {
      const paid = newCharge();
      await captured(paid);
      await Promise.all(Array.from({ length: AT_ONCE }, () => charge(paid)));
      await voidCharge(paid.id);
      await charge(paid);
      const declined = { ...newCharge(), token: `unknown_${randomUUID()}` };
      await charge(declined);
      await charge({ ...declined, token: session.options.cardToken as string });
    },
  },
  {
    name: "charges-once",
    says: "charges an id once, also if it is asked often, concurrently, or after a void",
    because: "payrail repeats every unanswered question, and the customer would pay each time",
    async check({ newCharge, charge, voidCharge, listed, session }) {
      const since = Date.now() - 60_000;
      const paid = newCharge();
      await Promise.all(Array.from({ length: AT_ONCE }, () => charge(paid)));
      await voidCharge(paid.id);
      await charge(paid);
      const entries = await listed([paid.id], since);
      expectThat(entries.length === 1, `its list has the id ${entries.length} times`);
      const { amountMinor, currency } = session.options;
      const isAsked = entries[0]?.amountMinor === amountMinor && entries[0].currency === currency;
      expectThat(isAsked, "its list has the id with another amount or currency");
    },
  },
  {
    name: "tells-the-sum",
    says: "answers captured and refunded with the sum that it moved, also if another one is asked",
    because:
      "after a restore payrail may ask an id for another sum, and posts an answer about that one",
    async check({ newCharge, charge, voidCharge, refund, buildRefund, captured }) {
      const paid = newCharge();
      const more = { ...paid, amountMinor: paid.amountMinor + 1 };
      const first = await charge(paid);
      if (first.kind !== "captured") throw new Untried(`the test card's charge is ${first.kind}`);
      expectSum(first, paid);
      expectSum(await charge(more), paid);
      expectSum(await charge({ ...paid, currency: other(paid.currency) }), paid);
      expectSum(await voidCharge(paid.id), paid);
      const second = newCharge();
      await captured(second);
      const part = buildRefund(second, Math.floor(second.amountMinor / 3));
      expectSum(await refund(part), part);
      expectSum(await refund({ ...part, amountMinor: part.amountMinor - 1 }), part);
      expectSum(await refund({ ...part, currency: other(part.currency) }), part);
    },
  },
  {
    name: "void-tells",
    says: "answers captured to a void of a captured charge",
    because: "payrail tells the customer of a voided payment that nothing was charged",
    async check({ newCharge, captured, voidCharge }) {
      const paid = newCharge();
      await captured(paid);
      const { kind } = await voidCharge(paid.id);
      expectThat(kind === "captured", `it answered ${kind}`);
    },
  },
  {
    name: "void-holds",
    says: "answers voided to a void of an id that it never had, and never charges it after that",
    because: "payrail frees the link for another customer, and its books have no late charge",
    async check({ newCharge, charge, voidCharge }) {
      const never = newCharge();
      const { kind } = await voidCharge(never.id);
      expectThat(kind === "voided", `it answered ${kind}`);
      const { kind: after } = await charge(never);
      expectThat(after !== "captured", "a charge after that was captured");
      const { kind: then } = await voidCharge(never.id);
      expectThat(then !== "captured", "a charge after that was captured");
    },
  },
  {
    name: "refunds-once",
    says: "pays a refund's id back once, also if it is asked often or concurrently",
    because: "payrail repeats every unanswered question, and the business would pay each time",
    async check({ newCharge, captured, refund, buildRefund }) {
      const paid = newCharge();
      await captured(paid);
      const part = buildRefund(paid, Math.floor(paid.amountMinor / 3));
      const { kind } = await refund(part);
      if (kind !== "refunded") throw new Untried(`a refund of a third is ${kind}`);
      await Promise.all(Array.from({ length: AT_ONCE }, () => refund(part)));
      // If the acquirer had also paid the repeated refund back, less than this amount would be
      // left.
      const rest = await refund(buildRefund(paid, paid.amountMinor - part.amountMinor));
      expectThat(rest.kind !== "refused", "after one of a third, a refund of the rest is refused");
    },
  },
  {
    name: "refunds-no-more",
    says: "pays back no more than was captured, and nothing of a charge that it never had",
    because: "a refund beyond the charge costs the business's or payrail's own money",
    async check({ newCharge, captured, refund, buildRefund }) {
      const unknown = await refund(buildRefund(newCharge(), 1));
      expectThat(unknown.kind !== "refunded", "it refunded a charge that it never had");
      const paid = newCharge();
      await captured(paid);
      const more = await refund(buildRefund(paid, paid.amountMinor + 1));
      expectThat(more.kind !== "refunded", "it refunded more than was captured, in one");
      await refund(buildRefund(paid, paid.amountMinor));
      const again = await refund(buildRefund(paid, 1));
      expectThat(again.kind !== "refunded", "it refunded more than was captured, in two");
    },
  },
  {
    name: "survives-restart",
    says: "still knows after a restart all charges, voids and refunds",
    because: "every deployment is a restart, and payrail then continues all unfinished work",
    async check({ newCharge, charge, captured, voidCharge, refund, buildRefund, session }) {
      const [paid, never, cutOff] = [newCharge(), newCharge(), newCharge()];
      await captured(paid);
      const whole = buildRefund(paid, paid.amountMinor);
      const refunded = await refund(whole);
      await voidCharge(never.id);
      const lost = charge(cutOff);
      await session.restart();
      const { kind } = await voidCharge(paid.id);
      expectThat(kind === "captured", `a charge was captured, then ${kind}`);
      expectThat((await charge(never)).kind !== "captured", "it charged a voided id");
      const again = await refund(buildRefund(paid, 1));
      const isTwice = refunded.kind === "refunded" && again.kind === "refunded";
      expectThat(!isTwice, "it refunded the same charge twice");
      await lost;
      const ended = await voidCharge(cutOff.id);
      const after = await charge(cutOff);
      const isCharged = ended.kind !== "captured" && after.kind === "captured";
      expectThat(!isCharged, `it charged an id that it had ${ended.kind}`);
    },
  },
  {
    name: "lists",
    says: "lists all its charges and refunds, if it has a list",
    because: "after a restore the list is how an operator finds charges that the books have lost",
    async check({ newCharge, captured, refund, buildRefund, listed }) {
      const since = Date.now() - 60_000;
      const paid = newCharge();
      await captured(paid);
      const back = buildRefund(paid, paid.amountMinor);
      const { kind } = await refund(back);
      const entries = await listed([paid.id, back.id], since);
      const charged = entries.find(({ id }) => id === paid.id);
      expectThat(charged?.kind === "charge" && charged.state === "done", "it lacks a charge");
      const refunded = entries.find(({ id }) => id === back.id);
      const isListed = refunded?.kind === "refund" && refunded.state === "done";
      expectThat(kind !== "refunded" || isListed, "it lacks a refund");
      const areTimes = entries.every(({ at }) => Number.isFinite(at) && at >= since);
      expectThat(areTimes, "an entry has no time of now, in epoch milliseconds");
    },
  },
  {
    ...COMMON.discreet,
    async check({ newCharge, charge, refund, buildRefund, session, cardToken }) {
      await session.ask("tokenInfo", [`X${cardToken}`]);
      await charge({ ...newCharge(), token: `X${cardToken}` });
      await charge({ ...newCharge(), amountMinor: -1 });
      await refund(buildRefund(newCharge(), -1));
    },
  },
  COMMON.lasting,
  COMMON.inTime,
  COMMON.form,
  COMMON.alive,
];

type Sum = Pick<Charge, "amountMinor" | "currency">;

/** An answer that money was moved is about this sum. */
function expectSum(answer: ChargeAnswer | VoidAnswer | RefundAnswer, moved: Sum): void {
  if (answer.kind !== "captured" && answer.kind !== "refunded") return;
  const { kind, amountMinor, currency } = answer;
  const given = `${amountMinor} ${currency}`;
  const sum = `${moved.amountMinor} ${moved.currency}`;
  expectThat(given === sum, `it given ${kind} with ${given} in minor units; it moved ${sum}`);
}

function other(currency: Charge["currency"]): Charge["currency"] {
  return currency === "EUR" ? "USD" : "EUR";
}

function isCard(value: unknown): boolean {
  try {
    return readCard(value) !== null;
  } catch {
    return false;
  }
}
