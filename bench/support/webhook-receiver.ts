// A merchant's webhook receiver in a process of its own. At /silent it never answers, until it is told
// to hang up there. Asked over the channel, it tells how many requests came since it was asked before,
// and how old the changes that they tell of were when they arrived.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Since it was asked before. */
export interface Heard {
  requests: number;
  /** Milliseconds from the time in the payload to the arrival, of those with an end to tell of. */
  delaysMs: number[];
}

const ENDS = ["SUCCESS", "FAILED"];
const silent = new Set<ServerResponse>();
const heard: Heard = { requests: 0, delaysMs: [] };

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    if (request.url === "/silent") {
      silent.add(response);
      response.on("close", () => silent.delete(response));
      return;
    }
    heard.requests += 1;
    const body = JSON.parse(Buffer.concat(chunks).toString()) as {
      status: string;
      payload: { timestamp: number };
    };
    if (ENDS.includes(body.status)) heard.delaysMs.push(Date.now() - body.payload.timestamp);
    response.writeHead(200).end();
  });
});
server.listen(0, "127.0.0.1", () => {
  process.send?.((server.address() as AddressInfo).port);
});
process.on("message", (asked) => {
  if (asked === "hang up") for (const response of silent) response.destroy();
  process.send?.(heard);
  heard.requests = 0;
  heard.delaysMs = [];
});
process.on("disconnect", () => process.exit());
