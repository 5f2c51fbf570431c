// TCP ports of this machine.

import { randomInt } from "node:crypto";
import { connect, createServer } from "node:net";

/** Whether a process can listen on this address now. */
export function isFree(port: number, host = "127.0.0.1"): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Below the range from which systems assign ports. */
const LOWEST = 10_000;
const COUNT = 22_768;

let next = randomInt(COUNT);

/**
 * Finds a free port that probably stays free until it is used: this process gets all others before
 * it gets this one again, and other processes begin elsewhere.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + next;
    next = (next + 1) % COUNT;
    if (await isFree(port)) return port;
  }
}

/** Whether a process accepts connections there now. */
export function isListening(port: number, host = "127.0.0.1"): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 1_000 });
    const answer = (listening: boolean) => {
      socket.destroy();
      resolve(listening);
    };
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
    socket.once("timeout", () => answer(false));
  });
}
