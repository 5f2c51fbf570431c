// Connections to the gateway: those that are too many, and those that do not go on with their request,
// are closed, so that they take nothing from the others.

import { connect, type Socket } from "node:net";
import { type Probe, startProbe } from "../support/probe.ts";

const open: Socket[] = [];

/** Closes all open connections first, because the probe waits for its connections before it stops. */
async function stop(probe: Probe): Promise<void> {
  for (const socket of open.splice(0)) socket.destroy();
  await probe.stop();
}

interface Connection {
  connected: Promise<void>;
  /** All that came, once the other side has closed it. */
  closed: Promise<string>;
}

/** A connection that sends the texts and then one byte after another; nothing where there is no text. */
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

describe("a connection that does not go on", () => {
  const HEAD = "POST /public/1 HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
  const CASES: [name: string, texts: string[]][] = [
    ["sends its headers byte by byte", ["POST /public/1 HTTP/1.1\r\n", "Host: a\r\nX-A: "]],
    ["sends its body byte by byte", [`${HEAD}Content-Length: 100000\r\n\r\n`, '{"name":"']],
    ["sends a request line without an end", ["POST /public/"]],
    ["sends nothing", []],
  ];

  test.each(CASES)("and %s is closed, and runs nothing", async (_name, texts) => {
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

test("a connection beyond the limit is closed at once, logged once, and others go on", async () => {
  const probe = await startProbe({ limits: { maxConnections: 3 } });
  try {
    // The probe's own client has one.
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
