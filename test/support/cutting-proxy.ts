// A proxy in front of a gateway that fails as networks do: it takes a fault for each of the next
// requests, and forwards all others.

import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/**
 * The faults, in this order: the gateway does not get the request; the proxy cuts off the gateway's
 * answer; the proxy never answers; the proxy answers itself.
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

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const { method = "", url: path = "", headers } = request;
    seen.push({ method, path, headers, body: body.toString() });
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
    const answer = await forward(target + path, { method, headers }, body);
    const text = await buffer(answer);
    if (fault === "cutAfter") request.socket.destroy();
    else response.writeHead(answer.statusCode ?? 0, answer.headers).end(text);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
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

function forward(url: string, options: RequestOptions, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpRequest(url, options, resolve).on("error", reject).end(body);
  });
}
