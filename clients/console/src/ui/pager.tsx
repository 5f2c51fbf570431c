// The ways from a page of a list to its other pages. A page is found only from the one before it.

import type { Place } from "../api.ts";
import { number } from "../format.ts";

interface PagerProps {
  /** What the pages are of, for screen readers. */
  name: string;
  /** The places on the way to this page, which is the last of them. */
  places: Place[];
  /** The place of the next page; null on the last page. */
  next: Place | null;
  onMove(places: Place[]): void;
}

export function Pager({ name, places, next, onMove }: PagerProps) {
  const isFirst = places.length === 0;
  if (isFirst && next === null) return null;
  return (
    <nav class="pager" aria-label={name}>
      <span>Page {number(places.length + 1)}</span>
      <button type="button" disabled={isFirst} onClick={() => onMove([])}>
        First
      </button>
      <button type="button" disabled={isFirst} onClick={() => onMove(places.slice(0, -1))}>
        Previous
      </button>
      <button
        type="button"
        disabled={next === null}
        onClick={() => next && onMove([...places, next])}
      >
        Next
      </button>
    </nav>
  );
}
