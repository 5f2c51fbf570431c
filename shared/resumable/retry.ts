// Retries by operators: the next step of a document is due now, and not at its next time.
//
// Invariant: a retry changes only the moment of the next step. It enters no state and takes no step
// itself: a driver then takes the same step that it would have taken later, with the same id at the
// rail or acquirer. So no money moves that would not have moved without the retry.

import type { Clock } from "../clock.ts";
import { fail } from "../errors.ts";
import { LEASE_MS } from "./change.ts";
import { nextStepAt, type Resumable } from "./document.ts";
import type { Transition } from "./transitions.ts";

/**
 * A document that is due within this time is left alone, because it is in hand: its driver holds it
 * for a lease and a wait of five seconds at most, and the request of a paying customer until five
 * seconds after its deadline. A second driver beside them would submit again what is still on its
 * way, or void the customer's charge.
 */
const IN_HAND_MS = 2 * LEASE_MS;

/**
 * Makes the next step of a document due now.
 * @returns the document as it is now
 * @throws NOT_RETRYABLE if it has no next step
 */
export async function retryNow<T extends Resumable>(
  { clock, machine }: { clock: Clock; machine: { transitionAlone: Transition<T> } },
  document: T,
): Promise<T> {
  const at = nextStepAt(document);
  if (at === undefined) return fail("NOT_RETRYABLE");
  if (at <= clock.now() + IN_HAND_MS) return document;
  // If another writer is quicker, it has the document in hand.
  const changed = await machine.transitionAlone(document, { set: {}, next: 0 });
  return changed ?? document;
}
