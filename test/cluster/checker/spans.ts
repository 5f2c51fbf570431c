// The time in which an operator's stop or limit holds, by its answer and the next request of its kind.

import type { Incident } from "../contract.ts";
import { begun } from "./effects.ts";
import type { Operation } from "./operations.ts";

interface Span {
  from: number;
  until: number;
}

export interface Spans {
  /** Every process obeys it; it is empty if a process of the previous release ran. */
  surely: Span;
  /** A process may obey it. */
  possibly: Span;
}

/** All processes obey a request so long after its answer (docs/operate/money.md), in ms. */
const HOLDS_AFTER_MS = 5_000;
const NEVER = Number.POSITIVE_INFINITY;
const NOT_AT_ALL = { from: NEVER, until: NEVER };

/** @param operations requests of one subject, each of which replaces the one before */
export function spansOf(
  operations: readonly Operation[],
  incidents: readonly Incident[],
): ({ operation: Operation } & Spans)[] {
  const inOrder = operations.toSorted((a, b) => begun(a) - begun(b));
  return inOrder.map((operation, i) => {
    const next = inOrder[i + 1];
    const from = (operation.done?.until ?? NEVER) + HOLDS_AFTER_MS;
    const until = next ? begun(next) : NEVER;
    const isObeyed = !incidents.some(
      (each) => /previous release/.test(each.name) && overlaps(each, { from: 0, until }),
    );
    return {
      operation,
      surely: isObeyed ? { from, until } : NOT_AT_ALL,
      possibly: { from: begun(operation), until: (next?.done?.until ?? NEVER) + HOLDS_AFTER_MS },
    };
  });
}

export const overlaps = (one: Span, other: Span) =>
  one.from <= other.until && one.until >= other.from;
