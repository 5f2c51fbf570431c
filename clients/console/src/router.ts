// Where the console is: the fragment of the address, such as #/transactions?status=FAILED. No
// server has to know the pages.

import { useEffect, useState } from "preact/hooks";

export interface Location {
  /** The parts of the path: ["transactions", "0198…"]. */
  path: string[];
  query: Record<string, string>;
}

type Query = Record<string, string | undefined>;

/** The address of a place in the console; parameters that are empty are left out. */
export function href(path: string[], query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value);
  const search = new URLSearchParams(given as [string, string][]).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${search && `?${search}`}`;
}

export function go(path: string[], query?: Query): void {
  location.hash = href(path, query);
}

/** Goes to another address in place of this one, to which "back" does not lead. */
export function redirect(address: string): void {
  location.replace(address);
}

/** The place that the address names, kept current. */
export function useLocation(): Location {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const read = () => {
      // Any other fragment is that of a part of the page.
      if (/^(#\/|$)/.test(location.hash)) setHash(location.hash);
    };
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  return parse(hash);
}

function parse(hash: string): Location {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?");
  return {
    path: path.split("/").filter(Boolean).map(decoded),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A malformed address leads to a page that does not exist.
    return part;
  }
}
