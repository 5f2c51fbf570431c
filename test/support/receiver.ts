// A merchant's webhook receiver: a real HTTP server that records requests and misbehaves as set.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  /** The bytes as text, for signatures. */
  body: string;
  event: { eventType: string; status: string; payload: Record<string, unknown> };
  /** The webhook-id. */
  id: string;
  /** Epoch ms. */
  at: number;
}

/** The receiver's reaction to a request; an immediate 200 by default. */
export interface Behaviour {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  /** The wait before the answer. */
  delayMs?: number;
  /** The answer is sent after this is settled. */
  after?: Promise<unknown>;
  /** Closes the connection instead of answering. */
  drop?: boolean;
  /** Never answers, sends headers without an end, or sends a byte now and then without an end. */
  stall?: "headers" | "body" | "trickle";
}

export interface Receiver {
  url(path?: string): string;
  /** All requests, in order of arrival. */
  requests: Received[];
  /** Replaces the reaction from now on. */
  behave(rule: (request: Received) => Behaviour): void;
  /** The ids of the requests that were answered 2xx, once per request. */
  accepted: string[];
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const requests: Received[] = [];
  const accepted: string[] = [];
  let rule: (request: Received) => Behaviour = () => ({});

  const server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const request: Received = {
        path: message.url as string,
        headers: message.headers,
        body,
        event: JSON.parse(body) as Received["event"],
        id: message.headers["webhook-id"] as string,
        at: Date.now(),
      };
      requests.push(request);
      const behaviour = rule(request);
      const { status = 200 } = behaviour;
      answer(response, behaviour).then(
        () => {
          if (status < 300 && !behaviour.drop && !behaviour.stall) accepted.push(request.id);
        },
        () => response.destroy(),
      );
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    url: (path = "/") => `http://127.0.0.1:${port}${path}`,
    requests,
    accepted,
    behave(next) {
      rule = next;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

async function answer(response: ServerResponse, behaviour: Behaviour): Promise<void> {
  const { status = 200, headers = {}, body = "", delayMs = 0, after, drop, stall } = behaviour;
  if (delayMs > 0) {
    await new Promise((resolve) => {
      setTimeout(resolve, delayMs);
    });
  }
  await after;
  if (drop) return void response.destroy();
  if (stall === "headers") return;
  response.writeHead(status, headers);
  if (stall === "body") return response.flushHeaders();
  if (stall === "trickle") return trickle(response);
  response.end(body);
}

function trickle(response: ServerResponse): void {
  const timer = setInterval(() => response.write("."), 20);
  response.on("close", () => clearInterval(timer));
}
