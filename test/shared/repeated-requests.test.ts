// The memory of requests: long enough for every copy, and no longer.

import { repeatedRequests } from "../../shared/rpc/repeated-requests.ts";

test("a request is a copy for half a minute, and forgotten after a minute", () => {
  let now = 0;
  const requests = repeatedRequests(() => now);
  const came = (id: string, sender = "payouts-1") => requests.isRepeated(sender, id);
  now = 29_999;
  expect(came("a")).toBe(false);
  expect(came("a")).toBe(true);
  expect([came("b"), came("a", "payouts-2")]).toEqual([false, false]);
  now += 30_000;
  expect(came("a")).toBe(true);
  now += 30_001;
  expect(came("a")).toBe(false);
});
