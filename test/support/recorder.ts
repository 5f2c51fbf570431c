// A recorder between a client and a server: it passes every byte on and keeps the bytes that the
// client sends, so a test can check the data that reaches the server.

import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Recorder {
  url: string;
  /** Sets the port that connections go to; the caller sets it before the first connection. */
  forwardTo(port: number): void;
  /** All bytes that were sent so far. */
  sent(): string;
  stop(): void;
}

export async function startRecorder(): Promise<Recorder> {
  const chunks: Buffer[] = [];
  const sockets = new Set<Socket>();
  let target = 0;
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    client.on("data", (chunk) => chunks.push(Buffer.from(chunk)));
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      // If one side ends, the other side ends too.
      socket.on("error", () => {}).on("close", () => [client, upstream].map((s) => s.destroy()));
    }
  });
  await new Promise<void>((listening) => {
    server.listen(0, "127.0.0.1", listening);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardTo(port) {
      target = port;
    },
    sent: () => Buffer.concat(chunks).toString("latin1"),
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
