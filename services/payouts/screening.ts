// The screening of payouts (docs/operate/screening.md): after its acceptance and before its first
// submit, a payout is shown to the configured screening. It leaves only with an ALLOW, of the
// screening or of a person, that is not older than a day. A DENY ends it by the ordinary reversal.
// A held payout waits at the step `submit`, where no rail was ever asked about it.
//
// Invariants: the decision that counts is the one that a compare-and-set has stored, together with
// what follows from it; so of a screening, a person and a cancel one decides. No answer, and an
// answer of another form, never let a payout leave.

import { VERDICTS_KEPT } from "../../shared/contracts/transactions.ts";
import { readScreening } from "../../shared/partners/answers.ts";
import { askPartner, SCREENED_WITHIN_MS } from "../../shared/partners/ask.ts";
import { LEASE_MS } from "../../shared/resumable/change.ts";
import type { Change } from "../../shared/resumable/document.ts";
import type { Deps } from "./deps.ts";
import type { Payout, ScreeningVerdict } from "./payout.model.ts";
import { reversal } from "./rail-answers.ts";
import { NEVER_SUBMITTED } from "./stopped.ts";

/** An ALLOW holds for a day; the submit that it lets begin ends within a lease. */
const ALLOWED_FOR_MS = 24 * 3_600_000 - LEASE_MS;
/** After a question without an answer the screening is asked again after growing waits. */
const ASK_AGAIN_MS = { first: 60_000, most: 600_000 };
const SECOND_MS = 1_000;

/** The merchant reads the reason of this code, whoever has denied the payout. */
const COMPLIANCE = "compliance";
const NOT_ANSWERED = "The screening has not answered";

/** What a first submit stores with it, or the change of a payout that must not be submitted. */
type Screened = { passes: Partial<Payout> } | { change: Change<Payout> };

/** Whether a payout may be submitted for the first time now. */
export async function screenPayout(deps: Deps, payout: Payout): Promise<Screened> {
  const { screening, clock } = deps;
  const { reviewSince, verdicts = [] } = payout;
  const last = verdicts.at(-1);
  const waits = reviewSince !== undefined;
  if (waits && !last?.isUnanswered) return { change: { set: {}, next: "never" } };
  if (!screening) return waits ? { change: askLater(payout, clock.now()) } : { passes: {} };
  const isAllowed = last?.decision === "ALLOW" && clock.now() - last.at <= ALLOWED_FOR_MS;
  if (isAllowed) return { passes: {} };
  const verdict = await ask(deps, payout);
  if (waits && verdict.isUnanswered) return { change: askLater(payout, clock.now()) };
  const told = { verdicts: withVerdict(payout, verdict) };
  if (verdict.decision === "ALLOW") return { passes: { ...told, reviewSince: undefined } };
  if (verdict.decision === "DENY") return { change: denial({ ...payout, ...told }) };
  const since = reviewSince ?? clock.now();
  const set = { ...NEVER_SUBMITTED, ...told, unknownSince: undefined };
  const next = verdict.isUnanswered ? ASK_AGAIN_MS.first : "never";
  return { change: { set: { ...set, heldSince: undefined, reviewSince: since }, next } };
}

/** The decisions of a payout with one more, at the end. */
export function withVerdict({ verdicts = [] }: Payout, verdict: ScreeningVerdict) {
  return [...verdicts, verdict].slice(-VERDICTS_KEPT);
}

/** The payout will not be paid: its money goes back, and no rail was asked. */
export function denial(payout: Pick<Payout, "verdicts" | "optionType">): Change<Payout> {
  const { set, next } = reversal(payout, COMPLIANCE);
  return { set: { ...NEVER_SUBMITTED, ...set, verdicts: payout.verdicts }, next };
}

function askLater({ reviewSince }: Payout, now: number): Change<Payout> {
  const { first, most } = ASK_AGAIN_MS;
  return { set: {}, next: Math.min(Math.max(first, now - (reviewSince ?? now)), most) };
}

/** @throws any error if accounts does not tell whom the payout goes to: it is asked again later */
async function ask(deps: Deps, payout: Payout): Promise<ScreeningVerdict> {
  const { clock, screening } = deps;
  if (!screening) throw new Error("There is no screening");
  const { _id: id, businessId, entityId, method, amountMinor, currency } = payout;
  const { optionType, lastFour } = payout;
  const payee = await deps.findPayee(payout.linkedAccountId);
  if (!payee) throw new Error(`The recipient of ${id} cannot be read`);
  const { name, email, bankName, country } = payee;
  const asked = {
    ...{ id, kind: "payout" as const, businessId, entityId, method, amountMinor, currency },
    party: { name, email },
    destination: { optionType, bankName, country, lastFour },
  };
  const answer = await askPartner({
    clock,
    log: deps.log,
    metrics: deps.metrics,
    partner: "screening",
    name: screening.name,
    operation: "screen",
    about: { id },
    withinMs: SCREENED_WITHIN_MS,
    ask: () => screening.screen(asked),
    read: readScreening,
    unknown: { kind: "unknown" },
    // The payout is held by then, and is asked about again.
    onLate: async () => {},
  });
  // Whole seconds, so that the payouts of a batch are written by one statement.
  const at = Math.floor(clock.now() / SECOND_MS) * SECOND_MS;
  const told = { at, by: screening.name };
  switch (answer.kind) {
    case "allow":
      return { ...told, decision: "ALLOW", reasons: [] };
    case "deny":
      return { ...told, decision: "DENY", reasons: [answer.code] };
    case "review":
      return { ...told, decision: "REVIEW", reasons: answer.reasons };
    case "unknown":
      return { ...told, decision: "REVIEW", reasons: [NOT_ANSWERED], isUnanswered: true };
  }
}
