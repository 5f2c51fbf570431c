// A merchant's webhook receiver in a separate process. At /silent it does not answer until a
// message tells it to hang up. Answers over the channel with the number of requests since the last
// question, and with the age of their state changes at arrival.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The requests since the last question. */
export interface Heard {
  requests: number;
  /** Milliseconds from the payload's time to the arrival, for events of ended payouts. */
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
