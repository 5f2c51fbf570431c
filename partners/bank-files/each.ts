// Work on several files, of which a broken one keeps no other back.

/**
 * Works on each of the items in turn.
 * @throws the first failure, after the work on the others
 */
export async function each<T>(
  items: AsyncIterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for await (const item of items) {
    await work(item).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
