// Sends Moleculer's spans by OpenTelemetry's exporter. Only tracing.ts imports this file, and only
// if there is a collector, because it loads OpenTelemetry's packages.

import { SpanKind, SpanStatusCode, TraceFlags } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from "@opentelemetry/sdk-trace";
import type { Span } from "moleculer";

export interface Sending {
  /** Queues a span, or drops it if the queue is full. */
  send(span: Span): void;
  /** Sends the spans that are left. */
  stop(): Promise<void>;
}

/**
 * Sends spans in batches.
 * @param endpoint the collector's base URL
 * @param attributes of the process that the spans come from
 * @param onError is called with the error of a batch that is lost
 */
export function startSending(
  endpoint: string,
  attributes: Record<string, string>,
  onError: (error: unknown) => void,
): Sending {
  const exporter = reporting(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }), onError);
  const processor = new BatchSpanProcessor({ exporter });
  const resource = resourceFromAttributes(attributes);
  return {
    send: (span) => processor.onEnd(toReadable(span, resource)),
    stop: () => processor.shutdown(),
  };
}

/** Reports a failed export here, because OpenTelemetry's own report is global to the process. */
function reporting(exporter: SpanExporter, onError: (error: unknown) => void): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error) onError(result.error);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

const KINDS: Record<string, SpanKind> = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
};

/** A span of Moleculer's in OpenTelemetry's form. */
function toReadable(span: Span, resource: ReadableSpan["resource"]): ReadableSpan {
  const { name, type, id, traceID: traceId, parentID, startTime, finishTime, error } = span;
  const context = (spanId: string) => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED });
  const from = startTime ?? 0;
  const to = finishTime ?? from;
  return {
    name,
    kind: KINDS[type] ?? SpanKind.INTERNAL,
    spanContext: () => context(id),
    ...(parentID && { parentSpanContext: context(parentID) }),
    startTime: toHrTime(from),
    endTime: toHrTime(to),
    duration: toHrTime(to - from),
    status: { code: error ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: span.tags,
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: "payrail" },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Seconds and nanoseconds of a time in milliseconds. */
function toHrTime(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}
