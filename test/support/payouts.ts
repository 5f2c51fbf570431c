// For tests of the payout lifecycle: reads its documents, and provides a rail with set answers.

import mongoose from "mongoose";
import type { SandboxPayment } from "../../partners/sandbox/rail-book.ts";
import type { QueryAnswer, Rail, RailPayment, SubmitAnswer } from "../../partners/types.ts";
import type { Payout } from "../../services/payouts/payout.model.ts";
import type { Rails } from "../../services/payouts/rails/load.ts";
import { PAYOUT_METHODS, type PayoutMethod } from "../../shared/config/payout-methods.ts";
import { type System, until } from "./system.ts";
import { dataOf, type TestBusiness, type World } from "./world.ts";

export type Books = Awaited<ReturnType<typeof openBooks>>;

/** Reads the documents behind a payout; close it before the system stops. */
export async function openBooks({ config }: System) {
  // Majority reads, so the services see every document that this client sees.
  const reading = { readConcernLevel: "majority" } as const;
  const connection = await mongoose
    .createConnection(config.mongoUrl as string, reading)
    .asPromise();
  const db = connection.getClient().db(connection.name);
  const payouts = db.collection<Payout>("payouts");
  return {
    payouts,
    rail: db.collection<SandboxPayment>("sandbox_rail"),
    linkedAccounts: db.collection<{ _id: string }>("linked_accounts"),
    /** Application tokens as accounts stores them. */
    tokens: db.collection("application_tokens"),
    /** Waits until the payout is at one of the steps. */
    step: (id: string, ...steps: Payout["step"][]) =>
      until(async () => payouts.findOne({ _id: id, step: { $in: steps } }), {
        awaited: `${id} at ${steps.join(" or ")}`,
      }),
    /**
     * Makes of a payout at the step `debit` what the previous release stores there; the sweeper
     * accepts it. Its request has to be frozen.
     */
    async asBefore(id: string) {
      await payouts.updateOne(
        { _id: id, step: "debit" },
        {
          $set: { visible: false, states: [], nextAttemptAt: Date.now() },
          $unset: { rail: "", submittedAt: "" },
          $inc: { v: 1 },
        },
      );
    },
    /**
     * Moves back the due times that a service stored while a test had its clock ahead: on the real
     * clock no process would drive these payouts, and verification reports that. Call it after the
     * clock is set right.
     */
    async bringBack() {
      const soon = Date.now() + 60_000;
      const isAhead = { $gt: soon };
      // The write that clears an outbox puts the one moment in the place of the other.
      await until(async () => {
        await payouts.updateMany({ stepAt: isAhead }, { $set: { stepAt: soon } });
        await payouts.updateMany({ nextAttemptAt: isAhead }, { $set: { nextAttemptAt: soon } });
        const moved = { $or: [{ stepAt: isAhead }, { nextAttemptAt: isAhead }] };
        return (await payouts.findOne(moved)) === null;
      });
    },
    close: () => connection.close(),
  };
}

/** Verifies and stops a world whose payouts service may have a clock that is ahead. */
export async function stopWorld(world: World, books: Books, clock: { aheadMs: number }) {
  clock.aheadMs = 0;
  await books.bringBack();
  await world.verifyBooks();
  await books.close();
  await world.stop();
}

/** A payout of a new user's wallet of 100.00 to a new bank account. */
export async function payOut(
  world: World,
  business: TestBusiness,
  body: Record<string, unknown> = {},
) {
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 100);
  const bank = await world.bank(business, wallet);
  const { id } = dataOf(await world.withdraw(user, bank, body), 200);
  return { id: id as string, user, balance: () => world.balance(business, wallet) };
}

/** Rails as the configuration builds them: this rail for the named methods, by default for all. */
export function railsOf(rail: Rail, methods: readonly PayoutMethod[] = PAYOUT_METHODS): Rails {
  return {
    forMethod: Object.fromEntries(methods.map((method) => [method, rail])),
    named: new Map([[rail.name, rail]]),
  };
}

type Answers<A extends (...args: never[]) => unknown> = Awaited<ReturnType<A>>;
type Sum = Pick<RailPayment, "amountMinor" | "currency">;
/** An answer about moved money that names no sum is about the sum of the submit. */
type Scripted<A> = A extends Sum ? Omit<A, keyof Sum> & Partial<Sum> : A;

/** The sums of all submits, because another process may be asked about a payment than was first. */
const sums = new Map<string, Sum>();

/**
 * A rail for every method that gives the present `answers`; `timesAsked` counts the requests for
 * one payout, because earlier payouts may be queried meanwhile.
 */
export function scriptedRail(returnWindowMs = 0) {
  const answers = {
    submit: { kind: "unknown" } as Scripted<SubmitAnswer>,
    query: { kind: "unknown" } as Scripted<QueryAnswer>,
    cancel: "unknown" as Answers<Rail["cancel"]>,
  };
  const asked: string[] = [];
  const answer = async <K extends keyof typeof answers>(method: K, id: string) => {
    asked.push(`${method} ${id}`);
    return answers[method];
  };
  /** Adds the sum to an answer that moves money; an answer of a wrong form stays as it is. */
  const withSum = <A>(id: string, given: Scripted<A>): A => {
    const isMoved = ["settled", "returned"].includes(Object(given).kind);
    return (isMoved ? { ...sums.get(id), ...given } : given) as A;
  };
  const rail: Rail = {
    name: "scripted",
    test: true,
    returnWindowMs,
    async submit({ id, amountMinor, currency }) {
      sums.set(id, { amountMinor, currency });
      return withSum<SubmitAnswer>(id, await answer("submit", id));
    },
    query: async (id) => withSum<QueryAnswer>(id, await answer("query", id)),
    cancel: (id) => answer("cancel", id),
  };
  const timesAsked = (method: keyof typeof answers, id: string) =>
    asked.filter((question) => question === `${method} ${id}`).length;
  return { answers, timesAsked, rail, rails: railsOf(rail) };
}
