// A collector of traces that is away.

import { loadConfig } from "../../shared/config/env.ts";
import { inSpan, newOrigin } from "../../shared/observability/spans.ts";
import { createBroker } from "../../shared/rpc/broker.ts";
import { workFor } from "../../shared/rpc/origin.ts";
import { freePort } from "../../tools/platform/ports.ts";
import { testEnvironment, until } from "../support/system.ts";

test("a collector that is away fails nothing, and is reported once a minute", async () => {
  const config = loadConfig(
    testEnvironment({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
      TRACE_SAMPLE_RATIO: "1",
    }),
  );
  const broker = createBroker(config, "alone");
  await broker.start();
  const warn = jest.spyOn(broker.tracer.logger, "warn").mockImplementation(() => {});
  const work = async () => "done";
  const facts = { kind: "internal" as const, attributes: {} };
  const record = () => workFor([newOrigin(config, "begin")], () => inSpan("work", facts, work));
  expect(await record()).toBe("done");
  await until(async () => {
    expect(await record()).toBe("done");
    return warn.mock.calls.length > 0;
  });
  const startedAt = Date.now();
  await record();
  await broker.stop();
  // Its last spans are given up, and the process ends.
  expect(Date.now() - startedAt).toBeLessThan(10_000);
  expect(warn.mock.calls).toEqual([["Spans were not sent", { error: expect.any(Error) }]]);
});
