// The requests that are recorded, and the spans of a batch.

import { loadConfig } from "../../shared/config/env.ts";
import { beginTrace, inSpan } from "../../shared/observability/spans.ts";
import { gather } from "../../shared/resumable/gather.ts";
import { createBroker } from "../../shared/rpc/broker.ts";
import { newTraceId, type Origin, workFor } from "../../shared/rpc/origin.ts";
import { type Collector, startCollector } from "../support/collector.ts";
import { testEnvironment } from "../support/system.ts";
import { startWorld } from "../support/world.ts";

const FACTS = { kind: "internal" as const, attributes: {} };

let collector: Collector;
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(() => collector.close());

function tracing(endpoint: string, ratio = "1") {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, TRACE_SAMPLE_RATIO: ratio };
}

/** A started broker, which sends its spans at the latest when it stops. */
async function startBroker(endpoint: string) {
  const broker = createBroker(loadConfig(testEnvironment(tracing(endpoint))), "alone");
  await broker.start();
  return broker;
}

function begin(isRecorded = true): Origin {
  const { origin, span } = beginTrace(
    { requestId: "r", traceId: newTraceId(), isRecorded },
    "request",
    FACTS,
  );
  span?.end();
  return origin;
}

test("a batch is in the trace of each recorded request, and of no other", async () => {
  const broker = await startBroker(collector.url);
  const batch = gather((items: number[]) => inSpan("batch", FACTS, async () => items), {
    maxItems: 10,
  });
  const all = [begin(), begin(), begin(false)];
  await Promise.all(all.map((origin, i) => workFor([origin], () => batch(i))));
  await broker.stop();
  const [one, other] = all;
  expect(collector.spans.filter(({ name }) => name === "batch")).toMatchObject([
    {
      traceId: one?.traceId,
      parentSpanId: one?.spanId,
      attributes: { "payrail.batch.requests": 3 },
    },
    { traceId: other?.traceId, parentSpanId: other?.spanId, service: "alone" },
  ]);
});

test("a failed span has the type of its error, and no message", async () => {
  const broker = await startBroker(collector.url);
  const work = () => Promise.reject(new TypeError("4242424242424242"));
  const failing = workFor([begin()], () => inSpan("failing", FACTS, work));
  await expect(failing).rejects.toThrow(TypeError);
  await broker.stop();
  const failed = collector.spans.find(({ name }) => name === "failing");
  expect(failed).toMatchObject({ status: { code: 2 }, attributes: { "error.type": "TypeError" } });
  expect(JSON.stringify(collector.spans)).not.toContain("4242");
});

const ID = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";

test("a client's trace goes on if its header is well formed", async () => {
  const world = await startWorld({ environment: tracing(collector.url) });
  const send = (id: string, traceparent: string) =>
    world.http.get("/health/live", { headers: { "x-request-id": id, traceparent } });
  await send("recorded", `00-${ID}-${PARENT}-01`);
  for (const malformed of [
    `00-${"0".repeat(32)}-${PARENT}-01`,
    `00-${ID}-${"0".repeat(16)}-01`,
    `ff-${ID}-${PARENT}-01`,
    `00-${ID.toUpperCase()}-${PARENT}-01`,
    `00-${ID}-${PARENT}-01-more`,
    "nonsense",
  ]) {
    await send("malformed", malformed);
  }
  await send("left out", `00-${ID}-${PARENT}-00`);
  await world.stop();
  const requests = collector.spans.filter(({ name }) => name === "GET /health/live");
  const [first, ...others] = requests;
  expect(first).toMatchObject({ traceId: ID, parentSpanId: PARENT });
  expect(others).toHaveLength(6);
  for (const span of others) {
    expect(span.traceId).not.toBe(ID);
    expect(span.parentSpanId).toBeFalsy();
  }
});

test("with a ratio of 0 nothing is sent, even for a client that asks for it", async () => {
  const world = await startWorld({ environment: tracing(collector.url, "0") });
  await world.payer(10);
  await world.http.get("/health/live", { headers: { traceparent: `00-${ID}-${PARENT}-01` } });
  await world.stop();
  expect(collector.spans).toEqual([]);
});
