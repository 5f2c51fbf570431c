// What a log line tells: its message and its details, in whatever order they were said, and of an error
// no more than its words.

import { Writable } from "node:stream";
import { pino } from "pino";
import { logLine } from "../shared/log.ts";

/** A logger as brokers have it, and the lines that it wrote. */
function logger() {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  });
  const log: unknown = pino({ hooks: { logMethod: logLine } }, stream);
  return { log: log as Record<"warn" | "error", (...args: unknown[]) => void>, lines };
}

test("details are told before a message and behind it", () => {
  const { log, lines } = logger();
  log.warn({ id: 1 }, "It failed");
  log.warn("It failed", { id: 1 });
  log.warn("It failed", "twice", 3, undefined);
  expect(lines).toMatchObject([
    { id: 1, msg: "It failed" },
    { id: 1, msg: "It failed" },
    { msg: "It failed twice 3" },
  ]);
});

test("what hangs on an error is not told, wherever the error is", () => {
  const { log, lines } = logger();
  const error = Object.assign(new TypeError("No answer"), {
    code: "ECONNRESET",
    type: "UNAVAILABLE",
    config: { data: { accountNumber: "7391826450913" } },
    cause: new Error("7391826450913"),
  });
  log.error(error);
  log.error("It failed", error);
  log.error({ id: 1, error }, "It failed");
  for (const line of lines) {
    expect(line.error).toEqual({
      name: "TypeError",
      message: "No answer",
      code: "ECONNRESET",
      type: "UNAVAILABLE",
      stack: expect.stringContaining("log.test.ts"),
    });
    expect(JSON.stringify(line)).not.toContain("7391826450913");
  }
  expect(lines).toHaveLength(3);
});
