// Connections to the gateway: it closes connections over its limit, connections with a stalled
// request and those whose client never closes its half, so that the others keep their places.

import { connect, type Socket } from "node:net";
import { type Probe, startProbe } from "../support/probe.ts";
import { until } from "../support/system.ts";

const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});

/** Closes the open connections first, because the probe waits for them before it stops. */
async function stop(probe: Probe): Promise<void> {
  for (const socket of open.splice(0)) socket.destroy();
  await probe.stop();
}

interface Connection {
  connected: Promise<void>;
  /** All received bytes, once the server has closed the connection. */
  closed: Promise<string>;
}

/** A connection that sends the texts and then single bytes; without texts it sends no byte. */
function connection(port: number, texts: string[] = []): Connection {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  open.push(socket);
  let received = "";
  const rest = [...texts];
  const send = () => socket.write(rest.shift() ?? "a");
  const timer = texts.length > 0 ? setInterval(send, 10) : undefined;
  socket.on("data", (chunk: string) => {
    received += chunk;
  });
  // A socket that is closed during a write has an error; the tests look only at its `close`.
  socket.on("error", () => undefined);
  const connected = new Promise<void>((resolve) => {
    socket.on("connect", resolve);
  });
  const closed = new Promise<string>((resolve) => {
    socket.on("close", () => {
      clearInterval(timer);
      resolve(received);
    });
  });
  return { connected, closed };
}

describe("a stalled connection", () => {
  const HEAD = "POST /public/1 HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
  const CASES: [name: string, texts: string[]][] = [
    ["sends its headers byte by byte", ["POST /public/1 HTTP/1.1\r\n", "Host: a\r\nX-A: "]],
    ["sends its body byte by byte", [`${HEAD}Content-Length: 100000\r\n\r\n`, '{"name":"']],
    ["sends a request line without an end", ["POST /public/"]],
    ["sends no byte", []],
  ];

  test.each(CASES)("that %s is closed, and runs no action", async (_name, texts) => {
    const probe = await startProbe({
      limits: { headersTimeoutMs: 100, requestTimeoutMs: 200, checkedEveryMs: 50 },
    });
    try {
      expect(await connection(probe.port, texts).closed).toMatch(/^HTTP\/1.1 408 Request Timeout/);
      expect(probe.echoed).toEqual([]);
      expect((await probe.http.post("/public/1", { name: "a" })).status).toBe(200);
    } finally {
      await stop(probe);
    }
  });
});

test("a connection over the limit is closed at once and logged once, and others keep working", async () => {
  const probe = await startProbe({ limits: { maxConnections: 3 } });
  try {
    // The probe's own client holds one connection.
    expect((await probe.http.post("/public/1", { name: "a" })).status).toBe(200);
    for (let i = 0; i < 2; i += 1) await connection(probe.port).connected;
    for (let i = 0; i < 3; i += 1) expect(await connection(probe.port).closed).toBe("");
    expect((await probe.http.post("/public/1", { name: "a" })).status).toBe(200);
    const warned = probe.log.filter(({ level }) => level === "warn");
    expect(warned).toEqual([{ level: "warn", fields: { maxConnections: 3 } }]);
  } finally {
    await stop(probe);
  }
});

/** A connection whose client never closes its half, and sends the last text again and again. */
function rudeConnection(port: number, texts: string[]): { received(): string } {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }).setEncoding("utf8");
  open.push(socket);
  let received = "";
  socket.on("data", (chunk: string) => {
    received += chunk;
  });
  socket.on("error", () => undefined);
  const [first = "", again = ""] = texts;
  socket.write(first);
  const more = () => {
    while (again !== "" && !socket.destroyed && socket.write(again));
  };
  socket.on("drain", more);
  more();
  return { received: () => received };
}

describe("a client that never closes its half keeps no place after its last answer", () => {
  const head = (line: string, ...more: string[]) =>
    [`${line} HTTP/1.1`, "Host: a", ...more, "", ""].join("\r\n");
  const BODY = "x".repeat(65_536);
  const ENDLESS = ["Content-Type: application/json", "Content-Length: 2000000000"];
  const CHUNKED = ["Content-Type: application/json", "Transfer-Encoding: chunked"];
  const CHUNK = `10000\r\n${BODY}\r\n`;
  const CASES: [name: string, status: number, texts: string[]][] = [
    ["sends nothing", 408, []],
    ["sends garbage", 400, ["GARBAGE\r\n\r\n"]],
    ["sends garbage without an end", 400, ["GARBAGE\r\n\r\n", BODY]],
    ["sends large headers", 431, [`GET / HTTP/1.1\r\nX-A: ${"a".repeat(20_000)}`, BODY]],
    ["connects", 405, [head("CONNECT a:443"), BODY]],
    ["sends no Host", 400, ["GET / HTTP/1.1\r\n\r\n", ""]],
    ["declares a body without a token", 401, [head("POST /echo/1", ...ENDLESS)]],
    ["sends a body without a token", 401, [head("POST /echo/1", ...ENDLESS), BODY]],
    ["sends chunks without a token", 401, [head("POST /echo/1", ...CHUNKED), CHUNK]],
    ["sends a body to an unknown path", 404, [head("POST /nope", ...ENDLESS), BODY]],
    ["sends a body with another method", 405, [head("PUT /echo/1", ...ENDLESS), BODY]],
    ["sends a body of another type", 415, [head("POST /public/1", ENDLESS[1] as string), BODY]],
    ["declares a large body", 413, [head("POST /public/1", ...ENDLESS)]],
    ["sends a large body", 413, [head("POST /public/1", ...CHUNKED), CHUNK]],
    ["sends a body to a page", 200, [head("GET /docs", ...ENDLESS), BODY]],
    ["waits to send", 401, [head("POST /echo/1", ...ENDLESS, "Expect: 100-continue")]],
    ["sends anyway", 401, [head("POST /echo/1", ...ENDLESS, "Expect: 100-continue"), BODY]],
    ["speaks HTTP/1.0", 200, ["GET / HTTP/1.0\r\n\r\n"]],
    ["closes its answers", 200, [head("GET /", "Connection: close")]],
  ];

  test("whatever it was answered for, and its body is not read", async () => {
    const limits = { headersTimeoutMs: 3_000, requestTimeoutMs: 3_000, checkedEveryMs: 100 };
    const probe = await startProbe({ limits });
    const read: Socket[] = [];
    probe.server.on("connection", (socket) => read.push(socket));
    try {
      const sent = CASES.map(([name, status, texts]) => ({
        name,
        status,
        ...rudeConnection(probe.port, texts),
      }));
      await until(() => read.length === CASES.length && read.every(({ destroyed }) => destroyed));
      for (const { name, status, received } of sent) {
        // "100 Continue" would ask for the body.
        expect({ name, answer: received().split("\r\n", 1)[0] }).toEqual({
          name,
          answer: expect.stringContaining(`HTTP/1.1 ${status} `),
        });
      }
      for (const { bytesRead } of read) expect(bytesRead).toBeLessThan(1_000_000);
      expect(probe.echoed).toEqual([]);
    } finally {
      await stop(probe);
    }
  });

  test("also if it does not read its answers", async () => {
    const probe = await startProbe({ limits: { answerTimeoutMs: 200 } });
    const read: Socket[] = [];
    probe.server.on("connection", (socket) => read.push(socket));
    try {
      const socket = connect({ port: probe.port, host: "127.0.0.1", allowHalfOpen: true });
      socket.on("error", () => undefined);
      open.push(socket);
      socket.write(head("GET /openapi.json").repeat(1_000));
      await until(() => read.length === 1 && read[0]?.destroyed);
    } finally {
      await stop(probe);
    }
  });
});

describe("bytes that are no request are answered after the requests before them", () => {
  const body = '{"name":"a"}';
  const REQUEST = [
    "POST /public/1 HTTP/1.1",
    "Host: a",
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "",
    body,
  ].join("\r\n");
  const CASES: [name: string, bytes: string, statuses: string[]][] = [
    ["too long a body", `${REQUEST}}`, ["200", "400"]],
    ["two requests and garbage", `${REQUEST}${REQUEST}\0`, ["200", "200", "400"]],
    ["CONNECT", `${REQUEST}CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n`, ["200", "405"]],
    [
      "a request with a malformed body",
      `${REQUEST}${REQUEST.replace(/Content-Length: \d+/, "Transfer-Encoding: chunked")}`,
      ["200", "400"],
    ],
    ["headers that are too large", `${REQUEST}GET /${"a".repeat(20_000)}`, ["200", "431"]],
  ];
  let probe: Probe;
  beforeAll(async () => {
    probe = await startProbe();
  });
  afterAll(() => stop(probe));

  test.each(CASES)("%s", async (_name, bytes, statuses) => {
    const answers = await connection(probe.port, [bytes]).closed;
    expect(answers.match(/(?<=HTTP\/1.1 )\d+/g)).toEqual(statuses);
  });
});

test("a client that waits for 100 Continue gets it where the body is read", async () => {
  const probe = await startProbe();
  try {
    const { received } = rudeConnection(probe.port, [
      "POST /public/1 HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 12\r\nExpect: 100-continue\r\n\r\n",
    ]);
    await until(() => received().includes("\r\n\r\n"));
    expect(received()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    open.at(-1)?.write('{"name":"a"}');
    await until(() => received().includes("HTTP/1.1 200 OK"));
    expect(probe.echoed).toEqual([{ id: "1", name: "a" }]);
  } finally {
    await stop(probe);
  }
});
