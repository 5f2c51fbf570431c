// Tracing: sends the finished spans of Moleculer's tracer to an OpenTelemetry collector, by
// OpenTelemetry's own exporter, which batches and retries. Without a collector in the
// configuration none of it is loaded, and no span is made. A collector that is away costs spans
// and nothing else: the queue is bounded, and one warning a minute reports it.

import moleculer, { type BrokerOptions, type Span, type Tracer } from "moleculer";
import { within } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { NO_ORIGINS, workFor } from "../rpc/origin.ts";
import { recordWith } from "./spans.ts";
import { throttledWarning } from "./throttled-warning.ts";
import type { Sending } from "./tracing-otlp.ts";

export type Tracing = NonNullable<Config["tracing"]>;

/** The broker's options of tracing. @param service the name of the broker among the nodes */
export function tracingOptions(
  { tracing }: Pick<Config, "tracing">,
  service: string,
): BrokerOptions["tracing"] {
  if (!tracing) return false;
  const exporter = new OtlpExporter(tracing, service);
  // Moleculer's own spans of actions have the parameters in them, so rpc/middleware/spans.ts opens
  // ours.
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
    const warn = throttledWarning(performance, logger, "Spans were not sent", WARN_EVERY_MS);
    const resource = {
      "service.name": this.#service,
      "service.namespace": broker.namespace,
      "service.instance.id": broker.nodeID,
    };
    const { endpoint } = this.#tracing;
    this.#sending = import("./tracing-otlp.ts").then(({ startSending }) =>
      startSending(endpoint, resource, (error) => warn({ error })),
    );
    recordWith(tracer);
  }

  override spanFinished(span: Span): void {
    // Without origins, because the next batch is sent on behalf of all requests.
    workFor(NO_ORIGINS, () => void this.#sending?.then(({ send }) => send(span)));
  }

  override stop(): never {
    recordWith(null);
    const stopped = Promise.resolve(this.#sending?.then(({ stop }) => stop()));
    // Moleculer waits for the promise, although its types do not say so.
    return within(stopped, FLUSHED_WITHIN_MS) as never;
  }
}
