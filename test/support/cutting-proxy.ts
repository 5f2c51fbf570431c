// A proxy in front of a gateway that fails as networks do: it takes a fault for each of the next
// requests, and forwards all others.

import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * The gateway does not get the request; it gets it, and its answer is cut off; nothing is ever
 * answered; the proxy answers itself.
 */
export type Fault =
  | "cutBefore"
  | "cutAfter"
  | "silence"
  | { status: number; headers?: Record<string, string>; body?: string };

interface Seen {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

export interface CuttingProxy {
  url: string;
  /** The faults of the next requests, token requests not counted. */
  faults: Fault[];
  seen: Seen[];
  stop(): void;
}

export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const faults: Fault[] = [];
  const seen: Seen[] = [];

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url: path = "", headers } = request;
    seen.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
    const fault = path === "/v1/oauth/token" ? undefined : faults.shift();
    if (fault === "silence") return;
    if (fault === "cutBefore") {
      request.socket.destroy();
      return;
    }
    if (typeof fault === "object") {
      response.writeHead(fault.status, fault.headers).end(fault.body);
      return;
    }
    const sent = httpRequest(target + path, { method, headers }, async (answer) => {
      const parts: Buffer[] = [];
      for await (const part of answer) parts.push(part as Buffer);
      if (fault === "cutAfter") {
        request.socket.destroy();
        return;
      }
      response.writeHead(answer.statusCode ?? 0, answer.headers).end(Buffer.concat(parts));
    });
    sent.on("error", () => request.socket.destroy());
    sent.end(Buffer.concat(chunks));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    seen,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
