// Contracts: an action's parameters, its result, its expected errors, its timeout, the parts of
// `meta` that it reads and the services that may call it; and an event's payload. The validation,
// the types, the OpenAPI document, docs/generated/actions.md and the permissions on NATS are all
// made from them.

import type { ErrorType } from "../errors.ts";
import { CURRENCIES } from "../money.ts";
import type { ServiceName } from "../rpc/service-names.ts";
import { either, list, object } from "./compound-fields.ts";
import { type Field, type Fields, type Infer, nullable, optional } from "./field.ts";
import {
  anyCaseOf,
  id,
  integer,
  normalised,
  oneOf,
  queryInteger,
  text,
  timestamp,
} from "./fields.ts";

/**
 * A part of `meta` that an action reads. An action with `actor` refuses a call without one with
 * UNAUTHORIZED. An action with `creation` keeps its answer for the caller's Idempotency-Key
 * (shared/rpc/idempotency.ts).
 */
export type MetaPart = "actor" | "deadline" | "idempotency" | "creation";

export interface Contract<P extends Fields = Fields, R = unknown, M extends MetaPart = MetaPart> {
  does: string;
  params: P;
  result: Field<R, false>;
  meta: readonly M[];
  /** In addition to VALIDATION, INTERNAL and UNAVAILABLE, which every action may answer. */
  errors: ErrorType[];
  /** The time that a caller waits, in milliseconds; infinite only for a route of several calls. */
  timeoutMs: number;
  /** The services that may call it; the NATS server refuses the call of any other service. */
  callers: readonly ServiceName[];
  /** The parameter with the id of the account that it posts to; its partition's owner is called. */
  postsTo?: string;
}

export const DEFAULT_TIMEOUT_MS = 5_000;
/** The part of the time before a deadline, in ms, in which the answer goes back to the caller. */
export const WAY_BACK_MS = 500;
/** How long after the start of a request its postings may start, in ms. */
export const POSTED_WITHIN_MS = DEFAULT_TIMEOUT_MS - WAY_BACK_MS;

export function action<P extends Fields, R, const M extends MetaPart = never>({
  meta = [],
  errors = [],
  timeoutMs = DEFAULT_TIMEOUT_MS,
  callers = ["gateway"],
  ...contract
}: Pick<Contract<P, R, M>, "does" | "params" | "result"> & Partial<Contract<P, R, M>>): Contract<
  P,
  R,
  M
> {
  const reads = (part: MetaPart) => meta.some((each) => each === part);
  const all: ErrorType[] = [
    ...(reads("actor") ? (["UNAUTHORIZED"] as const) : []),
    ...errors,
    ...(reads("creation") ? (["STILL_RUNNING", "KEY_REUSED"] as const) : []),
  ];
  return { ...contract, meta, errors: all, timeoutMs, callers };
}

/** The action by which a service reports that it works; withDatabase implements it. */
export const ready = action({
  does: "Answers while the service and its database work",
  params: {},
  result: object({}),
});

/** An event that a service broadcasts over the broker. */
export interface EventContract<P extends Fields = Fields> {
  sender: ServiceName;
  sent: string;
  payload: P;
}

export type ParamsOf<C> = C extends Contract<infer P, unknown> ? Infer<P> : never;
export type ResultOf<C> = C extends Contract<Fields, infer R> ? R : never;

/** Fields of many contracts. */
export const currency = oneOf(CURRENCIES, {
  name: "Currency",
  note: "The currency, by ISO 4217",
  example: "USD",
});
export const currencyInPath = anyCaseOf(CURRENCIES, {
  note: "The currency, in any case",
  example: "USD",
});
export const created = timestamp({ note: "When it was created" });
export const changed = timestamp({ note: "When it last changed" });
export const businessId = id({ note: "The id of the business" });

/** The field of an amount in an answer: a decimal string in the currency's major unit. */
export function money(
  note: string,
  example = "25.00",
  pattern = "^[0-9]+\\.[0-9]{2}$",
): Field<string, false> {
  return text({
    note: `${note}. A decimal string with two places`,
    example,
    keywords: { pattern },
  });
}
/** An amount that may be below zero. */
export function signedMoney(note: string, example?: string): Field<string, false> {
  return money(note, example, "^-?[0-9]+\\.[0-9]{2}$");
}
export const decimal = money("The amount");

/** The header by which a repeated request gets the first answer again. */
export const idempotencyKey = normalised(
  (given) => (/^[\x21-\x7e]{1,255}$/.test(given) ? given : null),
  "1 to 255 visible ASCII characters",
  { maxLength: 255 },
  {
    keywords: { pattern: "^[\\x21-\\x7e]+$" },
    note: "A repeat with the same key and body gets the first answer again, for at least 24 hours",
    example: "order-1042",
  },
);

export const DEFAULT_LIMIT = 50;

/**
 * The query parameter for the number of results on a page, 1 to 100.
 * @param byDefault the number without the parameter
 */
export function pageLimit(byDefault: number) {
  return optional(
    queryInteger({ min: 1, max: 100, note: "The number of results on a page", default: byDefault }),
  );
}

/** Parameters of lists that page by number only (docs/integrate/rest-api.md, Lists). */
export const numbered = {
  page: optional(
    queryInteger({ min: 1, max: 1_000_000_000, note: "The page, from 1", default: 1 }),
  ),
  limit: pageLimit(DEFAULT_LIMIT),
};

const cursor = optional(
  text({ note: "The nextCursor of the page before; left out for the first page" }),
);

/** Parameters of lists that grow without end, newest first. */
export const cursored = { cursor, limit: pageLimit(DEFAULT_LIMIT) };

/** Parameters of lists that page by number, or by cursor if the newest come first. */
export const paging = {
  ...numbered,
  order: optional(
    oneOf(["oldest", "newest"], {
      note: "Which results come first: with `oldest` the list pages by number, with `newest` by `cursor`",
      default: "oldest",
    }),
  ),
  cursor,
};

const pageMeta = object(
  {
    page: integer({ min: 1, note: "The page", example: 1 }),
    pageSize: integer({ min: 1, note: "The greatest number of results on a page", example: 50 }),
    pageCount: integer({ min: 0, note: "The number of pages", example: 1 }),
    total: integer({ min: 0, note: "The number of results on all pages", example: 1 }),
  },
  { name: "PageMeta", note: "Where the page is in its list" },
);

const cursorMeta = object(
  {
    nextCursor: nullable(
      text({
        note: "The cursor of the next page; null on the last page",
        example: "0198c0de-7a51-7000-8000-3f1d5a2b9c01",
      }),
    ),
  },
  { name: "CursorMeta", note: "How to get the next page" },
);

const anyMeta = either(pageMeta, cursorMeta, {
  name: "ListMeta",
  note: "Where the page is in its list, or how to get the next page",
});

function pageWith<T, M>(item: Field<T, false>, meta: Field<M, false>) {
  return object({ items: list(item, { max: 100 }), meta });
}

/** A page of a list with the parameters `numbered`. */
export function numberedPage<T>(item: Field<T, false>) {
  return pageWith(item, pageMeta);
}

/** A page of a list with the parameters `cursored`. */
export function cursorPage<T>(item: Field<T, false>) {
  return pageWith(item, cursorMeta);
}

/** A page of a list with the parameters `paging`. */
export function page<T>(item: Field<T, false>) {
  return pageWith(item, anyMeta);
}
