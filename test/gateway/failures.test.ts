// Failures behind the gateway: its answers, its log lines, and its shutdown.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import gateway from "../../services/gateway/gateway.service.ts";
import { ConfigError } from "../../shared/config/config.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { createBroker } from "../../shared/rpc/broker.ts";
import { failing, type Probe, startProbe } from "../support/probe.ts";
import { refusal } from "../support/refusal.ts";
import { testEnvironment, until } from "../support/system.ts";

const INTERNAL = "Something went wrong. Please try again.";
const UNAVAILABLE = "Temporarily unavailable. Please try again.";
const UNKNOWN = "The withdrawal may have been accepted. Check its status before trying again.";

let probe: Probe;

/** A gateway with a POST /fail that throws the error. */
async function withFailure(failure: () => never): Promise<Probe> {
  probe = await startProbe({ failure });
  return probe;
}
afterEach(() => probe?.stop());

describe("an action that fails", () => {
  test("with an error of the table answers only its status and message", async () => {
    const data = { secret: "kept", limit: 1 };
    const { http } = await withFailure(failing("RATE_LIMITED", "Slow down", data));
    const { status, body, headers, text } = await http.post("/fail");
    expect({ status, body }).toEqual({
      status: 429,
      body: refusal("Slow down"),
    });
    expect(headers["retry-after"]).toBeUndefined();
    expect(text).not.toContain("kept");
  });

  test("with an unknown outcome answers the id of what may have been made, and nothing else", async () => {
    const data = { id: "0198c0de-7a51-7000-8000-3f1d5a2b9c01", secret: "kept", errors: ["kept"] };
    const { http } = await withFailure(failing("OUTCOME_UNKNOWN", undefined, data as never));
    const { status, body, headers } = await http.post("/fail");
    expect([status, headers["retry-after"]]).toEqual([500, undefined]);
    expect(body).toEqual({
      success: false,
      message: UNKNOWN,
      fatal: true,
      code: "withdrawal_outcome_unknown",
      requestId: headers["x-request-id"],
      data: { id: data.id },
    });
  });

  test.each([[undefined], [{ id: "made", errors: "all" }], [{ errors: [] }]])(
    "by a validation without fields, with the data %j, answers an empty list of them",
    async (data) => {
      const { http } = await withFailure(failing("VALIDATION", "It is wrong", data as never));
      const { status, body, headers } = await http.post("/fail");
      expect([status, body]).toEqual([
        400,
        {
          success: false,
          message: "It is wrong",
          fatal: true,
          code: "validation_failed",
          requestId: headers["x-request-id"],
          errors: [],
        },
      ]);
    },
  );

  test("because a service is away says when to ask again", async () => {
    for (const [retryAfterS, expected] of [
      [undefined, "5"],
      [1.2, "2"],
    ] as const) {
      const { http } = await withFailure(failing("UNAVAILABLE", undefined, { retryAfterS }));
      const { status, headers } = await http.post("/fail");
      expect([status, headers["retry-after"]]).toEqual([503, expected]);
      await probe.stop();
    }
  });

  test("by a rate limit answers with the time of the next try and the limit", async () => {
    const rateLimit = { limit: 1, remaining: 0, windowS: 60, resetS: 42 };
    const { http } = await withFailure(
      failing("RATE_LIMITED", undefined, { retryAfterS: 41.2, rateLimit }),
    );
    const { headers } = await http.post("/fail");
    expect(headers["retry-after"]).toBe("42");
    expect(headers.ratelimit).toBe('"withdrawals";r=0;t=42');
    expect(headers["ratelimit-policy"]).toBe('"withdrawals";q=1;w=60');
  });

  test.each([
    ["a plain error", new Error("account 123456789 at mongodb://user:pass@host")],
    ["an error of another table", Object.assign(new Error("no"), { type: "SQL", code: 404 })],
    ["a type that an object inherits", Object.assign(new Error("no"), { type: "toString" })],
    ["an error with a status", Object.assign(new Error("teapot"), { statusCode: 418 })],
  ])(
    "with %s is a 500 without details; the log has them under the same request id",
    async (_, error) => {
      const { http, log } = await withFailure(() => {
        throw error;
      });
      const { status, body, headers } = await http.post("/fail");
      expect({ status, body }).toEqual({
        status: 500,
        body: refusal(INTERNAL),
      });
      const [line] = log.filter(({ level }) => level === "error");
      expect(line?.fields).toMatchObject({
        requestId: headers["x-request-id"],
        route: "/fail",
        cause: { message: error.message, stack: expect.any(String) },
      });
    },
  );

  test("by a timeout is a 503, or a 500 with an unknown outcome for a payment", async () => {
    probe = await startProbe();
    const { http } = probe;
    const [silent, money] = await Promise.all([http.post("/silent"), http.post("/silent-money")]);
    expect([silent.status, silent.body.message]).toEqual([503, UNAVAILABLE]);
    expect([money.status, money.body.message]).toEqual([500, UNKNOWN]);
    expect(money.headers["retry-after"]).toBeUndefined();
  });
});

describe("the log", () => {
  test("has one line per request: the route's pattern without path, query or body", async () => {
    probe = await startProbe();
    const { http, log } = probe;
    const answer = await http.post("/public/planted-path?planted=query", { name: "planted-body" });
    await http.get("/planted-unknown");
    await until(() => log.length >= 3);
    const lines = log.slice(-2).map(({ fields }) => fields);
    expect(lines).toEqual([
      {
        method: "POST",
        route: "/public/:id",
        status: 200,
        durationMs: expect.any(Number),
        requestId: answer.headers["x-request-id"],
        traceId: expect.stringMatching(/^[\da-f]{32}$/),
      },
      expect.objectContaining({ method: "GET", route: null, status: 404 }),
    ]);
    expect(JSON.stringify(log)).not.toContain("planted");
  });
});

describe("closing", () => {
  test("finishes running requests and answers 503 to new ones", async () => {
    probe = await startProbe();
    const { server, port, http, raw, release, waiting, stopGateway } = probe;
    const letIn = http.post("/wait");
    await until(() => waiting() === 1);
    const half = await halfRequest(server, port);

    const closed = stopGateway();
    await until(() => !server.listening);
    await expect(raw("GET / HTTP/1.1\r\n\r\n")).rejects.toThrow("ECONNREFUSED");
    const refused = await half.complete();
    expect(refused).toMatch(/^HTTP\/1.1 503 /);
    expect(refused).toContain(`"message":"${UNAVAILABLE}"`);
    expect(refused).toMatch(/retry-after: \d/i);
    expect(waiting()).toBe(1);

    release();
    const { status, headers } = await letIn;
    expect([status, headers.connection]).toEqual([200, "close"]);
    await closed;
  });
});

/** A request to /wait; the server has only its first line until it is completed. */
async function halfRequest(server: Server, port: number) {
  let seen: Socket | undefined;
  server.once("connection", (socket) => {
    seen = socket;
  });
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  let answer = "";
  socket.on("data", (chunk: string) => {
    answer += chunk;
  });
  socket.write("POST /wait HTTP/1.1\r\n");
  await until(() => seen && seen.bytesRead > 0);
  return {
    async complete(): Promise<string> {
      socket.write("Host: a\r\nContent-Length: 0\r\n\r\n");
      await once(socket, "close");
      return answer;
    },
  };
}

describe("a port that cannot be opened", () => {
  test("ends the start with one sentence that names PORT", async () => {
    const occupier = createServer();
    await new Promise<void>((resolve) => {
      occupier.listen(0, "127.0.0.1", resolve);
    });
    const { port } = occupier.address() as AddressInfo;
    const config = loadConfig(testEnvironment({ PORT: String(port), LOG_LEVEL: "fatal" }));
    const broker = createBroker(config, "late");
    broker.createService(gateway(config));
    const error = await broker.start().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as Error).message).toBe(`PORT ${port} is in use; set PORT to a free one.`);
    await broker.stop();
    occupier.close();
  });
});
