// Spans: the timed parts of a trace. They are recorded by Moleculer's tracer for the requests of
// which the trace is recorded; for all others, and without a collector, the work just runs.
//
// A batch works for several requests, and each of their traces has its spans.

import type { Span, Tracer } from "moleculer";
import type { Config } from "../config/config.ts";
import { errorType } from "../errors.ts";
import { newId } from "../ids.ts";
import { newSpanId, newTraceId, type Origin, origins, workFor } from "../rpc/origin.ts";

export type Attributes = Record<string, string | number | undefined>;

export interface SpanFacts {
  kind: "server" | "client" | "internal";
  /** By OpenTelemetry's conventions. Never an id of a customer's, an amount, or a URL. */
  attributes: Attributes;
}

export interface OpenSpan {
  /** The origins of the work under the span. */
  origins: readonly Origin[];
  /** Ends the span, as failed if a type of failure is given. */
  end(result?: { name?: string; attributes?: Attributes; failure?: string }): void;
}

let recorder: Tracer | null = null;

/** Begins to record with the tracer of this process's broker; null ends it. */
export function recordWith(tracer: Tracer | null): void {
  recorder = tracer;
}

/** The ids of a request, at the beginning of its trace in payrail. */
export interface Beginning {
  requestId: string;
  traceId: string;
  /** The caller's own span. */
  parentId?: string;
  isRecorded: boolean;
}

/** Begins the trace of a request, with its first span; no span if the trace is not recorded. */
export function beginTrace(
  { requestId, traceId, parentId, isRecorded }: Beginning,
  name: string,
  facts: SpanFacts,
): { origin: Origin; span: OpenSpan | null } {
  const origin: Origin = { requestId, traceId };
  if (!recorder || !isRecorded) return { origin, span: null };
  const opened = start(recorder, { origin, parentId }, name, facts);
  return { origin: opened.origin, span: openOver([opened]) };
}

/** The origin of work that payrail begins by itself, with a span that marks its beginning. */
export function newOrigin(config: Pick<Config, "tracing">, name: string): Origin {
  const ids = { requestId: newId(), traceId: newTraceId(), isRecorded: drawRecording(config) };
  const { origin, span } = beginTrace(ids, name, { kind: "internal", attributes: {} });
  span?.end();
  return origin;
}

/** Whether a trace is recorded: drawn once, where it begins, and then carried by its origin. */
export function drawRecording({ tracing }: Pick<Config, "tracing">): boolean {
  return tracing !== null && Math.random() < tracing.sampleRatio;
}

/** Opens a span under the running code's; null if no trace of it is recorded. */
export function openSpan(name: string, { kind, attributes }: SpanFacts): OpenSpan | null {
  const tracer = recorder;
  const all = origins();
  if (!tracer || !all.some(({ spanId }) => spanId)) return null;
  const size = all.length > 1 && { "payrail.batch.requests": all.length };
  const facts = { kind, attributes: { ...attributes, ...size } };
  return openOver(
    all.map((origin) =>
      origin.spanId ? start(tracer, { origin, parentId: origin.spanId }, name, facts) : { origin },
    ),
  );
}

interface Started {
  origin: Origin;
  span?: Span;
}

function start(
  tracer: Tracer,
  { origin, parentId }: { origin: Origin; parentId: string | undefined },
  name: string,
  { kind, attributes: tags }: SpanFacts,
): Required<Started> {
  const spanId = newSpanId();
  const ids = { id: spanId, traceID: origin.traceId, parentID: parentId ?? null };
  const span = tracer.startSpan(name, { ...ids, type: kind, sampled: true, tags });
  return { origin: { ...origin, spanId }, span };
}

function openOver(started: Started[]): OpenSpan {
  return {
    origins: started.map(({ origin }) => origin),
    end({ name, attributes, failure } = {}) {
      for (const { span } of started) {
        if (!span) continue;
        if (name) span.name = name;
        span.addTags({ ...attributes, ...(failure && { "error.type": failure }) });
        span.error = failure !== undefined;
        span.finish();
      }
    },
  };
}

/** Runs work in a span of its own. */
export async function inSpan<T>(
  name: string,
  facts: SpanFacts,
  work: () => Promise<T>,
): Promise<T> {
  const span = openSpan(name, facts);
  if (!span) return work();
  try {
    const result = await workFor(span.origins, work);
    span.end();
    return result;
  } catch (error) {
    span.end({ failure: failureType(error) });
    throw error;
  }
}

/** The type, code or class of an error, never its message. */
export function failureType(error: unknown): string {
  const { code, name = "_OTHER" } = (error ?? {}) as { code?: unknown; name?: string };
  return errorType(error) ?? (typeof code === "string" ? code : name);
}
