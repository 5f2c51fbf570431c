// The businesses of end users, which a process remembers, because an end user's business never
// changes.

import { LRUCache } from "lru-cache";

const MOST_USERS = 10_000;

/**
 * Asks once for the business of an entity; calls at the same time share the question.
 * @param ask an error is not remembered
 */
export function rememberBusinesses(
  ask: (entityId: string) => Promise<string>,
): (entityId: string) => Promise<string> {
  const businesses = new LRUCache<string, string>({ max: MOST_USERS, fetchMethod: ask });
  return async (entityId) => (await businesses.fetch(entityId)) as string;
}
