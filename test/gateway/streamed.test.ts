// Answers in parts: a short text is one answer with a length, a long one is sent while it is made,
// and one that fails is cut off, so that its reader does not take the beginning for the whole.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { write } from "../../services/gateway/http/answer.ts";
import { inParts } from "../../services/gateway/http/streamed.ts";
import { until } from "../support/system.ts";

let server: Server;
/** What the answers' text is made of. */
let texts: () => AsyncIterable<string>;
const cuts: unknown[] = [];

beforeAll(async () => {
  server = createServer((_request, response) => {
    void inParts(texts()).then(
      (body) => write(response, { status: 200, body }, {}, (cause) => cuts.push(cause)),
      () => write(response, { status: 500, body: "" }, {}, () => {}),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  cuts.length = 0;
});

const get = (method = "GET") =>
  fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { method });

const LINE = `${"x".repeat(99)}\n`;

/** Lines of 100 characters, and then a failure if there is one. */
function lines(count: number, failure?: Error) {
  return async function* () {
    for (let i = 0; i < count; i++) yield LINE;
    if (failure) throw failure;
  };
}

test("a short text has a length", async () => {
  texts = lines(3);
  const response = await get();
  expect(response.headers.get("content-length")).toBe("300");
  expect(await response.text()).toBe(LINE.repeat(3));
});

test("a long text arrives whole", async () => {
  texts = lines(20_000);
  const response = await get();
  expect(response.headers.get("content-length")).toBeNull();
  expect(await response.text()).toBe(LINE.repeat(20_000));
  expect(cuts).toEqual([]);
});

test("HEAD gets the headers alone, and makes no more of the text", async () => {
  let made = 0;
  texts = async function* () {
    for (; made < 20_000; made++) yield LINE;
  };
  const response = await get("HEAD");
  expect([response.status, await response.text()]).toEqual([200, ""]);
  expect(made).toBeLessThan(20_000);
  expect(cuts).toEqual([]);
});

test("a failure before the first part is an ordinary error", async () => {
  texts = lines(3, new Error("away"));
  expect((await get()).status).toBe(500);
});

test("a failure after it cuts the answer off, and is told", async () => {
  const failure = new Error("away");
  texts = lines(20_000, failure);
  const response = await get();
  await expect(response.text()).rejects.toThrow();
  expect(cuts).toEqual([failure]);
});

test("a reader who leaves ends the text, and is no failure", async () => {
  let isEnded = false;
  texts = async function* () {
    try {
      for (;;) yield LINE;
    } finally {
      isEnded = true;
    }
  };
  const response = await get();
  await response.body?.cancel();
  await until(() => isEnded);
  expect(cuts).toEqual([]);
});
