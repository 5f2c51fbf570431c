// All names of a place, which answers a thousand of them at a time.

import type { Place } from "./place.ts";

/** The most names in an answer of `names`; fewer are the last ones. */
const NAMES_AT_ONCE = 1_000;

export async function* allNames(place: Pick<Place, "names">): AsyncGenerator<string> {
  let after: string | undefined;
  for (;;) {
    const names = await place.names(after);
    yield* names;
    if (names.length < NAMES_AT_ONCE) return;
    after = names.at(-1);
  }
}
