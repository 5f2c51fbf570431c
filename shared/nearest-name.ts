// The known name that a misspelt one probably means.

/** Longer than any name. */
const MAX_NAME = 64;

/**
 * The known name with the fewest edits; null if none is near. Case and separators do not count.
 * @param mostEdits the greatest number of edits between them
 */
export function nearestOf(name: string, known: string[], mostEdits: number): string | null {
  if (name.length > MAX_NAME) return null;
  const plain = (each: string) => each.toLowerCase().replaceAll(/[^a-z\d]/g, "");
  const meant = plain(name);
  const most = Math.min(mostEdits, Math.floor(meant.length / 2));
  const [first] = known
    .map((each) => ({ each, edits: countEdits(meant, plain(each)) }))
    .filter(({ edits }) => edits <= most)
    .toSorted((a, b) => a.edits - b.edits);
  return first?.each ?? null;
}

/** The Levenshtein distance of two texts. */
function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const replaced = (row[j] as number) + (b[j] === a[i] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
