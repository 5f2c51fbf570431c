// A process of clients that never close their half of a connection: node rude-clients-process.ts
// PORT SILENT SENDING. The silent ones send nothing; the sending ones send a body without an end
// and without a token, again and again on new connections.

import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";

const [port = 0, silent = 0, sending = 0] = process.argv.slice(2).map(Number);
const HEAD = `POST /echo/1 HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2000000000\r\n\r\n`;
const AT_ONCE = 100;
const PIECE = Buffer.alloc(65_536, "x");

function open() {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => undefined);
  socket.resume();
  return socket;
}

function send(): void {
  const socket = open();
  const more = () => {
    while (!socket.destroyed && socket.write(PIECE));
  };
  socket.on("close", send).on("drain", more);
  socket.write(HEAD);
  more();
}

for (let i = 0; i < sending; i += 1) send();
// Not all at once: the system forgets connections that a busy server does not accept in time, and a
// client that sends nothing never learns it.
for (let opened = 0; opened < silent; opened += AT_ONCE) {
  const sockets = Array.from({ length: Math.min(AT_ONCE, silent - opened) }, open);
  await Promise.all(sockets.map((socket) => once(socket, "connect").catch(() => undefined)));
  await setTimeout(20);
}
