// Origins: the ids of the requests that the running code works for. Each log line has them, each
// call to another service carries them, and documents keep them, so that the work of a request is
// found by its id on every node and at any later time.
//
// Code that one request runs has one origin. A gathered batch has the origins of its items. Work
// that no request caused, such as a sweep, has none, until it takes up a document that keeps one.

import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes, randomUUID } from "node:crypto";

/** As documents keep it. No hash, no ledger entry and no answer of the API has it in it. */
export interface Origin {
  /** The X-Request-Id of the request; a new id for work that payrail begins by itself. */
  requestId: string;
  /** W3C Trace Context: 32 hexadecimal digits. */
  traceId: string;
  /** The span that further work belongs to; set only if the trace is recorded. */
  spanId?: string;
}

/** The form of a request's id, which a client may choose. */
export const REQUEST_ID = /^[\w.:-]{1,64}$/;
const TRACE_ID = /^[\da-f]{32}$/;
const SPAN_ID = /^[\da-f]{16}$/;

/** The most origins of a batch: more would only make its messages and log lines longer. */
const MOST_ORIGINS = 20;
export const NO_ORIGINS: readonly Origin[] = [];

const storage = new AsyncLocalStorage<readonly Origin[]>();

/** The origins of the running code. */
export function origins(): readonly Origin[] {
  return storage.getStore() ?? NO_ORIGINS;
}

/** The origin that new documents keep: the only one of the running code. */
export function currentOrigin(): Origin | undefined {
  const all = origins();
  return all.length === 1 ? all[0] : undefined;
}

/**
 * The origins that came with a call; none if one of them has a wrong form. A broken-into caller may
 * send anything, and a wrong one would fail each log line, batch and event that it is part of.
 */
export function readOrigins(sent: unknown): readonly Origin[] {
  const isRight = Array.isArray(sent) && sent.length <= MOST_ORIGINS && sent.every(isOrigin);
  return isRight ? sent : NO_ORIGINS;
}

function isOrigin(sent: unknown): sent is Origin {
  const { requestId, traceId, spanId, ...others } = (sent ?? {}) as Record<string, unknown>;
  return (
    isLike(requestId, REQUEST_ID) &&
    isLike(traceId, TRACE_ID) &&
    (spanId === undefined || isLike(spanId, SPAN_ID)) &&
    Object.keys(others).length === 0
  );
}

function isLike(value: unknown, form: RegExp): boolean {
  return typeof value === "string" && form.test(value);
}

/** Runs work with these origins; its awaited work has them too. */
export function workFor<T>(all: readonly Origin[], work: () => T): T {
  return storage.run(all, work);
}

/** Runs work with the origin that a document keeps; without one the origins stay as they are. */
export function workForOrigin<T>(origin: Origin | undefined, work: () => T): T {
  return origin ? storage.run([origin], work) : work();
}

/** The origins of a batch of items, of which each has its own: those of recorded traces first. */
export function uniteOrigins(lists: (readonly Origin[])[]): readonly Origin[] {
  const [first = NO_ORIGINS, ...others] = lists;
  if (others.every((each) => each === first)) return first;
  const all = [...new Set(lists.flat())];
  if (all.length <= MOST_ORIGINS) return all;
  const recorded = all.filter(({ spanId }) => spanId);
  const rest = all.filter(({ spanId }) => !spanId);
  return [...recorded, ...rest].slice(0, MOST_ORIGINS);
}

/** The digits of a random UUID, because node keeps random bytes for those and for nothing else. */
export function newTraceId(): string {
  return randomUUID().replaceAll("-", "");
}

export function newSpanId(): string {
  return randomBytes(8).toString("hex");
}
