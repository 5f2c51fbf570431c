// The labels that each shown metric has.

import { METRICS, type MetricDefinition } from "../../shared/observability/metrics.ts";
import { MOLECULER_METRICS } from "../../shared/observability/metrics-text.ts";

/** The labels of Moleculer's metrics of requests that metrics-text.ts leaves. */
const REQUEST_LABELS = ["action", "type", "errorType"];

/**
 * The labels of a metric, without those that Prometheus adds and without `le` of histograms.
 * @param name as in the text; a histogram's with _bucket, _sum or _count
 * @returns null if payrail shows no such metric
 */
export function labelsOf(name: string): readonly string[] | null {
  const plain = name.replace(/_(bucket|sum|count)$/, "");
  const ours: MetricDefinition | undefined = Object.entries<MetricDefinition>(METRICS).find(
    ([each, { type }]) => each === (type === "histogram" ? plain : name),
  )?.[1];
  if (ours) return ours.labels;
  const theirs = MOLECULER_METRICS.map((each) => each.replaceAll(".", "_"));
  if (![name, plain].some((each) => theirs.includes(each))) return null;
  return name.startsWith("moleculer_request_") ? REQUEST_LABELS : [];
}
