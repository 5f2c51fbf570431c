// The books of simulated payouts: the invariants, written again in the simplest way. They see every
// change of a payout that can never be rolled back, every commit of the ledger, every act of the
// rail, every event and every answer.

import { DUPLICATE } from "../../../partners/types.ts";
import type { LimitCounter } from "../../../services/payouts/limit-counter.model.ts";
import { isWindowOver, maxMinorOf } from "../../../services/payouts/limit-counters.ts";
import type { Payout, Step } from "../../../services/payouts/payout.model.ts";
import { PAYOUT_METHOD_TABLE } from "../../../shared/config/payout-methods.ts";
import { creationTime } from "../../../shared/ids.ts";
import { LEASE_MS } from "../../../shared/resumable/change.ts";
import { nextStepAt } from "../../../shared/resumable/document.ts";
import type { RelayedEvent } from "../../../shared/resumable/relay.ts";
import type { Entry } from "../replica-set.ts";
import { expect } from "../run.ts";
import { COUNTERS } from "./database.ts";
import type { Plan } from "./plan.ts";

/** The facts about a withdrawal, by its id. */
interface Record {
  id: string;
  doc: Payout | null;
  /** The payout was stored at `submitting`, so the rail may have it. */
  wasSubmitting: boolean;
  /** A node has sent a submit to a bank. */
  isSent: boolean;
  debitedFrom: string | null;
  isReversed: boolean;
  /** The reason why no debit may follow any more. */
  nothing: string | null;
  rail: "unknown" | "accepted" | "paid" | "returned";
  /** The bank that took it. */
  bank: string | null;
  /** The number of its step's errors since the healing. */
  throws: number;
  /**
   * A node received an answer that contradicts the end, and no node has flagged the payout since.
   */
  owesFlag: boolean;
  /** A node received `accepted` after the bank's refusal, and has not asked the bank since. */
  owesQuestion: boolean;
  /**
   * A node received an answer with a problem, or about another sum, and has neither asked the bank
   * since nor received a definite answer, to a question that was under way.
   */
  owesAnswer: boolean;
  /** The bank has contradicted its own end in an answer. */
  isContradicted: boolean;
  /** An answer of the bank had a problem, or was about another sum. */
  hadProblem: boolean;
  /** The kinds of the bank's answers that had the sum that it moved. */
  sumsTold: Set<"settled" | "returned">;
  /** The bank has stored an admin's decision. */
  isDecided: boolean;
  /** Who has given which decision whether it may leave. */
  verdicts: Set<string>;
  events: RelayedEvent[];
}

/** The key and the reference of a request. */
interface Names {
  key?: string;
  reference?: string;
}

export type Books = ReturnType<typeof createBooks>;

/** The steps that may follow a step (lifecycle.ts). A change may also keep the step. */
const LEADS_TO: { [step in Step]: Step[] } = {
  claim: ["debit", "declined"],
  debit: ["submitting", "submit", "settle", "watch", "closed", "reverse", "declined"],
  submit: ["submitting", "watch", "closed", "reverse"],
  submitting: ["submit", "settle", "watch", "closed", "reverse"],
  settle: ["watch", "closed", "reverse"],
  reverse: ["closed", "watch"],
  watch: ["reverse", "closed"],
  closed: ["reverse", "watch"],
  declined: [],
};

/** The longest time until a node looks again at an open payout. */
const DUE_WITHIN_MS = 25 * 3_600_000;
/** The longest wait until an outbox is relayed again, and the clocks' difference to the journal. */
const RELAYED_WITHIN_MS = 61_000;
/** The steps at which a payout may still be declined: its states are no events yet. */
const UNDECIDED: Step[] = ["claim", "debit"];
/** A submit leaves within the lease after the stored moment, which is rounded up. */
const SENT_WITHIN_MS = LEASE_MS + 1_000;
/**
 * A step may throw this often without a stored change, because another driver may have changed the
 * payout first.
 */
const THROWS_UNNOTED = 3;

/** Refusals that promise that no debit was or will be made. */
const DEFINITE = new Set([
  "RATE_LIMITED",
  "VALIDATION",
  "LINKED_ACCOUNT_NOT_FOUND",
  "WALLET_DISABLED",
  "APPLICATION_TOKEN_INVALID",
  "MALFORMED_REQUEST",
  "INSUFFICIENT_FUNDS",
  "UNAVAILABLE",
  "STILL_RUNNING",
  "PAYOUTS_PAUSED",
  "WALLET_FROZEN",
  "LIMIT_EXCEEDED",
]);

/**
 * @param now the true time; epoch ms
 * @param bankState the state of an id at the bank
 */
export function createBooks(
  { withdrawalLimit, skewMs, broken, limits, steps, screening }: Plan,
  now: () => number,
  bankState: (id: string) => string,
) {
  const records = new Map<string, Record>();
  /** The counters of limits, by their names. */
  const counters = new Map<string, LimitCounter>();
  const areLimitsFixed = steps.every((step) => step.do !== "limit");
  /** The payouts that hold the places of rate limits. */
  const places = new Map<string, string>();
  /** The keys and references of requests, by the ids that they made. */
  const names = new Map<string, Names>();
  /** What each request asked for, by the id that it made. */
  const terms = new Map<string, string>();
  /** The debited payouts, by the keys and references of their requests. */
  const debited = new Map<string, string>();
  /** The debited payouts, in order; and how many there were when a request made its id. */
  const debits = new Set<string>();
  const debitedWhenBegun = new Map<string, number>();
  /** The payouts that spent an application token, by token. */
  const spent = new Map<string, string>();

  function getRecord(id: string): Record {
    const found = records.get(id);
    if (found) return found;
    const record: Record = {
      id,
      doc: null,
      wasSubmitting: false,
      isSent: false,
      debitedFrom: null,
      isReversed: false,
      nothing: null,
      rail: "unknown",
      bank: null,
      throws: 0,
      owesFlag: false,
      owesQuestion: false,
      owesAnswer: false,
      isContradicted: false,
      hadProblem: false,
      sumsTold: new Set(),
      isDecided: false,
      verdicts: new Set(),
      events: [],
    };
    records.set(id, record);
    return record;
  }

  /** The payout that was debited for a key or a reference. */
  function firstOf(name: string | undefined): string | undefined {
    return name === undefined ? undefined : debited.get(name);
  }

  function onNothing(id: string, why: string): void {
    const record = getRecord(id);
    expect(!record.debitedFrom, "no debit after a no", `${id} is debited, although ${why}`);
    record.nothing ??= why;
  }

  /** What is debited and not given back never exceeds a limit that was there from the first. */
  function checkLimits(payout: Payout): void {
    const { _id: id, counted, isCounted, method } = payout;
    expect(!counted || isCounted, "limits", `${id} is debited before it is counted`);
    if (!areLimitsFixed) return;
    for (const limit of limits) {
      if (limit.method !== undefined && limit.method !== method) continue;
      const isTheirs = ({ doc, debitedFrom, isReversed }: Record) =>
        debitedFrom !== null &&
        !isReversed &&
        (limit.method === undefined || doc?.method === limit.method) &&
        (limit.scope === "business" || doc?.entityId === payout.entityId);
      const paid = [...records.values()].filter(isTheirs);
      const sum = paid.reduce((minor, { doc }) => minor + (doc?.amountMinor ?? 0), 0);
      const holds = sum <= maxMinorOf(limit) && paid.length <= (limit.count ?? Infinity);
      expect(holds, "limits", `${id} exceeds ${JSON.stringify(limit)}`);
    }
  }

  /** A counter has counted the payouts that name it, without those that were given back. */
  function checkCounters(): void {
    for (const { _id: name, usedMinor, count } of counters.values()) {
      if (isWindowOver(name, now() + skewMs)) continue;
      const uses = [...records.values()].flatMap(({ doc }) =>
        doc && isUsing(doc, name) ? doc : [],
      );
      const sum = uses.reduce((minor, { amountMinor }) => minor + amountMinor, 0);
      const isRight = usedMinor === sum && count === uses.length;
      const told = `${count} of ${usedMinor}, not ${uses.length} of ${sum}`;
      expect(isRight, "limits", `${name} has counted ${told}`);
    }
  }

  function checkPlaces(before: Payout | null, after: Payout): void {
    if (before?.slot === after.slot) return;
    const { _id: id, entityId } = after;
    if (before?.slot !== undefined) {
      places.delete(`${entityId}#${before.slot}`);
      if (after.declined === undefined) {
        const ageMs = now() - creationTime(id);
        const windowMs = withdrawalLimit?.windowMs ?? 0;
        expect(ageMs >= windowMs - skewMs, "rate limit", `${id} lost its place after ${ageMs} ms`);
      }
    }
    if (after.slot === undefined) return;
    const place = `${entityId}#${after.slot}`;
    const holder = places.get(place);
    expect(!before, "rate limit", `${id} takes ${place} later`);
    expect(holder === undefined, "rate limit", `${id} takes ${place}, which ${holder} has`);
    places.set(place, id);
  }

  /** The end is the rail's: only an answer that contradicts it is worth a flag. */
  function checkFlag(before: Payout | null, after: Payout): void {
    const { _id: id, step, status, needsAttention, decidedBy } = after;
    const isCleared = before?.staysFlagged === true && !needsAttention;
    const isDecided = step === "reverse" || decidedBy !== undefined;
    expect(!isCleared || isDecided, "flags stay", `the flag of ${id} is gone without an admin`);
    if (!needsAttention || before?.needsAttention || decidedBy !== undefined) return;
    const hasEnded = step === "reverse" || status === "SUCCESS" || status === "FAILED";
    const { isContradicted, hadProblem } = getRecord(id);
    const isTrue = !hasEnded || isContradicted || hadProblem;
    expect(isTrue, "false flags", `${id} is flagged, and the bank never contradicted ${status}`);
  }

  /** What is stored was given, and stays; after a DENY nothing is decided, and it is not paid. */
  function checkVerdicts(before: Payout | null, after: Payout): void {
    const { _id: id, step, verdicts = [], reviewSince, rail } = after;
    const had = before?.verdicts ?? [];
    const isKept = had.every(({ at, by }, i) => verdicts[i]?.at === at && verdicts[i]?.by === by);
    expect(isKept && verdicts.length >= had.length, "screening", `${id} has lost a verdict`);
    for (const { by, decision, isUnanswered } of verdicts.slice(had.length)) {
      const isGiven = getRecord(id).verdicts.has(`${by} ${decision}`);
      const isNone = isUnanswered === true && decision === "REVIEW";
      expect(isGiven || isNone, "screening", `${id} has ${decision}, which ${by} has not given`);
    }
    const isDenied = verdicts.some(({ decision }) => decision === "DENY");
    const isLast = !isDenied || verdicts.at(-1)?.decision === "DENY";
    expect(isLast, "screening", `${id} is decided about after a DENY`);
    const isOver = step === "reverse" || step === "closed" || step === "watch";
    expect(!isDenied || isOver, "screening", `${id} is at ${step} after a DENY`);
    const isHeld = step === "submit" && rail === undefined;
    expect(reviewSince === undefined || isHeld, "screening", `${id} is in review at ${step}`);
  }

  function checkStates(before: Payout | null, after: Payout): void {
    const { _id: id, step, states, status, visible, method } = after;
    const had = step === "declined" ? [] : (before?.states ?? []);
    const isKept = had.every((state, i) => same(state, states[i]));
    expect(isKept && states.length >= had.length, "history", `${id} lost a state that it had`);
    const isOpen = step !== "claim" && step !== "declined";
    expect(visible === isOpen, "outbox", `${id} is visible at ${step}, or it is not`);
    expect(
      states.length > 0 === (step !== "declined"),
      "outbox",
      `${id} has ${states.length} states`,
    );
    const isAccepted = isOpen && step !== "debit";
    expect(!isAccepted || getRecord(id).debitedFrom, "one debit", `${id} is accepted without one`);
    expect(
      status === (states.at(-1)?.status ?? "PENDING"),
      "outbox",
      `${id}: ${status} has no event`,
    );
    for (let i = had.length; i < states.length; i++) {
      const [from, to] = [states[i - 1]?.status ?? "nothing", states[i]?.status as string];
      const move = `${from}->${to}`;
      const isAllowed =
        MOVES.has(move) ||
        (PAYOUT_METHOD_TABLE[method].isAcceptedFirst
          ? ACCEPTED_FIRST_MOVES.has(move)
          : move === "PENDING->SUCCESS");
      expect(isAllowed, "transitions", `${id} of ${method}: ${move}`);
      checkEntered(getRecord(id), to, after.decidedBy !== undefined);
    }
  }

  function checkEntered(record: Record, status: string, isAdmins: boolean): void {
    const { id, isReversed, rail, sumsTold } = record;
    if (status === "FAILED") expect(isReversed, "money back first", `${id} is FAILED before that`);
    if (status !== "SUCCESS") return;
    expect(!isReversed, "success", `${id} is a SUCCESS with a reversal`);
    expect(
      sumsTold.has("settled") || isAdmins,
      "the moved sum",
      `${id} is a SUCCESS of another sum`,
    );
    expect(rail === "paid" || rail === "returned", "success", `${id} is a SUCCESS and not paid`);
  }

  function checkChange(before: Payout | null, after: Payout): void {
    const record = getRecord(after._id);
    const { _id: id, v, step, relayed, states, walletId } = after;
    if (before && before.step !== step) {
      expect(LEADS_TO[before.step].includes(step), "steps", `${id}: ${before.step} -> ${step}`);
    }
    if (before && before.walletId !== walletId) {
      expect(before.step === "claim", "one wallet", `${id} changes it at ${before.step}`);
    }
    const isTransition = !before || before.writtenBy !== after.writtenBy;
    const expected = before ? before.v + (isTransition ? 1 : 0) : 0;
    expect(v === expected, "compare-and-set", `${id} has version ${v} after ${before?.v}`);
    expect(relayed <= record.events.length, "events", `${id}: ${relayed} relayed, not all came`);
    const relayedBy = now() + skewMs + RELAYED_WITHIN_MS;
    const isIn = relayed === states.length || UNDECIDED.includes(step);
    const isTold = isIn || (after.nextAttemptAt ?? Infinity) <= relayedBy;
    expect(isTold, "events", `no relay sends the events in the outbox of ${id}`);
    const isOver = step === "closed" || step === "declined";
    const stepAt = nextStepAt(after);
    const isDue = isOver || stepAt !== undefined || isPersons(after);
    expect(isDue, "liveness", `no sweep finds ${id}`);
    const isInBounds = (stepAt ?? now()) <= now() + skewMs + DUE_WITHIN_MS;
    expect(isInBounds, "liveness", `${id} is due at ${stepAt}`);
    const isForgotten = step === "declined" || (step === "submit" && !record.isSent);
    const isSameRail =
      before?.rail === undefined ||
      before.rail === after.rail ||
      (isForgotten && after.rail === undefined);
    expect(isSameRail, "one rail", `${id} goes from ${before?.rail} to ${after.rail}`);
    const isFree = step !== "declined" || after.reference === undefined;
    expect(isFree, "references", `${id} is declined and keeps its reference`);
    const isUnasked = step === "debit" && screening !== null;
    const isNamed =
      !["submitting", "debit"].includes(step) || isUnasked || after.rail !== undefined;
    expect(isNamed, "one rail", `${id} is submitted, and no rail is stored`);
  }

  return {
    onDurable({ collection, before, after }: Entry): void {
      if (collection === COUNTERS.name) {
        const counter = after as unknown as LimitCounter;
        counters.set(counter._id, counter);
        return;
      }
      const [was, is] = [before, after] as unknown as [Payout | null, Payout | null];
      if (!is) return;
      checkChange(was, is);
      checkStates(was, is);
      checkFlag(was, is);
      checkVerdicts(was, is);
      const record = getRecord(is._id);
      record.doc = is;
      const isSubmitting = is.step === "submitting" || is.step === "debit";
      record.wasSubmitting ||= isSubmitting && is.rail !== undefined;
      // A stop held it before its first submit.
      if (is.step === "submit" && is.rail === undefined) record.wasSubmitting = false;
      if (is.needsAttention)
        Object.assign(record, { owesFlag: false, owesQuestion: false, owesAnswer: false });
      if (is.step === "declined") onNothing(is._id, `it is declined: ${is.declined}`);
      checkPlaces(was, is);
    },

    onNothing,

    onDebit(id: string, walletId: string): void {
      const record = getRecord(id);
      const { doc } = record;
      expect(doc, "stored first", `${id} is debited and not stored`);
      expect(
        !record.nothing,
        "no debit after a no",
        `${id} is debited, although ${record.nothing}`,
      );
      expect(!record.debitedFrom, "one debit", `${id} is debited again`);
      expect(doc.step !== "claim", "one wallet", `${id} is debited before its wallet is fixed`);
      expect(doc.walletId === walletId, "one wallet", `${id} is debited from ${walletId}`);
      record.debitedFrom = walletId;
      checkLimits(doc);
      for (const name of Object.values(names.get(id) ?? {})) {
        const first = debited.get(name);
        expect(first === undefined, "one debit for a name", `${id} repeats ${first} by ${name}`);
        debited.set(name, id);
      }
      debits.add(id);
      if (doc.tokenHash === undefined) return;
      const other = spent.get(doc.tokenHash);
      expect(other === undefined, "tokens", `${id} spends the token of ${other}`);
      spent.set(doc.tokenHash, id);
    },

    onReversal(reversalId: string, walletId: string): void {
      const id = reversalId.slice(0, -":reversal".length);
      const record = getRecord(id);
      expect(record.debitedFrom === walletId, "one reversal", `${id} was not debited there`);
      expect(!record.isReversed, "one reversal", `${id} is reversed again`);
      const isStored = record.doc?.step === "reverse";
      expect(isStored, "stored first", `${id} is reversed at ${record.doc?.step}`);
      record.isReversed = true;
      const state = bankState(id);
      const isTold = record.sumsTold.has("returned");
      const isBelieved = state !== "returned" || isTold || record.doc?.decidedBy;
      expect(isBelieved, "the moved sum", `${id} is refunded after a return of another sum`);
      const isSafe = state === "unknown" ? !record.wasSubmitting : FINAL.has(state);
      expect(isSafe, "paid or refunded", `${id} is refunded, and the rail has it ${state}`);
    },

    onSubmit(id: string): void {
      const { wasSubmitting, debitedFrom } = getRecord(id);
      expect(wasSubmitting, "stored first", `${id} is submitted before that is stored`);
      expect(debitedFrom, "paid for nothing", `${id} is submitted without a debit`);
    },

    /** A node sends a submit to a bank. */
    onSend(id: string, bank: string, isStopped: (payout: Payout) => boolean): void {
      const record = getRecord(id);
      const { rail, submittedAt = 0, verdicts, reviewSince } = record.doc ?? {};
      const isAllowed = verdicts?.at(-1)?.decision === "ALLOW" && reviewSince === undefined;
      const mayLeave = screening === null || record.isSent || isAllowed;
      expect(mayLeave, "screening", `${id} is submitted without an ALLOW`);
      record.isSent = true;
      const isHeld = record.doc !== null && isStopped(record.doc);
      expect(!isHeld, "stops", `${id} is submitted after it was stopped`);
      expect(rail === bank, "one rail", `${id} of ${rail} is submitted to ${bank}`);
      const isInTime = now() - submittedAt <= SENT_WITHIN_MS + skewMs;
      expect(isInTime, "last submit", `${id} is submitted long after the stored time`);
    },

    /** A node receives a bank's answer. */
    onAnswer(id: string, answer: unknown, isHealed: boolean): void {
      const record = getRecord(id);
      const { kind, code, problem } = answer as { kind?: string; code?: string; problem?: string };
      const isRejected = kind === "rejected" && code !== DUPLICATE && problem === undefined;
      const isRefusal = isRejected || answer === "cancelled";
      // Before the healing the node may die with the answer, or its write may be lost, so no flag
      // is due.
      if (!isHealed || !record.doc || record.doc.needsAttention) return;
      const { step, status, decidedBy, amountMinor } = record.doc;
      const sum = Object(answer) as { amountMinor?: number; currency?: string };
      const isOther = sum.currency !== undefined && !isSame(sum, amountMinor);
      if (problem !== undefined || isOther) record.owesAnswer = true;
      else if (isRefusal || kind === "settled" || kind === "returned") record.owesAnswer = false;
      if (status === "SUCCESS" && isRefusal) record.owesFlag = true;
      // A returned payment was paid before.
      const isRefused = (step === "reverse" || status === "FAILED") && record.rail !== "returned";
      const pays = kind === "accepted" || kind === "settled";
      if (!isRefused || !pays) return;
      // A bank that contradicts its refusal does so from then on.
      if (record.isContradicted) record.owesFlag = true;
      else if (kind === "accepted" && decidedBy === undefined) record.owesQuestion = true;
    },

    /** A question about a payment reaches a bank. */
    onQuery(id: string): void {
      Object.assign(getRecord(id), { owesQuestion: false, owesAnswer: false });
    },

    /** A bank gives an answer that contradicts its own end. */
    onContradicted(id: string): void {
      getRecord(id).isContradicted = true;
    },

    /** A bank gives an answer with a problem, or about another sum than it moved. */
    onProblem(id: string): void {
      getRecord(id).hadProblem = true;
    },

    /** A bank gives an answer with the sum that it moved. */
    onSumTold(id: string, kind: "settled" | "returned"): void {
      getRecord(id).sumsTold.add(kind);
    },

    /** A bank stores an admin's decision. */
    onDecided(id: string): void {
      getRecord(id).isDecided = true;
    },

    /** The screening, or a person, gives a decision whether a payout may leave. */
    onVerdict(id: string, by: string, decision: string): void {
      getRecord(id).verdicts.add(`${by} ${decision.toUpperCase()}`);
    },

    /** A person's decision is answered with 200. */
    onReviewed(id: string, person: string): void {
      const isStored = getRecord(id).doc?.verdicts?.some(({ by }) => by === person);
      expect(isStored, "answers", `${person} has decided about ${id}, and that is not stored`);
    },

    /** A step throws. */
    onThrow(id: string, isHealed: boolean): void {
      const record = getRecord(id);
      if (isHealed) record.throws += 1;
      const isWaiting = record.doc?.unknownSince !== undefined;
      const isKnown = record.throws <= THROWS_UNNOTED || isWaiting;
      expect(isKnown, "growing waits", `a step of ${id} throws again and again`);
    },

    onAccepted(id: string, bank: string): void {
      const record = getRecord(id);
      const isOne = record.bank === null || record.bank === bank;
      expect(isOne, "paid twice", `${id} is taken by ${bank}, and ${record.bank} has it`);
      record.bank = bank;
      expect(!record.isReversed, "paid or refunded", `${id} is taken by the rail and refunded`);
      record.rail = "accepted";
    },

    onPaid(id: string): void {
      const record = getRecord(id);
      expect(!record.isReversed, "paid or refunded", `${id} is paid and refunded`);
      expect(record.rail === "accepted", "paid twice", `${id} is paid when it is ${record.rail}`);
      record.rail = "paid";
    },

    onReturned(id: string): void {
      getRecord(id).rail = "returned";
    },

    onEvent(event: RelayedEvent, isKnown: boolean): void {
      const { transactionId, seq, at, body } = event;
      const { events, doc, debitedFrom } = getRecord(transactionId);
      const state = doc?.states[seq - 1];
      const label = `event ${seq} of ${transactionId}`;
      const isState = state?.status === body.status && state.at === at;
      expect(debitedFrom, "events", `${label} comes without a debit`);
      expect(isState, "events", `${label} says ${body.status}, stored is ${state?.status}`);
      if (isKnown) {
        expect(events[seq - 1]?.id === event.id, "events", `${label} has the id of another`);
        return;
      }
      expect(events.length === seq - 1, "events", `${label} comes after ${events.length}`);
      events.push(event);
    },

    /** A request makes the id of its payout. */
    onNames(
      id: string,
      { key, reference, asked }: { key?: number; reference?: number; asked: string },
    ): void {
      debitedWhenBegun.set(id, debits.size);
      terms.set(id, asked);
      names.set(id, {
        ...(key !== undefined && { key: `key ${key}` }),
        ...(reference !== undefined && { reference: `reference ${reference}` }),
      });
    },

    /** @param answered the id in the answer: of a repeat the first payout's */
    onAccepting(asked: string, answered: string): void {
      const id = firstOf(names.get(asked)?.key) ?? firstOf(names.get(asked)?.reference) ?? asked;
      const { debitedFrom, doc } = getRecord(id);
      expect(answered === id, "answers", `${id} is answered as ${answered}`);
      const isAsked = terms.get(id) === terms.get(asked);
      expect(isAsked, "answers", `${id} is the answer to another request, ${asked}`);
      expect(debitedFrom, "answers", `${id} is answered with 200 and not debited`);
      expect(doc?.visible, "answers", `${id} is answered with 200 and not visible`);
    },

    onRefusing(id: string, type: string | null, isLast: boolean): void {
      // A declined key stays with its decline, also if the reference was debited with another key.
      const { key, reference } = names.get(id) ?? {};
      const first = firstOf(key ?? reference);
      // A repeat that runs beside the first request may be told that it is under way.
      const wasDebited =
        first !== undefined &&
        terms.get(first) === terms.get(id) &&
        [...debits].indexOf(first) < (debitedWhenBegun.get(id) ?? 0);
      const isRight = !isLast || !wasDebited;
      expect(isRight, "answers", `${id} repeats ${first}, and ${type} was answered`);
      if (type && DEFINITE.has(type)) onNothing(id, `${type} was answered`);
    },

    /** Somebody reads the payout as accepted. */
    onSeen(id: string): void {
      expect(getRecord(id).debitedFrom, "answers", `${id} is seen and not debited`);
    },

    onCancelled(id: string): void {
      const { doc, isReversed } = getRecord(id);
      expect(isReversed, "answers", `${id} is cancelled, and its money is not back`);
      expect(doc?.status === "FAILED", "answers", `${id} is cancelled, and ${doc?.status}`);
    },

    waitsForPerson(id: string): boolean {
      const { doc } = getRecord(id);
      return doc !== null && isPersons(doc);
    },

    isPaidOut: (id: string) => getRecord(id).doc?.status === "SUCCESS",
    isRefunded: (id: string) => getRecord(id).isReversed,

    /** The payouts that a person must check. */
    flagged(): string[] {
      return [...records.values()].filter(({ doc }) => doc?.needsAttention).map(({ id }) => id);
    },

    /** Describes the payouts that are not at rest. */
    restless(): string[] {
      return [...records.values()]
        .filter(({ doc }) => doc && !isAtRest(doc))
        .map(({ doc }) => describe(doc as Payout));
    },

    /** Checks every payout against all other records at the end of the schedule. */
    onEnd(): void {
      checkCounters();
      for (const record of records.values()) {
        const { id, doc, debitedFrom, isReversed, rail, events, owesFlag } = record;
        // A step that is broken there loses the answer.
        const isLossy = broken?.point === "rail-answered";
        expect(
          isLossy || !owesFlag,
          "late answers",
          `${id} is contradicted, and no admin is asked to check it`,
        );
        const isAsked = isLossy || !(record.owesQuestion || record.owesAnswer);
        expect(isAsked, "late answers", `${id} is accepted after its refusal, and no node asks`);
        expect(doc || !debitedFrom, "one debit", `${id} is debited and not there`);
        if (!doc) continue;
        expect(doc.visible === (debitedFrom !== null), "one debit", `${id} is ${doc.step}`);
        expect(isReversed === (doc.status === "FAILED"), "one reversal", `${id} is ${doc.status}`);
        expect(events.length === doc.states.length, "events", `${id} has ${events.length} events`);
        expect(
          !doc.needsAttention || record.isContradicted,
          "flags end",
          `${id} is flagged, and the bank has no problem`,
        );
        if (!doc.visible || (doc.decidedBy !== undefined && !record.isDecided)) continue;
        const end = rail === "paid" ? "SUCCESS" : "FAILED";
        expect(doc.status === end, "the rail's end", `${id} is ${doc.status}, the rail: ${rail}`);
      }
    },
  };

  /** Whether nothing is under way: no step, no question to the rail, no event. */
  function isAtRest({ step, nextAttemptAt, relayed, states }: Payout): boolean {
    const isOver = (step === "closed" || step === "declined") && nextAttemptAt === undefined;
    return isOver && relayed === states.length;
  }
}

/** Whether it waits for a person, because the screening has answered so. */
function isPersons({ reviewSince, verdicts }: Payout): boolean {
  return reviewSince !== undefined && !verdicts?.at(-1)?.isUnanswered;
}

function isUsing({ step, status, states, counted, isCounted }: Payout, name: string): boolean {
  const wasPaid = states.some((state) => state.status === "SUCCESS");
  const isGivenBack = step === "declined" || (status === "FAILED" && !wasPaid);
  return isCounted === true && counted?.includes(name) === true && !isGivenBack;
}

const isSame = (sum: { amountMinor?: number; currency?: string }, amountMinor: number) =>
  sum.amountMinor === amountMinor && sum.currency === "USD";

/** The states of a payment that will never be paid, or came back. */
const FINAL = new Set(["rejected", "cancelled", "returned"]);

const MOVES = new Set([
  "nothing->PENDING",
  "PENDING->FAILED",
  "PROCESSING_PAY_OUT->FAILED",
  "SUCCESS->FAILED",
]);
const ACCEPTED_FIRST_MOVES = new Set([
  "PENDING->PROCESSING_PAY_OUT",
  "PROCESSING_PAY_OUT->SUCCESS",
]);

function same(a: Payout["states"][number], b: Payout["states"][number] | undefined): boolean {
  return a.status === b?.status && a.at === b.at;
}

function describe({ _id, step, status, relayed, states }: Payout): string {
  return `${_id} at ${step} (${status}), ${relayed} of ${states.length} events relayed`;
}
