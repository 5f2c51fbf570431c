// A rolling upgrade or a foreign client may send packets that a service cannot handle. The service
// logs each one: the line names the packet and its sender, and contains no part of the content.

import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { connect, type NatsConnection } from "nats";
import walletLedger from "../../services/wallet-ledger/wallet-ledger.service.ts";
import { Planted } from "../support/planted.ts";
import { endOf, startService } from "../support/processes.ts";
import { type System, startSystem, until } from "../support/system.ts";

const planted = new Planted();
const CARD = planted.add("card number", "4000002500003155");
const CODE = planted.add("card number", "735819264");
const HOLDER = planted.add("account detail", "Persephone Planted");
const TOKEN = planted.add("link token", randomBytes(32).toString("base64url"));
const SECRET = planted.add("client secret", "correct-horse-battery-staple");

const params = { number: CARD, expMonth: 12, expYear: 2099, cvc: CODE, holder: HOLDER };
const inside = { params, data: params, meta: { token: TOKEN, secret: SECRET }, headers: { TOKEN } };
const packet = { ver: "5", sender: "upgraded-1", id: "1", ...inside };

let system: System;
let service: { child: ChildProcess; nodeID: string };
let nats: NatsConnection;
let output = "";

beforeAll(async () => {
  system = await startSystem([walletLedger], {}, { overNats: true });
  service = await startService(system, "payment-links", { LOG_LEVEL: "trace" });
  const collect = (chunk: Buffer) => (output += chunk.toString());
  service.child.stdout?.on("data", collect);
  service.child.stderr?.on("data", collect);
  nats = await connect({ servers: process.env.TEST_NATS_URL as string });
});

afterAll(async () => {
  service.child.kill("SIGKILL");
  await endOf(service.child);
  await nats.close();
  await system.stop();
});

const lines = () =>
  output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Sends a packet to the service's own topic, and waits for the log line about it. */
async function send(type: string, body: string, logged: object): Promise<void> {
  const from = lines().length;
  nats.publish(`MOL-${system.broker.namespace}.${type}.${service.nodeID}`, body);
  const isLogged = () => {
    return lines()
      .slice(from)
      .some((line) => {
        try {
          expect(line).toMatchObject(logged);
          return true;
        } catch {
          return false;
        }
      });
  };
  await until(isLogged, { awaited: `${type} ${JSON.stringify(logged)}` });
}

function expectNothingPlanted(): void {
  const found = output.split("\n").flatMap((line) => [...planted.in(line).keys()]);
  expect(found).toEqual([]);
}

test.each(["REQ", "RES", "INFO", "PING"])(
  "a %s packet that is no JSON is logged with its type",
  async (type) => {
    const logged = {
      msg: `Invalid incoming packet. Type: ${type}`,
      error: { name: "SyntaxError" },
    };
    for (const body of [
      JSON.stringify(packet).slice(0, -1),
      `{"number": ${CARD}${HOLDER}}`,
      `${HOLDER} ${CARD}`,
      TOKEN,
    ]) {
      await send(type, body, logged);
    }
    expectNothingPlanted();
  },
);

test.each(["REQ", "RES", "INFO", "PING"])(
  "a %s packet of another version is logged with its type and sender",
  async (type) => {
    const action = "payment-links.createCardToken";
    await send(type, JSON.stringify({ ...packet, ver: "6", action }), {
      level: 50,
      packet: { type, sender: "upgraded-1", ver: "6", action },
      error: { name: "ProtocolVersionMismatchError" },
    });
    expectNothingPlanted();
  },
);

test("a packet with a throwing handler is logged with its type and sender", async () => {
  const groups = { [CARD]: HOLDER };
  const logged = { packet: { type: "EVENT", sender: "upgraded-1" }, error: { name: "TypeError" } };
  const event = JSON.stringify({ ...packet, event: "payout.status.changed", groups });
  nats.publish(`MOL-${system.broker.namespace}.EVENT.${service.nodeID}`, event);
  await send("EVENT", event, logged);
  await send("REQ", "null", { packet: { type: "REQ" }, msg: "REQ" });
  expectNothingPlanted();
});

test("a refused, a repeated and an unknown call are logged without their parameters", async () => {
  const wrong = { ...params, expMonth: HOLDER, [CARD]: TOKEN };
  const action = "payment-links.createCardToken";
  for (const body of [
    { ...packet, id: "2", action, params: wrong },
    { ...packet, id: "3", action, params: { ...params, expYear: 1999 } },
    { ...packet, id: "4", action, params: { ...params, number: `${CARD}1` } },
  ]) {
    await send("REQ", JSON.stringify(body), { error: { type: "VALIDATION" } });
  }
  await send("REQ", JSON.stringify({ ...packet, id: "5", action: "payment-links.nothing" }), {
    msg: expect.stringContaining("payment-links.nothing"),
  });
  await send("REQ", JSON.stringify({ ...packet, id: "2", action, params: wrong }), {
    msg: expect.stringContaining("it has come before"),
  });
  expectNothingPlanted();
});

test("an answer to an unknown call is logged without its content", async () => {
  const error = { name: "Error", message: `${CARD} ${HOLDER}`, code: CODE, data: params };
  const body = { ...packet, id: "0192fa10-1234-7123-8123-123456789012", success: false, error };
  await send("RES", JSON.stringify(body), { msg: expect.stringContaining("Orphan response") });
  expectNothingPlanted();
});
