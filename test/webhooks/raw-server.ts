// A server that sends the bytes that a test gives it, HTTP or not, over plain connections or TLS,
// and counts its open connections.

import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createSecureServer } from "node:tls";
import type { Certificate } from "../support/certificate.ts";

export interface RawServer {
  port: number;
  /** All connections so far; `open` counts the open ones. */
  connections: number;
  open(): number;
  stop(): Promise<void>;
}

/** @param serve handles each connection */
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
    // Read the data, because otherwise the socket never reports that the client closed it.
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

/** Sends the text for each request; here a request is one chunk of data. */
export const answering = (text: string) => (socket: Socket) => {
  socket.on("data", () => socket.write(text));
};

/**
 * Sends the first text once and then the second one repeatedly, as fast as the client reads or
 * slowly.
 */
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
