// The content of log lines: the message and its details in any order, and of an error only its
// message; only listed fields, and no value that looks like a number.

import { Writable } from "node:stream";
import moleculer from "moleculer";
import mongoose from "mongoose";
import { pino } from "pino";
import { ConfigError } from "../../shared/config/config.ts";
import { logOptions } from "../../shared/observability/log.ts";
import { workFor } from "../../shared/rpc/origin.ts";

/** A logger like the brokers', and its written lines. */
function logger() {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  });
  const log: unknown = pino(logOptions("info", "test"), stream);
  return { log: log as Record<"warn" | "error", (...args: unknown[]) => void>, lines };
}

test("details before and after a message are logged", () => {
  const { log, lines } = logger();
  log.warn({ id: 1 }, "It failed");
  log.warn("It failed", { id: 1 });
  log.warn("It failed", "REQ", 3, undefined);
  expect(lines).toMatchObject([
    { id: 1, msg: "It failed" },
    { id: 1, msg: "It failed" },
    { msg: "It failed REQ 3" },
  ]);
});

test("the properties of an error are not logged, wherever the error is", () => {
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

test("an error of the configuration is logged by its sentence, without a stack", () => {
  const { log, lines } = logger();
  log.error("Unable to start all services.", new ConfigError("PORT is in use; set PORT."));
  const error = { name: "ConfigError", message: "PORT is in use; set PORT." };
  expect(lines).toMatchObject([{ msg: "Unable to start all services.", error }]);
  expect(JSON.stringify(lines)).not.toContain("log.test.ts");
});

const { RequestRejectedError, RequestTimeoutError } = moleculer.Errors;
test.each([
  ["is lost with its node", RequestRejectedError, "REQUEST_REJECTED", 503],
  ["times out", RequestTimeoutError, "REQUEST_TIMEOUT", 504],
])("a call that %s is logged as a warning without a stack", (_case, CallError, type, code) => {
  const { log, lines } = logger();
  const call = { action: "webhooks.publish", nodeID: "webhooks-1" };
  const error = new CallError(call);
  log.error("It failed", error);
  log.error({ requestId: "r", cause: error }, "It failed");
  log.error("It failed", { id: 1, error: new Error("Another error") });
  const unanswered = { type, name: error.name, code, ...call };
  expect(lines).toMatchObject([
    { level: 40, error: unanswered },
    { level: 40, requestId: "r", cause: unanswered },
    { level: 50, error: { stack: expect.stringContaining("log.test.ts") } },
  ]);
  expect(JSON.stringify(lines.slice(0, 2))).not.toContain("stack");
});

/** No log line may have any of these values. */
const SECRETS = {
  number: "4242424242424242",
  cvc: "735819264",
  name: "Persephone Planted",
  token: "Zk3vQ0aXo9T4bM7yR2uJ5wLs8dGf6hNc1pEiKtVxYqA",
};

function findings(line: unknown): string[] {
  const text = JSON.stringify(line);
  const parts = Object.values(SECRETS).flatMap((secret) => [secret, secret.slice(0, 8)]);
  return parts.filter((part) => text.includes(part));
}

const TRACE = "0af7651916cd43dd8448eb211c80319c";

test("a line has the ids of the request that the code works for", () => {
  const { log, lines } = logger();
  const one = { requestId: "req_1", traceId: TRACE, spanId: "b7ad6b7169203331" };
  const other = { requestId: TRACE, traceId: TRACE };
  workFor([one], () => log.warn("It failed", { id: 1 }));
  workFor([one, other], () => log.warn("It failed"));
  workFor([other], () => log.warn({ requestId: "named" }, "It failed"));
  log.warn("It failed");
  expect(lines).toMatchObject([
    { service: "test", requestId: "req_1", traceId: TRACE, id: 1 },
    { requestIds: ["req_1", TRACE], traceIds: [TRACE, TRACE] },
    { requestId: "named", traceId: TRACE },
    { msg: "It failed" },
  ]);
  expect(lines[3]).not.toHaveProperty("requestId");
  expect(lines[3]).not.toHaveProperty("traceId");
});

test("a number in a request id that a client chose is hidden", () => {
  const { log, lines } = logger();
  for (const requestId of [`card-${SECRETS.number}`, "V1StGXR8_Z5jdHi6B-myT"]) {
    workFor([{ requestId, traceId: TRACE }], () => log.warn("It failed"));
  }
  const shown = lines.map(({ requestId }) => requestId);
  expect(shown).toEqual(["card-[digits]", "V1StGXR8_Z5jdHi6B-myT"]);
});

test("unlisted details are withheld and counted", () => {
  const { log, lines } = logger();
  log.warn("It failed", { id: 1, ...SECRETS, reason: { SECRETS } });
  log.warn({ requestId: "r", [SECRETS.name]: true, keyIds: ["k1", "k2"], what: undefined });
  expect(lines).toMatchObject([
    { id: 1, msg: "It failed", withheld: 5 },
    { requestId: "r", keyIds: ["k1", "k2"], withheld: 1 },
  ]);
  expect(lines.flatMap(findings)).toEqual([]);
});

test("a packet is logged with its type, sender, action and version", () => {
  const { log, lines } = logger();
  const payload = { ver: "5", sender: "old-node-1", action: "a.b", params: SECRETS, meta: SECRETS };
  log.error(new Error("It failed"), "REQ", { type: "REQ", target: null, payload });
  log.error(new Error("Missing response payload."), "RES", { type: "RES", payload: null });
  const packet = { type: "REQ", sender: "old-node-1", action: "a.b", ver: "5" };
  expect(lines).toMatchObject([
    { packet, msg: "REQ" },
    { packet: { type: "RES" }, msg: "RES" },
  ]);
  expect(lines.flatMap(findings)).toEqual([]);
});

test("a text behind the message is withheld", () => {
  const { log, lines } = logger();
  log.warn("Content:", JSON.stringify(SECRETS));
  log.warn("Content:", SECRETS.name);
  expect(lines.map(({ msg }) => msg)).toEqual(["Content: [withheld]", "Content: [withheld]"]);
});

function thrownBy(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error("It did not throw");
}

const duplicate = new mongoose.mongo.MongoServerError({
  message: `E11000 duplicate key error dup key: { name: "${SECRETS.name}" }`,
  code: 11_000,
  codeName: "DuplicateKey",
  keyPattern: { name: 1 },
  keyValue: { name: SECRETS.name },
});

test.each<[string, Error, object]>([
  [
    "JSON that cannot be read",
    thrownBy(() => JSON.parse(`{"number":"${SECRETS.number}","name":${SECRETS.name}`)),
    { name: "SyntaxError" },
  ],
  ["a refused duplicate", duplicate, { code: 11_000, codeName: "DuplicateKey", index: ["name"] }],
  [
    "an invalid argument",
    thrownBy(() => Buffer.from(SECRETS as never)),
    { code: "ERR_INVALID_ARG_TYPE" },
  ],
  ["an invalid address", thrownBy(() => new URL(SECRETS.name)), { code: "ERR_INVALID_URL" }],
  [
    "an address in a text",
    new Error(`No answer of https://ada:${SECRETS.token}@b.example/pay/x/${SECRETS.token} now`),
    { message: "No answer of https://b.example/… now" },
  ],
  [
    "a partner's message",
    new Error(`Refused 4242 4242 4242 4242 ${SECRETS.token}: {"holder":"${SECRETS.name}"}`),
    { message: "Refused [digits] [token]: …" },
  ],
  [
    "a validator's message",
    Object.assign(new Error(SECRETS.name), { name: "ValidationError", type: "VALIDATION" }),
    { name: "ValidationError", type: "VALIDATION" },
  ],
  ["an input as a code", Object.assign(new Error("No"), { code: SECRETS.name }), { message: "No" }],
  [
    "a message that looks like a stack",
    new Error(`No\n    at ${SECRETS.name} (${SECRETS.number})\n    at ${SECRETS.cvc}`),
    { message: "No…" },
  ],
])("no input is logged of %s", (_case, error, logged) => {
  const { log, lines } = logger();
  log.error("It failed", { error });
  expect(lines[0]).toMatchObject({ error: logged });
  expect(findings(lines[0])).toEqual([]);
});

test("ids, hosts, processes and dates are logged unchanged", () => {
  const { log, lines } = logger();
  const message =
    "Node payment-links-ip-172-31-22-101-12345 at 127.0.0.1:27017 took 0192fa10-1234-7123-8123-123456789012 on 2026-11-22";
  log.warn(message, { id: "0192fa10-1234-7123-8123-123456789012" });
  expect(lines).toMatchObject([{ msg: message, id: "0192fa10-1234-7123-8123-123456789012" }]);
});
