// The ways from a page of a list to its other pages.

import { following, type Page, type Place } from "../api.ts";
import { number } from "../format.ts";

type Meta = Page<unknown>["meta"];

interface PagerProps {
  /** What the pages are of, for screen readers. */
  name: string;
  meta: Meta;
  /** The places on the way to this page, which is the last of them. */
  places: Place[];
  onMove(places: Place[]): void;
}

export function Pager({ name, meta, places, onMove }: PagerProps) {
  const ways = waysFrom(meta, places);
  if (ways.every(({ to }) => to === null)) return null;
  return (
    <nav class="pager" aria-label={name}>
      <span>{pageName(meta, places.length + 1)}</span>
      {ways.map(({ label, to }) => (
        <button key={label} type="button" disabled={!to} onClick={() => to && onMove(to)}>
          {label}
        </button>
      ))}
    </nav>
  );
}

interface Way {
  label: string;
  /** Null if it leads nowhere. */
  to: Place[] | null;
}

function waysFrom(meta: Meta, places: Place[]): Way[] {
  if ("nextCursor" in meta) {
    // A page is found only from the one before it.
    const isFirst = places.length === 0;
    const next = following(meta);
    return [
      { label: "First", to: isFirst ? null : [] },
      { label: "Previous", to: isFirst ? null : places.slice(0, -1) },
      { label: "Next", to: next && [...places, next] },
    ];
  }
  const { page, pageCount } = meta;
  const to = (wanted: number) =>
    wanted !== page && wanted >= 1 && wanted <= pageCount ? [{ page: wanted }] : null;
  return [
    { label: "First", to: to(1) },
    { label: "Previous", to: to(page - 1) },
    { label: "Next", to: to(page + 1) },
    { label: "Last", to: to(pageCount) },
  ];
}

function pageName(meta: Meta, count: number): string {
  if ("nextCursor" in meta) return `Page ${number(count)}`;
  return `Page ${number(meta.page)} of ${number(meta.pageCount)}, ${number(meta.total)} in all`;
}
