// Connections to the gateway: it closes connections over its limit and connections with a stalled
// request, so that the others keep their places.

import { connect, type Socket } from "node:net";
import { type Probe, startProbe } from "../support/probe.ts";

const open: Socket[] = [];

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
