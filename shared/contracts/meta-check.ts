// The check of the meta beside an action's parameters. The gateway's meta is always right; that of
// another system's node may have any shape. Unchecked, a key that is a text would be stored as
// undefined, and would hold up every later request of its user.

import { checker } from "./checker.ts";
import { object } from "./compound-fields.ts";
import { idempotencyKey, type MetaPart } from "./contract.ts";
import { isObject, optional } from "./field.ts";
import { number, oneOf, text } from "./fields.ts";

const PARTS = {
  actor: optional(object({ sub: text(), role: oneOf(["user", "merchant", "admin"]) })),
  deadline: optional(number()),
  idempotency: optional(
    object({ route: text(), key: idempotencyKey, request: text({ max: 1_024 }) }),
  ),
};

type Part = keyof typeof PARTS;

/** The parts of meta that an action reads: one that keeps answers finds them by actor and key. */
function partsRead(named: readonly MetaPart[]): Part[] {
  const all = named.flatMap((part) =>
    part === "creation" ? (["actor", "idempotency"] as const) : part,
  );
  return [...new Set(all)];
}

/**
 * Makes a check of the parts of meta that a contract names. Absent parts are right.
 * @returns the check, which fails with VALIDATION
 */
export function metaCheck(named: readonly MetaPart[]): (meta: { [P in Part]?: unknown }) => void {
  const parts = partsRead(named);
  const fields = Object.fromEntries(parts.map((part) => [part, PARTS[part]]));
  const check = checker({ meta: object(fields) });
  return (meta) => {
    // The checker changes what it checks, and in one process the meta is the caller's own.
    const given = parts.map((part) => [
      part,
      isObject(meta[part]) ? { ...meta[part] } : meta[part],
    ]);
    check({ meta: Object.fromEntries(given) });
  };
}
