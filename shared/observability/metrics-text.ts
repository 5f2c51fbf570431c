// The text of a process's metrics for Prometheus, by Moleculer's reporter without its own server.
// The reporter leaves out the sum and the count of a histogram without quantiles, so histograms are
// written here. Moleculer's metrics are kept to those of use: its others have a series for each
// processor or caller, or show arguments and the environment of the process.

import moleculer, { type ServiceBroker } from "moleculer";

/** The metrics of Moleculer that are shown. */
export const MOLECULER_METRICS = [
  "moleculer.request.error.total",
  "moleculer.request.time",
  "moleculer.registry.nodes.online.total",
  "moleculer.transit.publish.total",
  "moleculer.transit.receive.total",
  "moleculer.transporter.packets.sent.bytes",
  "moleculer.transporter.packets.received.bytes",
  "process.memory.heap.size.total",
  "process.memory.heap.size.used",
  "process.memory.rss",
  "process.memory.external",
  "process.uptime",
  "process.internal.active.handles",
  "os.memory.free",
  "os.memory.total",
  "os.cpu.utilization",
  "os.cpu.load.1",
];
const OURS = /^payrail_/;
/** Of requests; Moleculer has more labels, such as the caller and the code of an error. */
const LABELS = ["action", "type", "errorType"];

/** The parts of Moleculer's metrics that this file changes and reads. */
interface Metric {
  name: string;
  type: string;
  description?: string;
  labelNames: string[];
  rate?: boolean;
  quantiles?: number[];
  buckets?: number[];
  values: Map<string, Series>;
}

interface Series {
  labels: Record<string, string>;
  count: number;
  sum: number;
  bucketValues: Record<number, number>;
}

const IGNORED = { increment() {}, decrement() {}, set() {}, observe() {} };

/**
 * Makes Moleculer's metrics cheaper at each call: without metrics that are not shown, rates and
 * quantiles (Moleculer keeps every value of these for a minute), and with fewer labels of requests.
 */
export function slimMetrics({ metrics }: ServiceBroker): void {
  for (const metric of metrics.store.values() as Iterable<unknown> as Iterable<Metric>) {
    if (!isShown(metric.name)) Object.assign(metric, IGNORED);
    metric.rate = false;
    delete metric.quantiles;
    if (metric.name.startsWith("moleculer.request.")) {
      metric.labelNames = metric.labelNames.filter((label) => LABELS.includes(label));
    }
  }
}

/** @param broker with metrics */
export function metricsText({ metrics: registry }: ServiceBroker): string {
  const reporter = new Text();
  reporter.init(registry);
  const all = [...registry.store.values()] as unknown as Metric[];
  const histograms = all.filter(({ name, type }) => isShown(name) && type === "histogram");
  return [reporter.generatePrometheusResponse(), ...histograms.flatMap((metric) => lines(metric))]
    .filter((part) => part !== "")
    .map((part) => `${part.trimEnd()}\n`)
    .join("");

  function lines(metric: Metric): string[] {
    const name = metric.name.replaceAll(".", "_");
    const { description, buckets = [], values } = metric;
    if (values.size === 0) return [];
    const samples = [...values.values()].flatMap(({ labels, count, sum, bucketValues }) => [
      ...buckets.map(
        (le) => `${name}_bucket${reporter.labelsToStr(labels, { le })} ${bucketValues[le]}`,
      ),
      `${name}_bucket${reporter.labelsToStr(labels, { le: "+Inf" })} ${count}`,
      `${name}_sum${reporter.labelsToStr(labels)} ${sum}`,
      `${name}_count${reporter.labelsToStr(labels)} ${count}`,
    ]);
    return [`# HELP ${name} ${description}`, `# TYPE ${name} histogram`, ...samples];
  }
}

function isShown(name: string): boolean {
  return OURS.test(name) || MOLECULER_METRICS.includes(name);
}

class Text extends moleculer.MetricReporters.Prometheus {
  /** Without the server of the reporter. */
  override init(registry: ServiceBroker["metrics"]): void {
    this.registry = registry;
  }

  override matchMetricName(name: string): boolean {
    return isShown(name) && this.typeOf(name) !== "histogram";
  }

  /** Counters alone end in `_total`, as Prometheus' own check of names (promtool) wants it. */
  override formatMetricName(name: string): string {
    const bare = name.replace(/[._]total$/, "");
    return this.typeOf(name) === "counter" ? `${bare}_total` : bare;
  }

  private typeOf(name: string): string {
    return (this.registry.getMetric(name) as unknown as Metric).type;
  }
}
