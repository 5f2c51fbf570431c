// Metrics: every metric of payrail's own, with its labels, and how code counts. The registry is
// Moleculer's, beside Moleculer's own metrics; metrics-text.ts writes both for Prometheus. A label
// has few values, and never an id. Counters and histograms are written where something happens.
// Gauges are read when Prometheus asks (scrape.ts): a service returns them from its method
// `gauges`.

import type { ServiceBroker } from "moleculer";

export interface MetricDefinition {
  type: "counter" | "gauge" | "histogram";
  /** One line; docs/operate/watch.md has it too (npm run docs). */
  help: string;
  labels: readonly string[];
  buckets?: readonly number[];
}

/** Seconds. */
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

export const METRICS = {
  payrail_http_requests_total: {
    type: "counter",
    help: "Answered requests, by the pattern of the route (none: no such route)",
    labels: ["route", "method", "status"],
  },
  payrail_http_request_seconds: {
    type: "histogram",
    help: "Time from a request to its answer",
    labels: ["route"],
    buckets: DURATIONS,
  },
  payrail_withdrawals_total: {
    type: "counter",
    help: "Requested withdrawals, by outcome: accepted, or the type of the error",
    labels: ["outcome"],
  },
  payrail_withdrawals_waiting: {
    type: "gauge",
    help: "Withdrawals that wait in this process, because its unsubmitted payouts are at the bound",
    labels: ["name"],
  },
  payrail_payouts_unsubmitted: {
    type: "gauge",
    help: "Begun payouts of this process whose first question to their rail is not over",
    labels: ["name"],
  },
  payrail_document_changes_total: {
    type: "counter",
    help: "Statuses that payouts, payments, refunds, subscriptions and invoices have entered",
    labels: ["kind", "status"],
  },
  payrail_documents_overdue: {
    type: "gauge",
    help: "Documents whose next step or relay is due, at most 10000; subscriptions are due to be billed",
    labels: ["kind"],
  },
  payrail_documents_oldest_overdue_seconds: {
    type: "gauge",
    help: "Time since the longest overdue step of a document was due",
    labels: ["kind"],
  },
  payrail_documents_flagged: {
    type: "gauge",
    help: "Documents that need an admin's attention, at most 10000",
    labels: ["kind"],
  },
  payrail_payouts_in_review: {
    type: "gauge",
    help: "Payouts that wait for a review, at most 10000",
    labels: [],
  },
  payrail_payouts_oldest_review_seconds: {
    type: "gauge",
    help: "Time since the longest waiting payout came into review; 0 if none waits",
    labels: [],
  },
  payrail_partner_request_seconds: {
    type: "histogram",
    help: "Time of a question to a partner, by the kind of the answer, timeout or error",
    labels: ["partner", "name", "operation", "outcome"],
    buckets: DURATIONS,
  },
  payrail_webhook_attempts_total: {
    type: "counter",
    help: "Attempts to deliver an event: 2xx, 3xx, 4xx, 5xx, or why there was no answer",
    labels: ["result"],
  },
  payrail_webhook_attempt_seconds: {
    type: "histogram",
    help: "Time of an attempt to deliver an event",
    labels: [],
    buckets: DURATIONS,
  },
  payrail_webhook_dead_letters_total: {
    type: "counter",
    help: "Deliveries that were given up when they were due, by reason",
    labels: ["reason"],
  },
  payrail_webhook_deliveries_pending: {
    type: "gauge",
    help: "Deliveries that are not ended, at most 10000",
    labels: [],
  },
  payrail_webhook_oldest_due_seconds: {
    type: "gauge",
    help: "Time since the longest waiting delivery was due for an attempt; 0 if none waits",
    labels: [],
  },
  payrail_ledger_blocks_total: {
    type: "counter",
    help: "Blocks that the ledger tried to append, by outcome",
    labels: ["outcome"],
  },
  payrail_ledger_block_transfers: {
    type: "histogram",
    help: "Transfers in an appended block",
    labels: [],
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000],
  },
  payrail_ledger_queued_operations: {
    type: "gauge",
    help: "Operations that wait for their decision in this process",
    labels: [],
  },
  payrail_ledger_tail_blocks: {
    type: "gauge",
    help: "Blocks that no checkpoint covers yet, of the partition that has most, in this process",
    labels: [],
  },
  payrail_ledger_checkpoint_lag_seconds: {
    type: "gauge",
    help: "Age of the oldest block that no checkpoint covers yet, in this process",
    labels: [],
  },
  payrail_verification_ok: {
    type: "gauge",
    help: "1 if the last recorded verification found no violation, else 0",
    labels: [],
  },
  payrail_verification_age_seconds: {
    type: "gauge",
    help: "Time since the last recorded verification ended",
    labels: [],
  },
  payrail_event_loop_lag_seconds: {
    type: "gauge",
    help: "Delay of the event loop since the gauges were read last: p50, p99, max",
    labels: ["statistic"],
  },
  payrail_process_cpu_seconds_total: {
    type: "counter",
    help: "Processor time of the process",
    labels: [],
  },
  payrail_mongodb_connections_in_use: {
    type: "gauge",
    help: "Connections of the service's pool with an operation; the pool has at most 20",
    labels: ["service"],
  },
  payrail_mongodb_waiting_operations: {
    type: "gauge",
    help: "Operations that wait for a connection of the service's pool",
    labels: ["service"],
  },
  payrail_nats_connected: {
    type: "gauge",
    help: "1 while the process is connected to NATS, else 0",
    labels: [],
  },
  payrail_nats_reconnects_total: {
    type: "counter",
    help: "Connections to NATS that were lost and made again",
    labels: [],
  },
} as const satisfies Record<string, MetricDefinition>;

type MetricName = keyof typeof METRICS;
type NameOf<T extends MetricDefinition["type"]> = {
  [N in MetricName]: (typeof METRICS)[N]["type"] extends T ? N : never;
}[MetricName];
type Labels<N extends MetricName> = Record<(typeof METRICS)[N]["labels"][number], string>;

export interface Metrics {
  count<N extends NameOf<"counter">>(name: N, labels: Labels<N>, by?: number): void;
  /** @param value in the metric's unit */
  observe<N extends NameOf<"histogram">>(name: N, value: number, labels: Labels<N>): void;
}

/** The value of a gauge at this moment. */
export interface Gauge {
  name: NameOf<"gauge">;
  value: number;
  labels: Record<string, string>;
}

export function gauge<N extends NameOf<"gauge">>(name: N, value: number, labels: Labels<N>): Gauge {
  return { name, value, labels };
}

/** Metrics that nothing reads, as in a process without PROBE_PORT. */
export const NO_METRICS: Metrics = { count() {}, observe() {} };

/** The metrics of a broker's process. */
export function metricsOf(broker: ServiceBroker): Metrics {
  const { metrics: registry } = broker;
  if (!registry.isEnabled()) return NO_METRICS;
  for (const [name, definition] of Object.entries<MetricDefinition>(METRICS)) {
    if (registry.hasMetric(name)) continue;
    const { type, help: description, labels, buckets } = definition;
    const options = { name, description, labelNames: [...labels] };
    if (type === "counter") registry.register({ ...options, type });
    if (type === "gauge") registry.register({ ...options, type });
    if (type === "histogram")
      registry.register({ ...options, type, buckets: [...(buckets ?? [])] });
  }
  return {
    count: (name, labels, by = 1) => registry.increment(name, labels, by),
    observe: (name, value, labels) => registry.observe(name, value, labels),
  };
}
