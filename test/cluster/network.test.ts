// The network of a plant: proxies between named nodes, whose rules drop, delay and reset.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { until } from "../support/system.ts";
import { createNetwork, type Network } from "./plant/network.ts";
import type { Rule } from "./plant/rules.ts";

let network: Network;
let server: Server;
/** Bytes that arrived at node b, which answers each with the same. */
let arrived: string;
let clients: Socket[];

beforeEach(async () => {
  network = createNetwork();
  arrived = "";
  clients = [];
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      arrived += chunk.toString();
      socket.write(chunk);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  await network.close();
  server.close();
});

/** Connects to b, as a if the first byte does not name another node. */
async function dial() {
  const { port } = server.address() as AddressInfo;
  const from = (first: Buffer) => (first.length === 0 ? null : (String(first)[0] ?? null));
  const client = connect(await network.link({ from, to: "b", port }), "127.0.0.1");
  clients.push(client);
  const seen = { text: "", isOver: false };
  client.on("data", (chunk) => {
    seen.text += chunk.toString();
  });
  client.on("error", () => {});
  client.on("close", () => {
    seen.isOver = true;
  });
  await once(client, "connect");
  return { client, seen };
}

const DROP: Rule = { kind: "drop" };

test("bytes that one direction drops arrive after the heal, and the other direction works", async () => {
  const { client, seen } = await dial();
  client.write("a1");
  await until(() => seen.text === "a1");
  const heal = network.impose(DROP, (from, to) => from === "b" && to === "a");
  client.write("2");
  await until(() => arrived === "a12");
  client.write("3");
  await until(() => arrived === "a123");
  expect(seen).toEqual({ text: "a1", isOver: false });
  heal();
  await until(() => seen.text === "a123");
});

test("a connection that begins during a cut is established after the heal", async () => {
  const heal = network.impose(DROP, (from, to) => from === "a" && to === "b");
  const cut = await dial();
  cut.client.write("a");
  const other = await dial();
  other.client.write("c");
  await until(() => other.seen.text === "c");
  expect(arrived).toBe("c");
  heal();
  await until(() => cut.seen.text === "a");
});

test("the end of a connection is dropped as its bytes are", async () => {
  const { client, seen } = await dial();
  client.write("a");
  await until(() => seen.text === "a");
  const heal = network.impose(DROP, (from, to) => from === "a" && to === "b");
  const connections = () =>
    new Promise<number>((resolve) => {
      server.getConnections((_error, count) => resolve(count));
    });
  client.end("2");
  client.destroySoon();
  await once(client, "close");
  expect(await connections()).toBe(1);
  heal();
  await until(async () => (await connections()) === 0);
  expect(arrived).toBe("a2");
});

test("a reset ends connections of the named nodes alone, and new ones until the heal", async () => {
  const [hit, other] = [await dial(), await dial()];
  hit.client.write("a");
  other.client.write("c");
  await until(() => hit.seen.text === "a" && other.seen.text === "c");
  const heal = network.impose({ kind: "reset" }, (from, to) => from === "a" && to === "b");
  await until(() => hit.seen.isOver);
  const refused = await dial();
  refused.client.write("a");
  await until(() => refused.seen.isOver);
  expect(other.seen.isOver).toBe(false);
  heal();
  const later = await dial();
  later.client.write("a");
  await until(() => later.seen.text === "a");
});

test("delayed bytes arrive in order, before those that are sent after the heal", async () => {
  const heal = network.impose({ kind: "delay", ms: 100 }, (from, to) => from === "a" && to === "b");
  const { client, seen } = await dial();
  client.write("a1");
  const another = await dial();
  another.client.write("c");
  await until(() => arrived !== "");
  expect(arrived).toBe("c");
  heal();
  client.write("2");
  await until(() => seen.text === "a12");
});
