// The promises of a rail (partners/types.ts), with a check for each promise. In every check
// the runner reads each answer as payrail does, and compares it with the rail's earlier answers
// about the same id.

import { randomUUID } from "node:crypto";
import {
  type CancelAnswer,
  type DecideAnswer,
  DUPLICATE,
  type QueryAnswer,
  type Rail,
  type RailEntry,
  type RailPayment,
  type SubmitAnswer,
} from "../../partners/types.ts";
import {
  type Reading,
  readCancel,
  readDecide,
  readQuery,
  readSubmit,
} from "../../shared/partners/answers.ts";
import { COMMON, expectThat, type Promised, Untried } from "./promise.ts";
import type { Session } from "./session.ts";

const ASK_EVERY_MS = 100;
const AT_ONCE = 5;

export type TriedRail = ReturnType<typeof railIn>;

/** The rail as the checks use it. */
export function railIn(session: Session) {
  const { options, note } = session;
  const { amountMinor, currency, method, account, problemAccount, endsWithinMs } = options;
  /**
   * The rail's last conclusive answer about each id, or `cancelled` after the rail has cancelled
   * it.
   */
  const known = new Map<string, QueryAnswer["kind"] | "cancelled">();

  function read<A>(operation: string, { answer, problem }: Reading<A>): A {
    if (problem) note(COMMON.form.name, `the answer of ${operation}: ${problem}`);
    return answer;
  }

  function compared<A extends QueryAnswer>(operation: string, id: string, answer: A): A {
    const before = known.get(id);
    const { kind } = answer;
    if (kind === "unknown" || (kind === "rejected" && answer.code === DUPLICATE)) return answer;
    const contradiction = before && findContradiction(before, kind);
    if (contradiction) note(contradiction, `${operation} answered ${kind} after ${before}`);
    if (before !== "cancelled") known.set(id, kind);
    return answer;
  }

  async function submit(
    payment: RailPayment,
    instrument: Record<string, string> | null = account,
  ): Promise<SubmitAnswer> {
    const value = await session.ask("submit", [payment], instrument);
    if (value === undefined) return { kind: "unknown" };
    return compared("submit", payment.id, read("submit", readSubmit(value)));
  }

  async function query(id: string): Promise<QueryAnswer> {
    const value = await session.ask("query", [id]);
    if (value === undefined) return { kind: "unknown" };
    return compared("query", id, read("query", readQuery(value)));
  }

  async function cancel(id: string): Promise<CancelAnswer> {
    const value = await session.ask("cancel", [id]);
    const answer = value === undefined ? "unknown" : read("cancel", readCancel(value));
    if (answer === "cancelled") known.set(id, "cancelled");
    return answer;
  }

  async function decide(id: string, decided: End): Promise<DecideAnswer> {
    const value = await session.ask("decide", [id, decided]);
    return value === undefined ? "unknown" : read("decide", readDecide(value));
  }

  let endsInTime = true;

  /**
   * Queries until the payment has ended, has a problem or is unknown, or until its time is over.
   * Does not wait again for a rail that was too slow once.
   */
  async function end(id: string): Promise<QueryAnswer> {
    const until = Date.now() + (endsInTime ? endsWithinMs : 0);
    for (;;) {
      const answer = await query(id);
      const isHeld = problemOf(answer) !== undefined;
      if (isHeld || ENDS.includes(answer.kind)) return answer;
      if (Date.now() > until) {
        endsInTime = false;
        return answer;
      }
      await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
    }
  }

  function newPayment({ accountNumber } = account): RailPayment {
    return {
      id: randomUUID(),
      method,
      amountMinor,
      currency,
      optionType: method === "PUSH_TO_CARD" ? "card" : "bank",
      lastFour: accountNumber.slice(-4),
      reference: "Conformance",
    };
  }

  return {
    session,
    submit,
    query,
    cancel,
    decide,
    end,
    payment: () => newPayment(),

    /**
     * A payment with a problem; null if no destination of such payments is named.
     * @throws Untried if the payment has no problem
     */
    async held(): Promise<RailPayment | null> {
      if (!problemAccount) return null;
      const paid = newPayment(problemAccount);
      await submit(paid, problemAccount);
      const answer = await end(paid.id);
      if (problemOf(answer) !== undefined) return paid;
      throw new Untried(`the payment that should have a problem has none; it is ${answer.kind}`);
    },

    /** @throws Untried if the payment does not settle */
    async settled(payment: RailPayment): Promise<void> {
      await submit(payment);
      const { kind } = await end(payment.id);
      if (kind !== "settled") {
        throw new Untried(`the test payment does not settle in time; it is ${kind}`);
      }
    },

    /** @throws Untried if the rail has no list */
    async listed(id: string, since: number): Promise<RailEntry[]> {
      if (!session.hasList) throw new Untried("the rail has no list");
      const entries = (await session.ask("list", [since])) as RailEntry[] | undefined;
      if (!Array.isArray(entries)) throw new Untried("the list did not come");
      return entries.filter((entry) => entry?.id === id);
    },
  };
}

type End = Parameters<NonNullable<Rail["decide"]>>[1];

const ENDS: QueryAnswer["kind"][] = ["settled", "rejected", "returned", "notFound"];

function problemOf(answer: QueryAnswer): string | undefined {
  return "problem" in answer ? answer.problem : undefined;
}

type Sum = Pick<RailPayment, "amountMinor" | "currency">;

/** An answer that money was moved is about this sum. */
function expectSum(answer: QueryAnswer, moved: Sum): void {
  if (!("amountMinor" in answer)) return;
  const given = `${answer.amountMinor} ${answer.currency}`;
  const sum = `${moved.amountMinor} ${moved.currency}`;
  expectThat(
    given === sum,
    `it given ${answer.kind} with ${given} in minor units; it moved ${sum}`,
  );
}

/**
 * Finds the promise that `after` breaks if `before` was an answer about the same id; null if it
 * breaks none.
 */
function findContradiction(
  before: QueryAnswer["kind"] | "cancelled",
  after: QueryAnswer["kind"],
): string | null {
  if (before === "cancelled") {
    return ["accepted", "settled", "returned"].includes(after) ? "cancel-holds" : null;
  }
  if (after === "notFound") return before === "notFound" ? null : "remembers";
  const next: Partial<Record<QueryAnswer["kind"], QueryAnswer["kind"][]>> = {
    settled: ["settled", "returned"],
    rejected: ["rejected"],
    returned: ["returned"],
  };
  return (next[before]?.includes(after) ?? true) ? null : "no-contradiction";
}

export const RAIL_PROMISES: readonly Promised<TriedRail>[] = [
  COMMON.accepted,
  {
    name: "unknown-id",
    says: "answers notFound to a query of an id that it never had",
    because: "a payment whose submit was lost is submitted again only once the rail says so",
    async check({ query }) {
      const { kind } = await query(randomUUID());
      expectThat(kind === "notFound", `it answered ${kind}`);
    },
  },
  {
    name: "remembers",
    says: "never answers notFound to a query of an id that it took",
    because: "payrail then submits the payment again, and the recipient may be paid twice",
    async check({ payment, submit, query }) {
      const paid = payment();
      await submit(paid);
      for (let i = 0; i < AT_ONCE; i++) await query(paid.id);
    },
  },
  {
    name: "no-contradiction",
    says: "never takes back an end: settled stays settled or is returned, rejected stays rejected",
    because: "payrail gives the money back to the payer at a rejection, and the rail has paid it",
    async check({ payment, submit, query, settled }) {
      const paid = payment();
      await settled(paid);
      await Promise.all(Array.from({ length: AT_ONCE }, () => submit(paid)));
      for (let i = 0; i < AT_ONCE; i++) await query(paid.id);
    },
  },
  {
    name: "pays-once",
    says: "pays an id once, also if it is submitted often, concurrently, or after a query",
    because: "payrail repeats every unanswered submit, and each payment costs it money",
    async check({ payment, submit, query, end, listed, session }) {
      const since = Date.now() - 60_000;
      const paid = payment();
      await Promise.all(Array.from({ length: AT_ONCE }, () => submit(paid)));
      await query(paid.id);
      await submit(paid);
      await end(paid.id);
      await submit(paid);
      const entries = await listed(paid.id, since);
      expectThat(entries.length === 1, `its list has the id ${entries.length} times`);
      const { amountMinor, currency } = session.options;
      const [entry] = entries;
      const isAsked = entry?.amountMinor === amountMinor && entry.currency === currency;
      expectThat(isAsked, "its list has the id with another amount or currency");
    },
  },
  {
    name: "tells-the-sum",
    says: "answers settled and returned with the sum that it moved, also if another one is asked",
    because: "payrail settles and gives back no other sum, and asks an operator about another one",
    async check({ payment, submit, query, settled }) {
      const paid = payment();
      expectSum(await submit(paid), paid);
      await settled(paid);
      expectSum(await query(paid.id), paid);
      expectSum(await submit({ ...paid, amountMinor: paid.amountMinor + 1 }), paid);
      const currency = paid.currency === "EUR" ? "USD" : "EUR";
      expectSum(await submit({ ...paid, currency }), paid);
      expectSum(await query(paid.id), paid);
    },
  },
  {
    name: "duplicate-is-no-end",
    says: "answers a query with the state of the id, even if it called a repeat a duplicate",
    because: "a duplicate may be payrail's own payment; only the query tells whether it was made",
    async check({ payment, submit, query, settled }) {
      const paid = payment();
      await settled(paid);
      await submit(paid);
      const { kind } = await query(paid.id);
      expectThat(["settled", "returned", "unknown"].includes(kind), `settled, then ${kind}`);
    },
  },
  {
    name: "cancel-holds",
    says: "never pays an id that it cancelled, even if a submit of it arrives later",
    because: "payrail gives the money back to the payer, so a payment after that is its own loss",
    async check({ payment, submit, cancel, end }) {
      const never = payment();
      if ((await cancel(never.id)) === "cancelled") await submit(never);
      const taken = payment();
      await submit(taken);
      const answer = await cancel(taken.id);
      if (answer === "cancelled") await submit(taken);
      await Promise.all([end(never.id), end(taken.id)]);
    },
  },
  {
    name: "settled-stays",
    says: "never answers cancelled for a settled payment",
    because: "payrail gives the money back at a cancelled, and the recipient keeps it",
    async check({ payment, settled, session }) {
      const paid = payment();
      await settled(paid);
      const answer = await session.ask("cancel", [paid.id]);
      expectThat(answer !== "cancelled", "it answered cancelled");
    },
  },
  {
    name: "decides",
    says: "stores one end of a payment with a problem, and none of any other, if it has decide",
    because: "payrail moves money by an operator's decision; the rail's next answer must agree",
    async check({ payment, submit, query, decide, held, session }) {
      if (!session.hasDecide) return;
      const fine = payment();
      await submit(fine);
      for (const id of [fine.id, randomUUID()]) {
        const isStored = (await decide(id, "rejected")) === "decided";
        expectThat(!isStored, "it stored the end of a payment that has no problem");
      }
      for (const end of ["settled", "rejected"] as const) {
        const paid = await held();
        if (!paid) return;
        for (let i = 0; i < 2; i++) {
          const answer = await decide(paid.id, end);
          expectThat(answer === "decided", `it answered ${answer} to ${end} at try ${i + 1}`);
        }
        const isOther = await decide(paid.id, end === "settled" ? "rejected" : "settled");
        expectThat(isOther !== "decided", "it stored another end of a payment that it had ended");
        await session.restart();
        const { kind, ...told } = await query(paid.id);
        expectThat(kind === end, `it answers ${kind} after it stored ${end}`);
        expectThat(!("problem" in told), "it has the problem still, after it stored the end");
      }
    },
  },
  {
    name: "survives-restart",
    says: "still knows after a restart all accepted payments, and pays each once",
    because: "every deployment is a restart, and payrail then continues all unfinished work",
    async check({ payment, submit, query, end, listed, session }) {
      const since = Date.now() - 60_000;
      const [taken, cutOff] = [payment(), payment()];
      const { kind } = await submit(taken);
      const lost = submit(cutOff);
      await session.restart();
      const { kind: after } = await query(taken.id);
      expectThat(kind === "unknown" || after !== "notFound", `it was ${kind}, then ${after}`);
      await submit(cutOff);
      await end(cutOff.id);
      await lost;
      if (!session.hasList) return;
      const entries = await listed(cutOff.id, since);
      expectThat(entries.length <= 1, `its list has the id ${entries.length} times`);
    },
  },
  {
    name: "lists",
    says: "lists all accepted payments, if it has a list",
    because: "after a restore the list is how an operator finds payments that the books have lost",
    async check({ payment, submit, end, listed }) {
      const since = Date.now() - 60_000;
      const paid = payment();
      await submit(paid);
      const { kind } = await end(paid.id);
      const [entry] = await listed(paid.id, since);
      expectThat(entry !== undefined, `it does not have a payment that is ${kind}`);
      expectThat(entry?.state === kind, `it has as ${entry?.state} a payment that is ${kind}`);
      const isTime = Number.isFinite(entry?.at) && (entry?.at ?? 0) >= since;
      expectThat(isTime, "its entry has no time of now, in epoch milliseconds");
    },
  },
  {
    ...COMMON.discreet,
    async check({ payment, submit, session }) {
      const { account } = session.options;
      await submit(payment(), null);
      await submit(payment(), { ...account, accountNumber: `X${account.accountNumber}` });
      await submit({ ...payment(), amountMinor: -1 });
    },
  },
  COMMON.lasting,
  COMMON.inTime,
  COMMON.form,
  COMMON.alive,
];
