// One exchange with a receiver of any behaviour: the exchange ends in time, keeps a small part of
// the answer, and leaves no connection open.

import type { Socket } from "node:net";
import { setImmediate as immediate } from "node:timers/promises";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { gzipSync } from "node:zlib";
import { checkedLookup } from "../../services/webhooks/exchange/destination.ts";
import { type Client, createClient } from "../../services/webhooks/exchange/exchange.ts";
import { systemClock } from "../../shared/clock.ts";
import { newId } from "../../shared/ids.ts";
import { aCertificate, type Certificate } from "../support/certificate.ts";
import { until } from "../support/system.ts";
import { answering, endlessly, type RawServer, startRawServer } from "./raw-server.ts";

const HASTY_MS = 500;
/** A timeout for answers that must begin before the deadline. */
const BRISK_MS = 3_000;
const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const BODY = JSON.stringify({ eventType: "TEST", status: "TEST", payload: {} });

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** Every name resolves to this machine. */
const lookup = checkedLookup(async () => [{ address: "127.0.0.1", family: 4 }], true);

const SETTINGS = {
  timeoutMs: 20_000,
  connections: 4,
  kept: 100,
  connectionAgeMs: 60_000,
  lookup,
  clock: systemClock,
};

function aClient(overrides: Partial<Parameters<typeof createClient>[0]> = {}): Client {
  const client = createClient({ ...SETTINGS, ...overrides });
  stops.push(client.close);
  return client;
}

async function aServer(
  serve: (socket: Socket) => void,
  certificate?: Certificate,
): Promise<RawServer> {
  const server = await startRawServer(serve, certificate);
  stops.push(server.stop);
  return server;
}

function aMessage({ port }: RawServer, { endpointId = newId(), scheme = "http" } = {}) {
  const url = `${scheme}://hooks.example.com:${port}/hooks`;
  return { endpointId, url, headers: { "content-type": "application/json" }, body: BODY };
}

describe("an exchange without an end is ended at its deadline, and its connection is closed", () => {
  const CASES: [string, (socket: Socket) => void, number | null][] = [
    ["no byte", () => undefined, null],
    ["a byte of the status line now and then", endlessly("HTTP/1.1 200 ", "O", 20), null],
    ["a header now and then", endlessly("HTTP/1.1 200 OK\r\n", "x-more: 1\r\n", 20), null],
    ["a byte of a header now and then", endlessly("HTTP/1.1 200 OK\r\nx-long: ", "x", 20), null],
    ["early hints now and then", endlessly("", "HTTP/1.1 103 Early Hints\r\n\r\n", 20), null],
    ["a status 102 now and then", endlessly("", "HTTP/1.1 102 Processing\r\n\r\n", 20), null],
    [
      "a byte of the body now and then",
      endlessly("HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n", "x", 20),
      200,
    ],
    [
      "a chunk now and then",
      endlessly("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "1\r\nx\r\n", 20),
      200,
    ],
    [
      "a byte of a chunk's extension now and then",
      endlessly("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;a=", "b", 20),
      200,
    ],
    ["less than was announced", answering("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok"), 200],
  ];
  // All of them wait for their deadlines at the same time.
  const exchanges = new Map<string, Promise<unknown>>();
  beforeAll(() => {
    for (const [name, serve, statusCode] of CASES) {
      const timeoutMs = statusCode === null ? HASTY_MS : BRISK_MS;
      exchanges.set(
        name,
        exchange(serve, timeoutMs).catch((error: Error) => error),
      );
    }
  });

  /** @returns the answer, after the connection is closed */
  async function exchange(serve: (socket: Socket) => void, timeoutMs: number) {
    const server = await startRawServer(serve);
    const client = createClient({ ...SETTINGS, timeoutMs });
    const answer = await client.send(aMessage(server));
    await until(() => server.open() === 0);
    client.close();
    await server.stop();
    return answer;
  }

  test.each(CASES)("%s", async (name, _serve, statusCode) => {
    expect(await exchanges.get(name)).toMatchObject({
      statusCode,
      errorClass: "timeout",
      error: "No complete answer in time",
    });
  });

  test("a TLS handshake that is never answered", async () => {
    const server = await aServer(() => undefined);
    const message = aMessage(server, { scheme: "https" });
    const answer = await aClient({ timeoutMs: HASTY_MS }).send(message);

    expect(answer).toMatchObject({ statusCode: null, errorClass: "timeout" });
    await until(() => server.connections === 1 && server.open() === 0);
  });
});

describe("an invalid or endless answer is cut off", () => {
  const chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
  test.each<[string, (socket: Socket) => void]>([
    ["no status line", answering("hello\r\n\r\n")],
    ["HTTP/0.9", (socket) => void socket.once("data", () => socket.end("<html>ok</html>"))],
    ["another protocol", answering("SSH-2.0-OpenSSH_9.6\r\n")],
    ["HTTP/2", answering("\0\0\u0012\u0004\0\0\0\0\0\0\u0003\0\0\0d")],
    ["a status of five digits", answering("HTTP/1.1 20000 OK\r\ncontent-length: 0\r\n\r\n")],
    ["a status that is not a number", answering("HTTP/1.1 OK\r\ncontent-length: 0\r\n\r\n")],
    ["an upgrade", answering("HTTP/1.1 101 Go\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n")],
    ["a status below 100", answering("HTTP/1.1 099 No\r\ncontent-length: 0\r\n\r\n")],
    ["a status of zero", answering("HTTP/1.1 000 No\r\ncontent-length: 0\r\n\r\n")],
    ["a status of two digits", answering("HTTP/1.1 99 No\r\ncontent-length: 0\r\n\r\n")],
    ["endless 100s", endlessly("", "HTTP/1.1 100 Continue\r\n\r\n".repeat(1_000))],
    [
      "two lengths",
      answering("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok"),
    ],
    ["a length that is not a number", answering("HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n")],
    ["an invalid chunk", answering(`${chunked}zz\r\n`)],
    ["one endless header", endlessly("HTTP/1.1 200 OK\r\nx: ", "x".repeat(10_000))],
    ["endless headers", endlessly("HTTP/1.1 200 OK\r\n", "x-more: 1\r\n".repeat(1_000))],
    ["an endless reason", endlessly("HTTP/1.1 200 ", "x".repeat(10_000))],
    ["endless early hints", endlessly("", "HTTP/1.1 103 Early\r\n\r\n".repeat(1_000))],
    ["an endless extension of a chunk", endlessly(`${chunked}1;a=`, "b".repeat(10_000))],
    ["endless trailers", endlessly(`${chunked}0\r\n`, "x-more: 1\r\n".repeat(1_000))],
  ])("%s", async (_case, serve) => {
    const server = await aServer(serve);
    const answer = await aClient().send(aMessage(server));

    expect(answer).toMatchObject({ errorClass: "protocol" });
    await until(() => server.open() === 0);
  });
});

test("one answering address among several is enough", async () => {
  const server = await aServer(answering(OK));
  const addresses = [
    { address: "::1", family: 6 },
    { address: "127.0.0.1", family: 4 },
  ];
  const client = aClient({ lookup: checkedLookup(async () => addresses, true) });
  expect(await client.send(aMessage(server))).toMatchObject({ statusCode: 200, errorClass: null });
});

test("the connection fails if no server answers at one address or at several", async () => {
  const server = await aServer(answering(OK));
  const message = aMessage(server);
  await server.stop();
  stops.pop();
  const addresses = [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ];
  for (const some of [addresses, addresses.slice(0, 1)]) {
    const client = aClient({ lookup: checkedLookup(async () => some, true) });
    expect(await client.send(message)).toMatchObject({
      statusCode: null,
      errorClass: "connection",
      error: "The connection was refused",
    });
  }
});

test.each<[string, (socket: Socket) => void]>([
  ["closes at once", (socket) => void socket.destroy()],
  ["resets at once", (socket) => void socket.resetAndDestroy()],
  ["closes instead of answering", (socket) => void socket.once("data", () => socket.end())],
  [
    "closes within its answer",
    (socket) =>
      void socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok")),
  ],
])("an exchange with a receiver that %s fails", async (_case, serve) => {
  const server = await aServer(serve);
  const answer = await aClient().send(aMessage(server));
  expect(answer.errorClass).toMatch(/^(connection|protocol)$/);
  await until(() => server.open() === 0);
});

test.each<[string, string, number]>([
  ["an empty 200", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", 200],
  ["a 204 with a body", "HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\nok", 204],
  ["HTTP/1.0 that ends with its connection", "HTTP/1.0 200 OK\r\n\r\nok", 200],
  ["the answer to a HEAD of HTTP/1.0 with a blank reason", "HTTP/1.0 200 \r\n\r\n", 200],
  ["a 200 without a reason", "HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n", 200],
  ["a 299", "HTTP/1.1 299 Fine\r\ncontent-length: 0\r\n\r\n", 299],
])("%s is a success", async (_case, text, statusCode) => {
  const server = await aServer((socket) => void socket.once("data", () => socket.end(text)));
  const answer = await aClient().send(aMessage(server));
  expect(answer).toMatchObject({ statusCode, errorClass: null, error: null });
});

describe("a valid answer counts, however a server or a proxy writes it", () => {
  const head = (...lines: string[]) => `HTTP/1.1 200 OK\r\n${lines.join("\r\n")}\r\n`;
  const repeated = (name: string, ...values: string[]) =>
    head(...values.map((value) => `${name}: ${value}`), "content-length: 2", "", "ok");
  const chunks = "\r\n2\r\nok\r\n0\r\n";
  const chunked = head("transfer-encoding: chunked", "");
  const interim = [100, 102, 103, 104, 110, 199].map((status): [string, string] => [
    `after a status ${status}`,
    `HTTP/1.1 ${status} So Far\r\n\r\n${OK}`,
  ]);
  // Every header of which a proxy may add a second one, those with one value by their definition
  // too.
  const names = [
    ...["retry-after", "date", "server", "content-type", "etag", "expires", "last-modified", "age"],
    ...["location", "set-cookie", "via", "vary", "cache-control", "connection", "keep-alive"],
    ...["content-encoding", "www-authenticate", "x-request-id", "strict-transport-security"],
  ];
  const CASES: [string, string][] = [
    ...interim,
    ["after two 100s", `${"HTTP/1.1 100 Continue\r\n\r\n".repeat(2)}${OK}`],
    ["after a 100 with headers", `HTTP/1.1 100 Continue\r\ndate: x\r\nvia: 1.1 a\r\n\r\n${OK}`],
    ["after a 100 of HTTP/1.0", `HTTP/1.0 100 Continue\r\n\r\n${OK}`],
    ["after 100, 102, 103", [100, 102, 103].map((s) => `HTTP/1.1 ${s} A\r\n\r\n`).join("") + OK],
    ...names.map((name): [string, string] => [`with ${name} twice`, repeated(name, "1", "2")]),
    ["with blanks after its length", head("content-length: 2 ", "", "ok")],
    ["with tabs around its length", head("content-length:\t2\t \t", "", "ok")],
    ["with a length of zero and a blank", head("content-length: 0 ", "")],
    ["with leading zeros in its length", head("content-length: 002", "", "ok")],
    ["with blanks around its coding", head("transfer-encoding: \tchunked  ", chunks)],
    ["with a coding in capitals", head("Transfer-Encoding: CHUNKED", chunks)],
    ["with an extension of a chunk", `${chunked}2;x=y\r\nok\r\n0\r\n\r\n`],
    ["with a blank before an extension", `${chunked}2 ;x=y\r\nok\r\n0\r\n\r\n`],
    ["with a quoted extension", `${chunked}2;x="a;b"\r\nok\r\n0;y\r\n\r\n`],
    ["with a blank after a chunk's size", `${chunked}2 \r\nok\r\n0 \r\n\r\n`],
    ["with leading zeros in a chunk's size", `${chunked}0002\r\nok\r\n000\r\n\r\n`],
    ["with trailers", `${chunked}2\r\nok\r\n0\r\nx-sum: 1\r\nx-sum: 2\r\n\r\n`],
    ["with a folded header", head("x-note: one", " two", "\tthree", "content-length: 2", "", "ok")],
    ["with an empty header", head("x-empty:", "content-length: 2", "", "ok")],
    ["with a header in Latin-1", head("x-name: caf\u00e9", "content-length: 2", "", "ok")],
    ["with line ends of LF alone", "HTTP/1.1 200 OK\ncontent-length: 2\n\nok"],
    ["with an empty line before it", `\r\n${OK}`],
    ["with a length and a coding", head("content-length: 9", "transfer-encoding: chunked", chunks)],
  ];

  test.each(CASES)("%s, in one piece and byte by byte", async (_case, text) => {
    const bytes = Buffer.from(text, "latin1");
    const whole = await aServer((socket) => void socket.on("data", () => socket.write(bytes)));
    const split = await aServer((socket) => {
      const rest = Array.from(bytes, (byte) => Buffer.of(byte));
      const next = () => {
        const byte = rest.shift();
        if (byte) socket.write(byte, () => setImmediate(next));
      };
      socket.setNoDelay(true).once("data", next);
    });
    for (const server of [whole, split]) {
      const answer = await aClient({ timeoutMs: BRISK_MS }).send(aMessage(server));
      expect(answer).toMatchObject({ statusCode: 200, errorClass: null, error: null });
    }
  });

  test.each([200, 204, 503])("a %d tells its longest Retry-After", async (status) => {
    const text = `HTTP/1.1 ${status} A\r\nretry-after: 120\r\nRetry-After: 240\r\n\r\n`;
    const server = await aServer((socket) => void socket.once("data", () => socket.end(text)));
    const answer = await aClient().send(aMessage(server));
    expect(answer).toMatchObject({
      statusCode: status,
      errorClass: status === 503 ? "status" : null,
      retryAfterMs: 240_000,
    });
  });
});

test("a fault of our own is thrown, because it says nothing about the receiver", async () => {
  for (const error of [
    Object.assign(new Error("too many open files"), { code: "EMFILE" }),
    new TypeError("a mistake of this code"),
  ]) {
    const client = aClient({ lookup: (_name, _options, callback) => callback(error, "") });
    const server = await aServer(answering(OK));
    await expect(client.send(aMessage(server))).rejects.toBe(error);
  }
});

test("an answer before the whole event was read counts, and the connection is closed", async () => {
  const server = await aServer((socket) => void socket.end(OK));
  const client = aClient();
  // If the answer arrives before the client has begun to send, it is not an answer to the event.
  const { errorClass } = await client.send({ ...aMessage(server), body: "x".repeat(8_000_000) });
  expect(["connection", "protocol", null]).toContain(errorClass);
  await until(() => server.open() === 0);
});

test.each([300, 301, 302, 303, 307, 308])(
  "a redirect (%d) is a failure and is not followed",
  async (status) => {
    const target = await aServer(answering(OK));
    const location = `http://hooks.example.com:${target.port}/`;
    const server = await aServer(
      answering(`HTTP/1.1 ${status} Go\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`),
    );
    const answer = await aClient().send(aMessage(server));
    expect(answer).toMatchObject({ statusCode: status, errorClass: "status", error: null });
    expect(target.connections).toBe(0);
  },
);

test.each([199, 400, 404, 410, 418, 429, 500, 503, 599, 600, 999])(
  "a status of %d is a failure",
  async (status) => {
    const server = await aServer(
      (socket) =>
        void socket.once("data", () =>
          socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 2\r\n\r\nno`),
        ),
    );
    const answer = await aClient({ timeoutMs: 2_000 }).send(aMessage(server));
    expect(answer.errorClass).not.toBeNull();
    if (status >= 200) expect(answer).toMatchObject({ statusCode: status, response: "no" });
  },
);

describe("the answer's body", () => {
  async function responseTo(body: Buffer, headers = "", client = aClient()) {
    const server = await aServer((socket) => {
      socket.once("data", () => {
        socket.write(`HTTP/1.1 500 No\r\n${headers}content-length: ${body.length}\r\n\r\n`);
        socket.write(body);
      });
    });
    return (await client.send(aMessage(server))).response;
  }

  test("is kept as text up to 1,024 bytes", async () => {
    expect(await responseTo(Buffer.from("no such order"))).toBe("no such order");
    expect(await responseTo(Buffer.from("a".repeat(1_025)))).toBe("a".repeat(1_024));
    expect(await responseTo(Buffer.alloc(200_000, "b"))).toBe("b".repeat(1_024));
    expect(await responseTo(Buffer.alloc(0))).toBeNull();
  });

  test("is kept without a character that the bound cuts", async () => {
    expect(await responseTo(Buffer.from(`${"a".repeat(1_022)}€uro`))).toBe("a".repeat(1_022));
  });

  test("is kept with replacements for invalid, control and direction characters", async () => {
    const body = Buffer.concat([
      Buffer.from("one\r\ntwo\tthree\nfour\0\u001b[31m\u0085\u202e\r"),
      Buffer.from([0xff, 0xfe]),
    ]);
    expect(await responseTo(body)).toBe(
      "one\ntwo\tthree\nfour\ufffd\ufffd[31m\ufffd\ufffd\ufffd\ufffd\ufffd",
    );
  });

  test("is not decompressed", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const response = await responseTo(bomb, "content-encoding: gzip\r\n");
    expect(response?.length).toBeLessThanOrEqual(1_024);
    expect(response).toContain("\ufffd");
  });

  test("is kept as far as it came before the deadline", async () => {
    const server = await aServer(
      answering("HTTP/1.1 500 No\r\ncontent-length: 99\r\n\r\nnot all of it"),
    );
    const answer = await aClient({ timeoutMs: BRISK_MS }).send(aMessage(server));
    expect(answer).toMatchObject({
      statusCode: 500,
      errorClass: "timeout",
      response: "not all of it",
    });
  });

  test("is read up to a bound if it is endless, and the status decides the result", async () => {
    const server = await aServer(
      endlessly("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n", "x".repeat(10_000)),
    );
    const answer = await aClient().send(aMessage(server));
    expect(answer).toMatchObject({ statusCode: 200, errorClass: null });
    expect(answer.response).toHaveLength(1_024);
    await until(() => server.open() === 0);
  });
});

describe("connections", () => {
  test("are reused for the same endpoint, and never for another endpoint with the same URL", async () => {
    const server = await aServer(answering(OK));
    const client = aClient();
    const first = newId();
    const second = newId();

    for (let i = 0; i < 5; i += 1) {
      await client.send(aMessage(server, { endpointId: first }));
      // The client reuses a connection after one turn of the loop, because its receiver may have
      // closed it.
      await immediate();
    }
    expect(server.connections).toBe(1);
    await client.send(aMessage(server, { endpointId: second }));
    expect(server.connections).toBe(2);
  });

  test("that were reset while idle do not fail the next exchange", async () => {
    const sockets: Socket[] = [];
    const server = await aServer((socket) => {
      sockets.push(socket);
      answering(OK)(socket);
    });
    const client = aClient();
    const message = aMessage(server);

    expect(await client.send(message)).toMatchObject({ errorClass: null });
    sockets[0]?.resetAndDestroy();
    await until(() => server.open() === 0);
    const [before] = [server.connections];
    const answer = await until(async () => {
      const each = await client.send(message);
      return each.errorClass === null && each;
    });
    expect(answer.statusCode).toBe(200);
    expect(server.connections).toBe(before + 1);
  });

  test("are replaced after a maximum age even if busy, because a name's address may change", async () => {
    const server = await aServer(answering(OK));
    const client = aClient({ connectionAgeMs: 1 });
    const message = aMessage(server);

    await until(async () => {
      expect(await client.send(message)).toMatchObject({ errorClass: null });
      return server.connections > 2;
    });
    await until(() => server.open() <= 1);
  });

  test("of an endpoint above the bound are closed after their exchanges", async () => {
    const held: Socket[] = [];
    const slow = await aServer((socket) => {
      socket.once("data", () => held.push(socket));
    });
    const quick = await aServer(answering(OK));
    const client = aClient({ kept: 0 });

    const inFlight = client.send(aMessage(slow));
    await until(() => held.length === 1);
    expect(await client.send(aMessage(quick))).toMatchObject({ errorClass: null });
    held[0]?.write(OK);

    expect(await inFlight).toMatchObject({ statusCode: 200, errorClass: null });
    await until(() => slow.open() === 0);
  });

  test("are all closed with the client, after the exchanges in flight", async () => {
    const server = await aServer(() => undefined);
    const client = aClient();
    const sending = [client.send(aMessage(server)), client.send(aMessage(server))];
    await until(() => server.open() === 2);

    client.close();

    const answers = await Promise.all(sending);
    expect(answers.map(({ errorClass }) => errorClass)).toEqual(["connection", "connection"]);
    await until(() => server.open() === 0);
  });

  test("of one endpoint are limited, and further exchanges wait", async () => {
    const held: Socket[] = [];
    const server = await aServer((socket) => void socket.on("data", () => held.push(socket)));
    const client = aClient({ connections: 2 });
    const endpointId = newId();
    const sending = [1, 2, 3].map(() => client.send(aMessage(server, { endpointId })));

    await until(() => held.length === 2);
    held[0]?.write(OK);
    await until(() => held.length === 3);
    for (const socket of held.slice(1)) socket.write(OK);

    for (const answer of await Promise.all(sending)) expect(answer.statusCode).toBe(200);
    expect(server.connections).toBe(2);
  });
});

describe("over TLS", () => {
  const name = "hooks.example.com";
  const day = 86_400_000;
  const good = aCertificate({ name });
  const other = aCertificate({ name: "hooks.example.org" });
  const expired = aCertificate({ name, from: new Date(0), to: new Date(Date.now() - day) });
  const early = aCertificate({
    name,
    from: new Date(Date.now() + day),
    to: new Date(Date.now() + 2 * day),
  });
  const unknown = aCertificate({ name });
  const ordinary = getCACertificates();

  beforeAll(() => {
    const trusted = [good, other, expired, early].map(({ cert }) => cert);
    setDefaultCACertificates([...ordinary, ...trusted]);
  });
  afterAll(() => setDefaultCACertificates(ordinary));

  test("an event arrives if the certificate is valid", async () => {
    const server = await aServer(answering(OK), good);
    const answer = await aClient().send(aMessage(server, { scheme: "https" }));
    expect(answer).toMatchObject({ statusCode: 200, errorClass: null, response: "ok" });
  });

  test.each([
    ["for another name", other],
    ["expired", expired],
    ["not yet valid", early],
    ["signed by an untrusted issuer", unknown],
  ])(
    "a certificate that is %s is not accepted, and no data is sent",
    async (_case, certificate) => {
      let received = 0;
      const server = await aServer((socket) => {
        socket.on("data", (chunk) => {
          received += chunk.length;
        });
      }, certificate);
      const answer = await aClient().send(aMessage(server, { scheme: "https" }));

      expect(answer).toMatchObject({
        statusCode: null,
        errorClass: "tls",
        error: "The certificate was not accepted",
      });
      await until(() => server.open() === 0);
      expect(received).toBe(0);
    },
  );

  test("an exchange with a receiver without TLS fails", async () => {
    const server = await aServer(answering(OK));
    const answer = await aClient().send(aMessage(server, { scheme: "https" }));
    expect(answer).toMatchObject({ statusCode: null, errorClass: "tls" });
    await until(() => server.open() === 0);
  });
});
