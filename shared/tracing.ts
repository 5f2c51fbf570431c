// Tracing: sends the finished spans of Moleculer's tracer to an OpenTelemetry collector, by
// OpenTelemetry's own exporter, which batches, compresses and retries. Without a collector in the
// configuration none of it is loaded, and no span is made. A collector that is away costs spans
// and nothing else: the queue is bounded, and one warning a minute reports it.

import type { SpanKind } from "@opentelemetry/api";
import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";
import moleculer, { type BrokerOptions, type Span, type Tracer } from "moleculer";
import { systemClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { NO_ORIGINS, workFor } from "./origin.ts";
import { recordWith, type SpanFacts } from "./spans.ts";
import { throttledWarning } from "./throttled-warning.ts";

export type Tracing = NonNullable<Config["tracing"]>;

/** The broker's options of tracing. @param service the name of the broker among the nodes */
export function tracingOptions(
  { tracing }: Pick<Config, "tracing">,
  service: string,
): BrokerOptions["tracing"] {
  if (!tracing) return false;
  const exporter = new OtlpExporter(tracing, service);
  // Moleculer's own spans of actions have the parameters in them, so shared/actions.ts opens ours.
  return { enabled: true, actions: false, exporter: exporter as never };
}

const WARN_EVERY_MS = 60_000;
/** The longest time that the last spans hold up the end of a process. */
const FLUSHED_WITHIN_MS = 2_000;

class OtlpExporter extends moleculer.TracerExporters.Base {
  readonly #tracing: Tracing;
  readonly #service: string;
  #sending: Promise<Sending> | undefined;

  constructor(tracing: Tracing, service: string) {
    super({});
    this.#tracing = tracing;
    this.#service = service;
  }

  override init(tracer: Tracer): void {
    super.init(tracer);
    const { broker, logger } = tracer;
    const warn = throttledWarning(systemClock, logger, "Spans were not sent", WARN_EVERY_MS);
    const resource = {
      "service.name": this.#service,
      "service.namespace": broker.namespace,
      "service.instance.id": broker.nodeID,
    };
    this.#sending = startSending(this.#tracing, resource, (error) => warn({ error }));
    recordWith(tracer);
  }

  override spanFinished(span: Span): void {
    // Without origins, because the next batch is sent on behalf of all requests.
    workFor(NO_ORIGINS, () => void this.#sending?.then(({ send }) => send(span)));
  }

  override async stop(): Promise<void> {
    recordWith(null);
    const stopped = this.#sending?.then(({ stop }) => stop());
    if (stopped) await systemClock.within(stopped, FLUSHED_WITHIN_MS);
  }
}

interface Sending {
  send(span: Span): void;
  stop(): Promise<void>;
}

async function startSending(
  { endpoint }: Tracing,
  attributes: Record<string, string>,
  onError: (error: unknown) => void,
): Promise<Sending> {
  const [{ OTLPTraceExporter }, { BatchSpanProcessor }, { resourceFromAttributes }] =
    await Promise.all([
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/resources"),
    ]);
  const exporter = reporting(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }), onError);
  const processor: SpanProcessor = new BatchSpanProcessor({ exporter });
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
        done({ ...result, code: 0 });
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

const KINDS: Record<SpanFacts["kind"], SpanKind> = { internal: 0, server: 1, client: 2 };
const SAMPLED = 1;
const UNSET = 0;
const ERROR = 2;

/** A span of Moleculer's in OpenTelemetry's form. */
function toReadable(span: Span, resource: ReadableSpan["resource"]): ReadableSpan {
  const { name, type, id, traceID: traceId, parentID, startTime, finishTime, error } = span;
  const context = (spanId: string) => ({ traceId, spanId, traceFlags: SAMPLED });
  const from = startTime ?? 0;
  const to = finishTime ?? from;
  return {
    name,
    kind: KINDS[type as SpanFacts["kind"]],
    spanContext: () => context(id),
    ...(parentID && { parentSpanContext: context(parentID) }),
    startTime: toHrTime(from),
    endTime: toHrTime(to),
    duration: toHrTime(to - from),
    status: { code: error ? ERROR : UNSET },
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
