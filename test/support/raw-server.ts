// A server that sends what it is told to, HTTP or not, over plain connections or TLS, and knows which
// of its connections are open.

import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createSecureServer } from "node:tls";
import type { Certificate } from "./certificate.ts";

export interface RawServer {
  port: number;
  /** Connections so far, and how many of them are open. */
  connections: number;
  open(): number;
  stop(): Promise<void>;
}

/** @param serve what is done with each connection */
export async function startRawServer(
  serve: (socket: Socket) => void,
  certificate?: Certificate,
): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const accept = (socket: Socket) => {
    rawServer.connections += 1;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    // Read, whether or not it is looked at: else it would not be noticed that it is closed.
    socket.resume();
    serve(socket);
  };
  const server = certificate
    ? createSecureServer(certificate, accept).on("tlsClientError", () => undefined)
    : createServer(accept);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const rawServer: RawServer = {
    port: (server.address() as AddressInfo).port,
    connections: 0,
    open: () => sockets.size,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return rawServer;
}

/** Sends the text to each request. A request here is what comes in one go. */
export const answering = (text: string) => (socket: Socket) => {
  socket.on("data", () => socket.write(text));
};

/** After the first text the second again and again, as fast as it is taken, or slowly. */
export function endlessly(first: string, again: string, everyMs = 0) {
  return (socket: Socket) => {
    socket.once("data", () => {
      socket.write(first);
      if (everyMs > 0) {
        const timer = setInterval(() => socket.write(again), everyMs);
        socket.on("close", () => clearInterval(timer));
        return;
      }
      const more = () => {
        while (!socket.destroyed && socket.write(again));
      };
      socket.on("drain", more);
      more();
    });
  };
}
