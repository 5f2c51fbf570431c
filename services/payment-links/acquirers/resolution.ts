// Resolutions: an admin decides the outcome of a payment or a refund that needs attention, if the
// acquirer does not answer, or if its answers contradict each other. The timeline names the admin.
//
// A stored end stays, because the merchant has its event, and money has moved because of it.
// An admin can confirm it but not change it. If a customer was charged after the payment had
// FAILED, the money goes back at the acquirer; money that a SUCCEEDED payment never got goes back
// by a refund.

import { fail } from "../../../shared/errors.ts";
import type { Change, Resumable } from "../../../shared/resumable/document.ts";
import type { Machine } from "../../../shared/resumable/machine.ts";
import type { Contradictable } from "./acquirer.ts";

export interface Resolution {
  outcome: "SUCCESS" | "FAILED";
  /** The admin that decided it, and the reason. */
  by: string;
  /** Whether an earlier run of the request may have resolved it already. */
  isRepeat?: boolean;
}

/** The longest time that a question to an acquirer may be under way. */
export const UNDER_WAY_MS = 600_000;

/**
 * Resolves a document, unless an earlier run of the same request has.
 * @param changeFor the change that the admin's decision makes; null if it is not possible
 * @returns the document, as far as it has come since
 * @throws NOT_RESOLVABLE if it is not flagged, or if the decision is not possible; also if a driver
 *   changed the document first, because it may have ended
 */
export async function resolve<T extends Resumable>(
  machine: Machine<T>,
  document: T,
  { by, isRepeat = false }: Resolution,
  changeFor: () => Promise<Change<T> | null> | Change<T> | null,
): Promise<T> {
  const { needsAttention } = document;
  if (isRepeat && document.decidedBy === by && !needsAttention) return document;
  const change = (needsAttention && (await changeFor())) || fail("NOT_RESOLVABLE");
  const changed = await machine.transitionAlone(document, change);
  if (!changed) return fail("NOT_RESOLVABLE");
  void machine.relay(changed);
  return change.next === "now" ? machine.drive(changed, { isFresh: true }) : changed;
}

/** The stored end holds, and an admin has seen the answer that contradicts it. */
export function confirmation<T extends Resumable & Contradictable>(
  { status }: T,
  { outcome, by }: Resolution,
): Change<T> | null {
  if (outcome !== (status === "SUCCEEDED" ? "SUCCESS" : "FAILED")) return null;
  const set: Partial<Resumable & Contradictable> = {
    needsAttention: false,
    contradicted: undefined,
    decidedBy: by,
  };
  return { set: set as Change<T>["set"], next: "never" };
}

export function decidedBy<T extends Resumable>(change: Change<T>, by: string): Change<T> {
  return { ...change, set: { ...change.set, decidedBy: by } };
}
