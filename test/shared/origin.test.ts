// The origins that come with a call: a caller that was broken into may send any value.

import { NO_ORIGINS, type Origin, readOrigins } from "../../shared/rpc/origin.ts";

const ONE: Origin = { requestId: "req_1", traceId: "0af7651916cd43dd8448eb211c80319c" };
const RECORDED: Origin = { ...ONE, requestId: "req_2", spanId: "b7ad6b7169203331" };

test("the origins of a caller are used as they are", () => {
  const sent = [ONE, RECORDED];
  expect(readOrigins(sent)).toBe(sent);
});

test.each([
  ["nothing", undefined],
  ["a text", "req_1"],
  ["null among them", [ONE, null]],
  ["an id that is an object", [{ ...ONE, requestId: { $gt: "" } }]],
  ["a request's id that the gateway would not take", [{ ...ONE, requestId: "x".repeat(65) }]],
  ["a trace's id of another form", [{ ...ONE, traceId: "0" }]],
  ["a span's id of another form", [{ ...ONE, spanId: null }]],
  ["another field", [{ ...ONE, name: "Ann" }]],
  ["more than a batch has", Array.from({ length: 21 }, () => ONE)],
])("%s instead of origins counts as none", (_, sent) => {
  expect(readOrigins(sent)).toBe(NO_ORIGINS);
});
