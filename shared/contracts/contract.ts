// What a contract is: of each action its parameters, its result, the errors a caller has to expect
// and how long it may take. The validation, the types, the OpenAPI document and docs/actions.md are
// all made from it.

import type { ErrorType } from "../errors.ts";
import {
  anyCaseOf,
  type Field,
  type Fields,
  type Infer,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  queryInteger,
  text,
  timestamp,
} from "../fields.ts";
import { CURRENCIES } from "../money.ts";

export interface Contract<P extends Fields = Fields, R = unknown> {
  does: string;
  params: P;
  result: Field<R, false>;
  /** Beside VALIDATION, INTERNAL and UNAVAILABLE, which every action may answer. */
  errors: ErrorType[];
  /** How long a caller waits, in milliseconds; 0 without a bound. */
  timeoutMs: number;
}

export const DEFAULT_TIMEOUT_MS = 5_000;

export function action<P extends Fields, R>(contract: {
  does: string;
  params: P;
  result: Field<R, false>;
  errors?: ErrorType[];
  timeoutMs?: number;
}): Contract<P, R> {
  return { errors: [], timeoutMs: DEFAULT_TIMEOUT_MS, ...contract };
}

export type ParamsOf<C> = C extends Contract<infer P, unknown> ? Infer<P> : never;
export type ResultOf<C> = C extends Contract<Fields, infer R> ? R : never;

/** Fields of many contracts. */
export const currency = oneOf(CURRENCIES, { example: "USD" });
export const currencyInPath = anyCaseOf(CURRENCIES, { note: "In any case", example: "USD" });
export const created = timestamp({ note: "ISO 8601, UTC" });
export const decimal = text({ note: "Decimal string with two places", example: "25.00" });

/** Parameters of lists that page by number (docs/rest-api.md, Lists). */
export const paging = {
  page: optional(queryInteger({ min: 1, max: 1_000_000_000, note: "Page number, from 1" })),
  limit: optional(queryInteger({ min: 1, max: 100, note: "Results per page, 50 by default" })),
};

/** Parameters of lists that grow without end, newest first. */
export const cursored = {
  cursor: optional(text({ note: "nextCursor of the page before" })),
  limit: optional(queryInteger({ min: 1, max: 100, note: "Results per page, 50 by default" })),
};

export const DEFAULT_LIMIT = 50;

/** A page by number. */
export function page<T>(item: Field<T, false>) {
  return object({
    items: list(item, { max: 100 }),
    meta: object({
      page: integer({ min: 1 }),
      pageSize: integer({ min: 1 }),
      pageCount: integer({ min: 0 }),
      total: integer({ min: 0 }),
    }),
  });
}

/** A page by cursor. */
export function cursorPage<T>(item: Field<T, false>) {
  return object({
    items: list(item, { max: 100 }),
    meta: object({ nextCursor: nullable(text()) }),
  });
}
