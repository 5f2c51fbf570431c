// What the scopes of a session allow. The API decides; the console only leaves out what it would
// refuse.

import type { Session } from "./api.ts";

/** The scope that implies all others. */
const ALL = "external.apis";

export function may({ role, scopes }: Session, scope: string): boolean {
  return role === "admin" || scopes.includes(scope) || scopes.includes(ALL);
}
