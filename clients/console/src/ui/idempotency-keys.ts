// The idempotency keys and references of what a person does in a form.

import { useRef } from "preact/hooks";
import type { Values } from "./form.tsx";

/**
 * Gives the same key for the same values, so that another try does nothing twice. Other values have
 * a key of their own, because the API refuses a key that comes with another request.
 */
export function useIdempotencyKeys(): (values: Values) => string {
  const keys = useRef<Record<string, string>>({});
  return (values) => {
    const text = JSON.stringify(values);
    keys.current[text] ??= crypto.randomUUID();
    return keys.current[text];
  };
}

/** A reference that nothing else has, such as `refund-5f0c1a2b`. */
export function newReference(of: string): string {
  return `${of}-${crypto.randomUUID().slice(0, "5f0c1a2b".length)}`;
}
