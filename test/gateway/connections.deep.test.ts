// More clients than the gateway has places for, which never close their half of a connection, cost
// the others no answer.

import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { type Probe, startProbe } from "../support/probe.ts";
import { until } from "../support/system.ts";

let probe: Probe;
const clients: ChildProcess[] = [];
const sockets = new Set<Socket>();
let accepted = 0;
beforeAll(async () => {
  probe = await startProbe();
  probe.server.on("connection", (socket) => {
    sockets.add(socket);
    accepted += 1;
    socket.on("close", () => sockets.delete(socket));
  });
});
afterEach(() => {
  for (const client of clients.splice(0)) client.kill("SIGKILL");
});
afterAll(() => probe?.stop());

function startClients(silent: number, sending: number): void {
  const args = ["test/gateway/rude-clients-process.ts", probe.port, silent, sending].map(String);
  clients.push(spawn(process.execPath, args, { stdio: "inherit" }));
}

/** Each on a connection of its own. */
async function expectAnswers(): Promise<void> {
  for (let i = 0; i < 100; i += 1) {
    const answer = await probe.raw("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
  }
}

test("10,300 silent connections have gone after their 408, although no client closes one", async () => {
  startClients(10_300, 0);
  // On a busy machine the first ones are refused before the last ones come.
  await until(() => accepted > 9_000, { awaited: "the silent connections" });
  await until(() => sockets.size < 100, { awaited: "the end of the silent connections" });
  await expectAnswers();
}, 300_000);

test("300 clients that send a body after their 401 cost the others no answer, and payrail no memory", async () => {
  startClients(0, 300);
  await until(() => sockets.size > 200, { awaited: "the sending clients" });
  await expectAnswers();
  for (const { bytesRead } of sockets) expect(bytesRead).toBeLessThan(1_000_000);
  expect(probe.echoed).toEqual([]);
}, 300_000);
